//go:build unix

package integration

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

const packagedVersion = "0.1.0-rc.1"

// needPackaging skips unless the integration tests were asked for and the programs are here.
func needPackaging(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv("HALLMARK_INTEGRATION") == "" {
		t.Skip("HALLMARK_INTEGRATION is not set: packages are built and installed by make integration")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not here", p)
		}
	}
}

func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// installed checks a hallmark that a package installed: it tells the version, and its exit codes and signals arrive.
func installed(t *testing.T, hallmark string) {
	t.Helper()
	if got, want := must(t, "", hallmark, "version"), "hallmark "+packagedVersion+"\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	cmd := exec.Command(hallmark, "audit", "http://127.0.0.1:1/mcp")
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("an audit of nothing ends with %v, want exit code 2", err)
	}

	asked := filepath.Join(t.TempDir(), "asked")
	cmd = exec.Command(hallmark, "audit", "--quiet", "--stdio", "sh", "-c", `read line; : >"$0"; sleep 600`, asked)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, asked, cmd)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("interrupted it ends with %v, want exit code 130", err)
	}
}

// The packages for npm install without a network and without scripts, the one for this system beside the one that people name.
func TestPackageForNPM(t *testing.T) {
	needPackaging(t, "npm", "node", "bash")
	dir := t.TempDir()
	packs := filepath.Join(dir, "packs")
	must(t, "", "bash", "../../packaging/npm/build.sh", packagedVersion, packs, runtime.GOOS+"/"+runtime.GOARCH)
	files, err := filepath.Glob(filepath.Join(packs, "*.tgz"))
	if err != nil || len(files) != 2 {
		t.Fatalf("packages %q: %v", files, err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, home, "npm", append([]string{"install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", filepath.Join(dir, "cache"), "--prefix", home}, files...)...)
	installed(t, filepath.Join(home, "node_modules/.bin/hallmark"))
}

// The wheel installs without an index, and is the same bytes whenever it is built.
func TestPackageForPython(t *testing.T) {
	needPackaging(t, "python3", "bash")
	dir := t.TempDir()
	var built [2][]byte
	var wheel string
	for i := range built {
		wheel = strings.TrimSpace(must(t, "", "python3", "../../packaging/pypi/build_wheel.py", packagedVersion, dir))
		var err error
		if built[i], err = os.ReadFile(wheel); err != nil {
			t.Fatal(err)
		}
	}
	if string(built[0]) != string(built[1]) {
		t.Error("a second wheel of the same source is another one")
	}
	if name := filepath.Base(wheel); !strings.HasPrefix(name, "mcp_hallmark-0.1.0rc1-py3-none-") {
		t.Errorf("the wheel is called %s", name)
	}
	env := filepath.Join(dir, "env")
	must(t, "", "python3", "-m", "venv", env)
	must(t, "", filepath.Join(env, "bin/pip"), "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
	installed(t, filepath.Join(env, "bin/hallmark"))
	must(t, "", filepath.Join(env, "bin/pip"), "check", "--disable-pip-version-check")
}

// waitFor waits until a file exists.
func waitFor(t *testing.T, file string, cmd *exec.Cmd) {
	t.Helper()
	for range 3000 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Kill()
	t.Fatalf("%s never came into being", file)
}
