package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

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

// onlyZombies reports whether all processes of a group have ended and only wait to be reaped. In a container whose first process does
// not reap orphans they wait for ever, and kill(2) still finds them.
func onlyZombies(group int) bool {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return false
	}
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it ended in the meantime
		}
		// proc(5): pid (name) state parent group ...; the name may hold anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == strconv.Itoa(group) && string(fields[0]) != "Z" && string(fields[0]) != "X" {
			return false
		}
	}
	return true
}
