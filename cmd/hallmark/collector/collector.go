// Package collector has the garbage collector wait until the heap holds 16 MB: most audits end before that, and collecting from 4 MB on, as
// is usual, took a sixth of their CPU time. After its first cycle the collector works as usual; near 160 MB it works harder.
//
// It is a package, to be imported for its effect, so that this comes before what other packages do when the program starts: packages are
// initialised in the order of their import paths as far as they do not depend on each other, and some allocate megabytes.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
)

func init() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return // the user knows better
	}
	usual := debug.SetGCPercent(400)
	debug.SetMemoryLimit(160 << 20)
	runtime.SetFinalizer(&struct{ self *int }{new(int)}, func(any) { debug.SetGCPercent(usual) })
}
