package signin_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/signin"
)

const browserOut = "HALLMARK_TEST_BROWSER_OUT"

// TestActsAsBrowser is the program that TestBrowser starts.
func TestActsAsBrowser(t *testing.T) {
	out := os.Getenv(browserOut)
	if out == "" {
		t.Skip("not started by TestBrowser")
	}
	if err := os.WriteFile(out, []byte(strings.Join(flag.Args(), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(flag.Arg(flag.NArg()-1), "fail") {
		t.Fatal("as asked")
	}
}

func TestBrowser(t *testing.T) {
	const address = "https://as.example/authorize?a=1&b=%20;$(touch%20x)"
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	b := signin.Browser{Command: self + " -test.run=^TestActsAsBrowser$ --new-window", Env: append(os.Environ(), browserOut+"="+out)}
	if strings.ContainsRune(self, ' ') {
		t.Skip("the test program's path has a blank in it")
	}
	// Arguments of the command stand before the address, which stays one word and sees no shell.
	b.Command = strings.Replace(b.Command, " --new-window", " -test.count=1 new-window", 1)
	if err := b.Open(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if want := "new-window\n" + address; string(got) != want {
		t.Errorf("arguments %q, want %q", got, want)
	}
	if err := b.Open(t.Context(), address+"fail"); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("a program that fails: %v", err)
	}
	b.Command = "hallmark-no-such-browser"
	if err := b.Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), "cannot be started") {
		t.Errorf("a program that is not there: %v", err)
	}
}
