package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"

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
	if err := replace(path, mode, write); err != nil {
		return cannot(err)
	}
	return nil
}

// replace writes beside a file and then takes its place, keeping the mode of a file that was there. (renameio does the same but does not
// build for Windows, where os.Rename replaces too.)
func replace(path string, mode os.FileMode, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	err = errors.Join(f.Chmod(mode), write(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
