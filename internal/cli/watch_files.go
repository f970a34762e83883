package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxWatched bounds the files of a snapshot: looking at more takes longer than the pause between two looks.
const maxWatched = 50_000

// watched are the files that are looked at. Looking needs no service of the system, so it works on shared and mounted folders too.
type watched struct {
	folders []string        // and single files
	named   []string        // files that are looked at even in a folder that is left out
	out     map[string]bool // files that are not, by clean name
}

// A snapshot says of each file, by its clean name, which one it was.
type snapshot map[string]stamp

type stamp struct {
	size    int64
	changed time.Time
}

// leaveOut stops looking at a file.
func (w *watched) leaveOut(name string) { w.out[filepath.Clean(name)] = true }

// look takes a snapshot. A file that vanishes while it is being looked for is not in it. The error says that there are too many files.
func (w *watched) look() (snapshot, error) {
	all := snapshot{}
	for _, folder := range w.folders {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && d != nil && d.IsDir():
				return fs.SkipDir // one that we may not read
			case err != nil:
				return nil
			case d.IsDir() && name != folder && passedOver(d.Name()):
				return fs.SkipDir
			case d.IsDir() || !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0 || temporary(d.Name()):
				return nil
			}
			w.add(all, name)
			if len(all) > maxWatched {
				return errTooMany
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
	}
	for _, name := range w.named {
		w.add(all, name)
	}
	return all, nil
}

var errTooMany = errors.New("there are more than 50,000 files to watch")

func (w *watched) add(all snapshot, name string) {
	name = filepath.Clean(name)
	if w.out[name] {
		return
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() { // of what a symbolic link points to
		all[name] = stamp{info.Size(), info.ModTime()}
	}
}

// since lists the files that are others than in an older snapshot, new or gone, sorted.
func (s snapshot) since(old snapshot) []string {
	var names []string
	for name, is := range s {
		if was, there := old[name]; !there || was.size != is.size || !was.changed.Equal(is.changed) {
			names = append(names, name)
		}
	}
	for name := range old {
		if _, there := s[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// passedOver tells the folders in which nobody edits a server.
func passedOver(folder string) bool {
	return strings.HasPrefix(folder, ".") || slices.Contains([]string{"node_modules", "vendor", "venv", "__pycache__"}, folder)
}

// temporary tells what editors and interpreters leave beside a file.
func temporary(name string) bool {
	return strings.HasPrefix(name, ".#") || slices.ContainsFunc([]string{"~", ".swp", ".swx", ".tmp", ".pyc"}, func(end string) bool { return strings.HasSuffix(name, end) })
}
