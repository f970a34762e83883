package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// startFailure says why a command could not be started and what to do about it.
func startFailure(command []string, dir string, err error) *recording.Failure {
	class, detail := diagnoseStart(command, dir, err)
	return &recording.Failure{Class: class, Phase: "start", Detail: detail}
}

func diagnoseStart(command []string, dir string, err error) (recording.Class, string) {
	if len(command) == 0 || command[0] == "" {
		return recording.FailInvalidTarget, "no command was given"
	}
	if dir != "" {
		if info, statErr := os.Stat(dir); statErr != nil || !info.IsDir() {
			return recording.FailInvalidTarget, fmt.Sprintf("the working directory %q does not exist or is no directory", dir)
		}
	}
	for _, arg := range command {
		if strings.ContainsRune(arg, 0) {
			return recording.FailInvalidTarget, "the command contains a NUL character"
		}
	}
	name := command[0]
	file, found := locate(name, dir)
	switch {
	case errors.Is(err, exec.ErrDot):
		return recording.FailCommandNotFound, fmt.Sprintf("%q is only in the current directory; write %q to mean that file", name, "."+string(filepath.Separator)+name)
	case found && isDirectory(file):
		return recording.FailNotExecutable, fmt.Sprintf("%q is a directory; name the program that starts the server", name)
	case errors.Is(err, fs.ErrPermission):
		return recording.FailNotExecutable, fmt.Sprintf("%q is not executable; make it so (chmod +x)%s", name, orInterpreter(name, file))
	case wrongFormat(err):
		return recording.FailNotExecutable, wrongFormatDetail(name, file)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		if found {
			return recording.FailNotExecutable, missingInterpreterDetail(name, file)
		}
		return recording.FailCommandNotFound, notFoundDetail(command)
	}
	return recording.FailNotExecutable, fmt.Sprintf("%q could not be started: %v", name, err)
}

// locate returns the file that a command with a path names. A bare name is looked up in PATH.
func locate(name, dir string) (file string, found bool) {
	file = name
	if filepath.Base(name) == name {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", false
		}
		file = path
	}
	if dir != "" && !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	_, err := os.Stat(file)
	return file, err == nil
}

func isDirectory(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}

func notFoundDetail(command []string) string {
	name := command[0]
	switch {
	case len(command) == 1 && strings.ContainsAny(name, " \t"):
		return fmt.Sprintf("no program is called %q; give the program and its arguments as separate words", name)
	case strings.HasPrefix(name, "~") || strings.ContainsAny(name, "$%*"):
		return fmt.Sprintf("%q does not exist; commands are run without a shell, which would expand it: write the full path", name)
	case filepath.Base(name) != name:
		return fmt.Sprintf("%q does not exist; check the path", name)
	}
	detail := fmt.Sprintf("%q is not installed or not in PATH", name)
	if _, err := os.Stat(name); err == nil {
		detail += fmt.Sprintf("; write %q to mean the file in the current directory", "."+string(filepath.Separator)+name)
	}
	return detail
}

func missingInterpreterDetail(name, file string) string {
	first := firstLine(file)
	interpreter, ok := strings.CutPrefix(first, "#!")
	if !ok {
		return fmt.Sprintf("%q needs a program loader or library that is not on this system", name)
	}
	if strings.HasSuffix(interpreter, "\r") {
		return fmt.Sprintf("the first line of %q ends with CR LF, so its interpreter is not found; save the file with LF line ends%s", name, orInterpreter(name, file))
	}
	return fmt.Sprintf("the first line of %q names an interpreter that does not exist: %s", name, strings.TrimSpace(interpreter))
}

func wrongFormatDetail(name, file string) string {
	first := firstLine(file)
	for _, magic := range []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"} {
		if strings.HasPrefix(first, magic) {
			return fmt.Sprintf("%q is a program for another system or processor", name)
		}
	}
	return fmt.Sprintf("%q is no program and has no #! line that names its interpreter%s", name, orInterpreter(name, file))
}

func firstLine(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 256))
	head, _, _ = bytes.Cut(head, []byte("\n"))
	return string(head)
}

// interpreters by file name extension, for hints.
var interpreters = map[string]string{
	".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "npx tsx", ".sh": "sh", ".rb": "ruby", ".jar": "java -jar",
	".php": "php", ".pl": "perl",
}

func orInterpreter(name, file string) string {
	if interpreter, ok := interpreters[strings.ToLower(filepath.Ext(file))]; ok {
		return fmt.Sprintf(" or start it with its interpreter: %s %s", interpreter, name)
	}
	return ""
}
