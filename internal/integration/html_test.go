//go:build unix

package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
)

// tools is the folder of what tools.sh gets.
var tools = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "hallmark-tools")
	out, err := exec.Command("bash", "tools.sh", folder).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tools.sh: %w\n%s", err, out)
	}
	return folder, nil
})

func needTools(t *testing.T) string {
	t.Helper()
	if os.Getenv("HALLMARK_INTEGRATION") == "" {
		t.Skip("HALLMARK_INTEGRATION is not set: report files are checked with a browser and xmllint by make integration")
	}
	folder, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

const chromium = "/usr/bin/chromium"

// audited is a report with the recording that it was made from.
type audited struct {
	name string
	r    *report.Report
	rec  *recording.Recording
}

func samples(t *testing.T) []audited {
	t.Helper()
	var list []audited
	for _, s := range reporttest.Samples() {
		list = append(list, audited{s.Name, s.Report(), s.Recording})
	}
	list = append(list, scripted())
	files, err := filepath.Glob("../../testdata/recordings/*.rec.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings of real servers (%v)", err)
	}
	roster, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := recording.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, audited{strings.TrimSuffix(filepath.Base(name), ".rec.json"), audit.Judge(rec, roster, rec.Engine), rec})
	}
	return list
}

// payload is what would run in a page that took it for markup.
const payload = `</script></style></title>"'><script>window.pwned=1</script><img src=x onerror="window.pwned=2"><svg onload=window.pwned=3><a href="javascript:window.pwned=4">x</a>` + "\u202eevil\u202c\x1b[2J\r\n"

// scripted is a report that says payload wherever a server can say something.
func scripted() audited {
	s := reporttest.Hostile()
	text := payload
	r := s.Report()
	r.Target, r.ServerInfo.Name, r.ServerInfo.Version = payload, &text, &text
	for i := range r.Results {
		f := &r.Results[i]
		f.Message, f.RuleName = payload, payload
		for j := range f.Citations {
			f.Citations[j].URL = "javascript:window.pwned=5"
		}
		for j := range f.Issues() {
			issue := &f.Issues()[j]
			issue.Name, issue.Seen, issue.Expected, issue.Excerpt, issue.Step, issue.Pointer = payload, payload, payload, payload, payload, &text
		}
		for j := range f.Reproduce {
			f.Reproduce[j].Command = payload
		}
	}
	for i := range r.SkippedRules {
		r.SkippedRules[i].ReasonText = payload
	}
	for i := range s.Recording.Exchanges {
		e := &s.Recording.Exchanges[i]
		e.Step, e.Request.URL = payload, payload
		e.Response.Headers = append(e.Response.Headers, recording.Header{Name: payload, Value: payload})
		e.Response.Body = recording.NewBody([]byte(payload))
	}
	return audited{"scripted", r, s.Recording}
}

// browser opens pages and collects what goes wrong in them.
type browser struct {
	t      *testing.T
	ctx    context.Context
	mu     sync.Mutex
	faults []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	needTools(t)
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no %s: pages are not opened in a browser", chromium)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", false))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.heard); err != nil {
		t.Fatal(err)
	}
	b.run(command(runtime.Enable, cdp.Empty{}), command(cdplog.Enable, cdp.Empty{}), command(network.Enable, network.EnableParams{}))
	return b
}

func (b *browser) heard(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			fault += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		fault = "console: " + string(e.Type)
	case *cdplog.EventEntryAdded:
		fault = "log: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file://") && !strings.HasPrefix(e.Request.URL, "about:") {
			fault = "request: " + e.Request.URL
		}
	case *page.EventJavascriptDialogOpening:
		fault = "dialog: " + e.Message
	}
	if fault != "" {
		b.mu.Lock()
		b.faults = append(b.faults, fault)
		b.mu.Unlock()
	}
}

// command is a command of the protocol as an action.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open shows a page at a width and under a preference for colours.
func (b *browser) open(file string, width int64, scheme string) {
	b.t.Helper()
	b.run(
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}}),
		chromedp.Navigate("file://"+(&url.URL{Path: file}).EscapedPath()),
	)
}

// eval runs a script in the page and reads its value.
func eval[T any](b *browser, script string) T {
	b.t.Helper()
	return value(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

func value[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// quiet reports what went wrong since the last call.
func (b *browser) quiet(what string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		b.t.Errorf("%s: %s", what, fault)
	}
	b.faults = nil
}

func writePage(t *testing.T, x audited) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), x.name+".html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := render.HTML(f, x.r, x.rec); err != nil {
		t.Fatal(err)
	}
	return file
}

