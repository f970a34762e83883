package wire

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread returns how many bytes written to the pipe nobody has read yet; ok is false where the system does not tell.
func unread(pipe *os.File) (n int, ok bool) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = conn.Control(func(fd uintptr) {
		var ctlErr error
		n, ctlErr = unix.IoctlGetInt(int(fd), unix.TIOCINQ) // FIONREAD, which pipe(7) answers on either end
		ok = ctlErr == nil
	})
	return n, ok && err == nil
}
