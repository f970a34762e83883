//go:build !linux

package wire

import "os"

// unread is known on Linux only: elsewhere the writing end of a pipe does not tell what was not read.
func unread(*os.File) (n int, ok bool) { return 0, false }

// onlyZombies is for Linux, too; elsewhere orphans are reaped at once.
func onlyZombies(int) bool { return false }