// openAll opens every fold and shows the rules of every verdict.
const openAll = `document.getElementById("show-all")?.click(); for (const d of document.querySelectorAll("details")) d.open = true; true`

// tooWide lists elements that reach beyond the window.
const tooWide = `(() => {
	const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["the page: " + document.documentElement.scrollWidth] : [];
	for (const e of document.querySelectorAll("main *, header *, footer *")) {
		const box = e.getBoundingClientRect();
		if (box.width > 1 && box.right > document.documentElement.clientWidth + 0.5 && e.checkVisibility() && !e.closest(".sr")) wide.push(e.tagName + "." + e.className + " " + e.textContent.slice(0, 40));
	}
	return wide.slice(0, 5);
})()`

// faint lists texts whose contrast is less than WCAG 2.2 wants at level AA (1.4.3).
const faint = `(() => {
	const parse = (c) => { const n = c.match(/[\d.]+/g).map(Number); if (c.startsWith("color(")) { n[0] *= 255; n[1] *= 255; n[2] *= 255; } return { rgb: n.slice(0, 3), a: n.length > 3 ? n[3] : 1 }; };
	const luminance = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = (e) => {
		const layers = [];
		for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a > 0) layers.push(c); if (c.a === 1) break; }
		return layers.reverse().reduce((under, c) => under.map((v, i) => v * (1 - c.a) + c.rgb[i] * c.a), [255, 255, 255]);
	};
	const found = new Set();
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		if (!walker.currentNode.textContent.trim() || ["SCRIPT", "STYLE"].includes(e.tagName) || e.closest(".sr, title") || !e.checkVisibility()) continue;
		const style = getComputedStyle(e), color = parse(e.closest("svg") ? style.fill : style.color), back = behind(e);
		const [hi, lo] = [luminance(color.rgb), luminance(back)].sort((a, b) => b - a);
		const ratio = (hi + 0.05) / (lo + 0.05), size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
		if (ratio < (large ? 3 : 4.5)) found.add(e.tagName + "." + e.getAttribute("class") + " " + ratio.toFixed(2));
	}
	return [...found];
})()`

// Every page shows without a fault, without reaching beyond the window, readable, on a phone and on a desk, by day and by night.
func TestPagesInABrowser(t *testing.T) {
	b := newBrowser(t)
	folder := needTools(t)
	axe, err := os.ReadFile(filepath.Join(folder, "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Logf("without axe-core: %v", err)
	}
	for _, x := range samples(t) {
		file := writePage(t, x)
		for _, width := range []int64{320, 390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				if width == 320 && scheme == "dark" {
					continue
				}
				what := fmt.Sprintf("%s at %d, %s", x.name, width, scheme)
				b.open(file, width, scheme)
				for _, state := range []string{"", ", all open"} {
					if state != "" {
						eval[bool](b, openAll)
					}
					if wide := eval[[]string](b, tooWide); len(wide) > 0 {
						t.Errorf("%s%s: beyond the window: %q", what, state, wide)
					}
					if texts := eval[[]string](b, faint); len(texts) > 0 {
						t.Errorf("%s%s: too faint: %q", what, state, texts)
					}
				}
				if axe != nil && width == 390 && scheme == "light" {
					checkWithAxe(b, what, string(axe))
				}
				if pwned := eval[bool](b, `typeof window.pwned !== "undefined"`); pwned {
					t.Errorf("%s: a script of the server ran", what)
				}
				b.quiet(what)
				b.shoot(x.name, width, scheme)
			}
		}
	}
}

