package wire

import (
	"syscall"

	"golang.org/x/sys/windows"
)

var (
	errnoRefused     = []syscall.Errno{windows.WSAECONNREFUSED}
	errnoUnreachable = []syscall.Errno{windows.WSAEHOSTUNREACH, windows.WSAENETUNREACH, windows.WSAENETDOWN, windows.WSAEHOSTDOWN, windows.WSAEADDRNOTAVAIL, windows.WSAEACCES}
	errnoTimedOut    = []syscall.Errno{windows.WSAETIMEDOUT}
	errnoReset       = []syscall.Errno{windows.WSAECONNRESET, windows.WSAECONNABORTED}
)
