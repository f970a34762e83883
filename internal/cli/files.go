package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// writeRecording writes a recording for its owner's eyes only: what a server publishes may be secret.
func writeRecording(name string, rec *recording.Recording) error {
	return writeWhole(name, 0o600, func(w io.Writer) error { return recording.Write(w, rec) })
}

// writeWhole writes a file as a whole or not at all. What a symbolic link points to is replaced, not the link. A pipe or a device
// (/dev/stdout, or the <(...) of a shell) cannot be replaced and is written to.
func writeWhole(name string, mode os.FileMode, write func(io.Writer) error) error {
	cannot := func(err error) error {
		return usage("cannot write "+name+": "+reason(err), "choose a file in a folder that exists and that you may write to")
	}
	path := name
	if target, err := filepath.EvalSymlinks(name); err == nil {
		path = target
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return cannot(err)
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return cannot(err)
		}
		return nil
	}
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(mode), renameio.WithExistingPermissions())
	if err != nil {
		return cannot(err)
	}
	defer f.Cleanup()
	if err := write(f); err != nil {
		return cannot(err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return cannot(err)
	}
	return nil
}