func checkWithAxe(b *browser, what, axe string) {
	b.t.Helper()
	eval[bool](b, axe+"; true")
	found := eval[[]string](b, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], rules: {"color-contrast": {enabled: false}}}).then((r) => r.violations.map((v) => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map((n) => n.target).join(" | ")))`)
	for _, f := range found {
		b.t.Errorf("%s: axe: %s", what, f)
	}
}

// shoot keeps pictures of the closed page when HALLMARK_SHOTS names a folder for them.
func (b *browser) shoot(name string, width int64, scheme string) {
	b.t.Helper()
	folder := os.Getenv("HALLMARK_SHOTS")
	if folder == "" || width == 320 {
		return
	}
	b.run(chromedp.Reload())
	picture := value(b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// What a server says shows as the text that it is.
func TestHostileTextInABrowser(t *testing.T) {
	b := newBrowser(t)
	file := writePage(t, scripted())
	b.open(file, 1280, "light")
	eval[bool](b, openAll)
	text := eval[string](b, "document.body.innerText")
	for _, want := range []string{`<script>window.pwned=1</script>`, `<img src=x onerror="window.pwned=2">`, `<U+202E>evil<U+202C>`, `<U+001B>[2J`, `\r\n`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if n := eval[int](b, `document.querySelectorAll("img, iframe, object, embed, link, a[href^='javascript']").length + document.scripts.length - 1`); n != 0 {
		t.Errorf("%d elements are the server's", n)
	}
	b.quiet("scripted")
}

// shownRules counts the rules on view, by verdict.
const shownRules = `[...document.querySelectorAll(".rules .rule")].filter((r) => r.checkVisibility()).reduce((n, r) => { n[r.classList[1]] = (n[r.classList[1]] || 0) + 1; return n; }, {})`

// The verdicts are chosen with the keyboard, the search finds rules, links open what they lead to, the choice of colours holds.
func TestPageByHand(t *testing.T) {
	b := newBrowser(t)
	x := samples(t)[0]
	file := writePage(t, x)
	b.open(file, 1280, "light")
	expect := func(when string, want map[string]int) {
		t.Helper()
		got := eval[map[string]int](b, shownRules)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v on view, want %v", when, got, want)
		}
	}
	all := eval[map[string]int](b, `document.getElementById("show-all").click(); `+shownRules)
	eval[bool](b, `document.getElementById("show-failed").click(); true`)
	expect("at first", map[string]int{"failed": all["failed"]})
	b.run(chromedp.Focus(chromedp.CSS("#show-failed")), chromedp.KeyEvent(kb.ArrowRight))
	expect("after the right arrow", map[string]int{"passed": all["passed"]})
	b.run(chromedp.KeyEvent(kb.ArrowRight))
	expect("after the second", map[string]int{"unseen": all["unseen"]})

	b.run(chromedp.Click(chromedp.CSS("label[for=show-all]")), chromedp.SendKeys(chromedp.CSS("#find"), "security_origin"))
	expect("searching a rule's id", map[string]int{"failed": 1})
	search := func(text string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf(`(() => { const find = document.getElementById("find"); find.value = %q; return find.dispatchEvent(new Event("input")); })()`, text))
	}
	search("no such rule")
	if note := eval[string](b, `document.querySelector(".nothing").textContent`); note == "" {
		t.Error("a search without a result says nothing")
	}
	search("")
	b.run(chromedp.Click(chromedp.CSS("label[for=show-passed]")))

	// A rule that is not on view comes on view when a link leads to it.
	b.run(chromedp.Click(chromedp.CSS(`.plan a[href="#rule-server_title_present"]`)))
	if open := eval[bool](b, `document.getElementById("rule-server_title_present").open && document.getElementById("rule-server_title_present").checkVisibility()`); !open {
		t.Error("the link of the fix plan does not show its rule")
	}
	b.run(chromedp.Click(chromedp.CSS(`#rule-server_title_present dd a`)))
	if open := eval[bool](b, `document.querySelector(location.hash).open && document.querySelector(location.hash).classList.contains("exchange")`); !open {
		t.Error("the link of the evidence does not open its exchange")
	}
	b.run(chromedp.Focus(chromedp.CSS(`#rule-tools_annotations_present > summary`)), chromedp.KeyEvent(kb.Enter))
	if open := eval[bool](b, `document.getElementById("rule-tools_annotations_present").open`); !open {
		t.Error("Enter does not open a rule")
	}

	paper := `getComputedStyle(document.body).backgroundColor`
	before := eval[string](b, paper)
	b.run(chromedp.Click(chromedp.CSS("label[for=theme-dark]")))
	if after := eval[string](b, paper); after == before {
		t.Errorf("the page is %s before and after the choice of dark colours", before)
	}
	dark := eval[string](b, paper)
	b.run(chromedp.Reload())
	if after := eval[string](b, paper); after != dark {
		t.Errorf("the choice of colours did not outlive the page: %s, was %s", after, dark)
	}
	b.quiet("by hand")
}

// Without scripts the page still folds, filters and changes colours.
func TestPageWithoutScript(t *testing.T) {
	b := newBrowser(t)
	file := writePage(t, samples(t)[0])
	b.run(command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.open(file, 390, "light")
	b.run(chromedp.Click(chromedp.CSS("label[for=show-passed]")))
	if got := eval[map[string]int](b, shownRules); len(got) != 1 || got["passed"] == 0 {
		t.Errorf("%v on view", got)
	}
	b.run(chromedp.Click(chromedp.CSS("label[for=show-failed]")), chromedp.Click(chromedp.CSS(`#rule-server_title_present > summary`)))
	if open := eval[bool](b, `document.getElementById("rule-server_title_present").open`); !open {
		t.Error("a rule does not open")
	}
	if visible := eval[bool](b, `document.getElementById("find").checkVisibility()`); visible {
		t.Error("a search that cannot work is on view")
	}
	before := eval[string](b, `getComputedStyle(document.body).backgroundColor`)
	b.run(chromedp.Click(chromedp.CSS("label[for=theme-dark]")))
	if after := eval[string](b, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Error("the colours do not change")
	}
	b.quiet("without script")
}

// JUnit files follow the common schema; badges are well-formed.
func TestXMLWithXmllint(t *testing.T) {
	folder := needTools(t)
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("no xmllint: XML is not validated")
	}
	schema := filepath.Join(folder, "junit-10.xsd")
	if _, err := os.Stat(schema); err != nil {
		t.Skip("no junit-10.xsd: tools.sh could not get it")
	}
	check := func(t *testing.T, wantValid bool, write func(io.Writer) error, args ...string) {
		t.Helper()
		var in bytes.Buffer
		if err := write(&in); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(xmllint, append(args, "--noout", "-")...)
		cmd.Stdin = &in
		out, err := cmd.CombinedOutput()
		if (err == nil) != wantValid {
			t.Errorf("valid: %v\n%s", err == nil, out)
		}
	}
	for _, x := range samples(t) {
		t.Run(x.name, func(t *testing.T) {
			check(t, true, func(w io.Writer) error { return render.JUnit(w, x.r) }, "--schema", schema)
			check(t, true, func(w io.Writer) error { return render.Badge(w, x.r) })
			check(t, true, func(w io.Writer) error { return render.ReadinessBadge(w, x.r) })
		})
	}
	check(t, false, func(w io.Writer) error {
		_, err := io.WriteString(w, `<testsuites><testsuite name="x"/></testsuites>`)
		return err
	}, "--schema", schema)
}

// The program writes every format that its flags name, from one recording.
func TestOutputsOfTheProgram(t *testing.T) {
	needTools(t)
	dir := t.TempDir()
	names := []string{"a.html", "a.sarif", "b.sarif.json", "a.md", "a.xml", "a.svg", "a.json", "a.txt"}
	args := []string{"replay", "--quiet", "--sarif", filepath.Join(dir, "c")}
	for _, name := range append(names, "junit:d", "readiness-badge:e.svg") {
		prefix, file, prefixed := strings.Cut(name, ":")
		if !prefixed {
			args = append(args, "--output", filepath.Join(dir, name))
			continue
		}
		args = append(args, "--output", prefix+":"+filepath.Join(dir, file))
	}
	out, err := exec.Command(binary, append(args, "../../testdata/recordings/everything.rec.json")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for file, begins := range map[string]string{
		"a.html": "<!DOCTYPE html>", "a.sarif": "{\n  \"$schema\"", "b.sarif.json": "{\n  \"$schema\"", "c": "{\n  \"$schema\"", "a.md": "<!-- hallmark-report ",
		"a.xml": "<?xml ", "d": "<?xml ", "a.svg": "<svg ", "e.svg": "<svg ", "a.json": "{\n  \"schema_version\"", "a.txt": "",
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || len(text) == 0 || !strings.HasPrefix(string(text), begins) {
			t.Errorf("%s: %v, begins with %.40q", file, err, text)
		}
	}
	sarif, err := exec.Command(binary, "replay", "--sarif", "-", "../../testdata/recordings/everything.rec.json").Output()
	if err != nil || !json.Valid(sarif) {
		t.Errorf("--sarif -: %v, %.80q", err, sarif)
	}
	for _, wrong := range [][]string{{"--json", "--sarif", "-"}, {"--sarif", ""}, {"--sarif", "-", "--output", "html:-"}, {"--output", "x.doc"}, {"--output", "html:"}} {
		out, err := exec.Command(binary, append(append([]string{"replay"}, wrong...), "../../testdata/recordings/everything.rec.json")...).CombinedOutput()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
			t.Errorf("%q: %v\n%s", wrong, err, out)
		}
	}
}
