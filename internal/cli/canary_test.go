package cli

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// canaries are secrets by where they come from. None has eight characters in common with another or with ordinary text.
var canaries = map[string]string{
	"--token":                "tKqz81Lw0/vYb3+RmxP5==",
	"--header X-Api-Key":     "hJx7;pQ2-wE9_\"rT4<mZ6>",
	"--header X-Tenant":      "nB4kV8cX1zL6",
	"user name and password": "uGf93Ks7:dWq5$Zp2Hn8Yt",
	"query of the URL":       "qXo6Rv1Jc8Me3Ui7",
	"cookie":                 "cLb2Nf7Ta4Gd9Wy5Sk0",
	"session id":             "sEh8Qm3Vz6Ip1Xr4Jo7",
	"--env":                  "eYw5Bc0Pl7Tk2Rg9 Uv4",
	"word of the command":    "oFg4Zs6Hn1Dx8Mu3",
}

// published is what a server gives away by itself. It looks like a key of a well-known service.
const published = "ghp_R7mK2vX9pL4qT8wZ1nB6cJ3hF5dG0sY2aE4u"

// spellings are the ways in which a text may be echoed.
func spellings(s string) map[string]string {
	var unicode, percent strings.Builder
	for _, r := range s {
		fmt.Fprintf(&unicode, `\u%04x`, r)
	}
	for i := range len(s) {
		fmt.Fprintf(&percent, "%%%02x", s[i])
	}
	quoted, _ := json.Marshal(s) // a string always marshals
	return map[string]string{
		"plain": s, "JSON": strings.Trim(string(quoted), `"`), "JSON, every character": unicode.String(), "HTML": html.EscapeString(s),
		"query": url.QueryEscape(s), "path": url.PathEscape(s), "percent": percent.String(), "PERCENT": strings.ToUpper(percent.String()),
		"base64": base64.StdEncoding.EncodeToString([]byte(s)), "base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte(s)),
		"base64 inside": base64.StdEncoding.EncodeToString([]byte("Basic x:" + s + ":y")),
		"hex":           hex.EncodeToString([]byte(s)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(s))),
	}
}

// spelled are the spellings of all secrets, by where they come from.
var spelled = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for source, secret := range canaries {
		all[source] = spellings(secret)
	}
	return all
})

// echo is every secret in every spelling that fits a place.
func echo(fits func(spelling, text string) bool) string {
	var all []string
	for _, texts := range spelled() {
		for spelling, s := range texts {
			if fits(spelling, s) {
				all = append(all, s)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func anything(_, _ string) bool { return true }

func inURLs(spelling, _ string) bool {
	return spelling == "query" || spelling == "path" || spelling == "percent"
}

func inQuotes(_, text string) bool { return !strings.ContainsAny(text, `"\`) }

// leaky is a catalog that repeats every secret, with a published key in one tool.
func leaky() *testserver.Catalog {
	c := testserver.DefaultCatalog()
	text := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	all := echo(anything)
	c.Instructions = all
	c.ServerInfo = json.RawMessage(`{"name":` + text("leaky "+all) + `,"version":"1.0.0"}`)
	c.Tools = append(c.Tools,
		json.RawMessage(`{"name":"repeat","description":`+text(all)+`,"inputSchema":{"type":"object","properties":{"a":{"type":"string","default":`+text(all)+`}}}}`),
		json.RawMessage(`{"name":"deploy","description":"Deploys with the key `+published+` to the stage.","inputSchema":{"type":"object"}}`),
		json.RawMessage(`{"name":`+text(all)+`,"inputSchema":{"type":"null"}}`))
	// JSON escapes that a decoder undoes.
	raw := strings.Builder{}
	for _, source := range slices.Sorted(maps.Keys(spelled())) {
		raw.WriteString(spelled()[source]["JSON, every character"] + " ")
	}
	c.Prompts = append(c.Prompts, json.RawMessage(`{"name":"escaped","description":"`+raw.String()+`"}`))
	return c
}

// parrot is a stdio server that repeats every secret wherever it can. With the argument "refuse" it shakes no hands.
func parrot() {
	session := testserver.Session{Catalog: leaky()}
	all := echo(anything)
	fmt.Fprintln(os.Stderr, "starting with", all)
	fmt.Println("listening with", all)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Fprintln(os.Stderr, "request with", all)
		var head struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(in.Bytes(), &head) // what is no message has no method
		if slices.Contains(os.Args, "refuse") || head.Method == "resources/list" {
			message, _ := json.Marshal("refused with " + all)
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s,"data":%[2]s}}`+"\n", head.ID, message)
			continue
		}
		if answer := session.Answer(in.Bytes()); answer != nil {
			fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%q}}`+"\n", "x")
			fmt.Printf("%s\n", answer)
		}
	}
}

// parrotHTTP does the same over HTTP, in headers too.
func parrotHTTP(t *testing.T, refuse func(w http.ResponseWriter, r *http.Request) bool) *url.URL {
	t.Helper()
	web := &testserver.Web{Legacy: true, Modern: true, Catalog: leaky()}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", echo(anything))
		w.Header().Add("Link", "<https://h/?x="+strings.ReplaceAll(echo(inURLs), " ", "&x=")+">; rel=x")
		w.Header().Set("Mcp-Session-Id", canaries["session id"])
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: canaries["cookie"], Path: "/"})
		if refuse != nil && refuse(w, r) {
			return
		}
		web.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL + "/mcp?access_token=" + url.QueryEscape(canaries["query of the URL"]))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// No secret that we hold reaches a recording, a report in any format, or a message, however a server spells it. What the server itself
// publishes stays in the recording, since rules judge it, and is masked everywhere else.
func TestCanary(t *testing.T) {
	name, password, _ := strings.Cut(canaries["user name and password"], ":")
	refuseInJSON := func(w http.ResponseWriter, r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		var head struct{ ID json.RawMessage }
		_ = json.Unmarshal(body, &head) // what is no message has no id
		message, _ := json.Marshal("refused with " + echo(anything))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, head.ID, message)
		return true
	}
	tests := []struct {
		name   string
		code   int
		target func(t *testing.T, u func(func(http.ResponseWriter, *http.Request) bool) string) []string
	}{
		{"over HTTP", ExitOK, func(t *testing.T, u func(func(http.ResponseWriter, *http.Request) bool) string) []string {
			return []string{u(nil)}
		}},
		{"handshake refused", ExitTarget, func(t *testing.T, u func(func(http.ResponseWriter, *http.Request) bool) string) []string {
			return []string{u(refuseInJSON)}
		}},
		{"credentials refused", ExitOK, func(t *testing.T, u func(func(http.ResponseWriter, *http.Request) bool) string) []string {
			return []string{u(func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("WWW-Authenticate", `Bearer realm="`+echo(inQuotes)+`"`)
				http.Error(w, echo(anything), http.StatusUnauthorized)
				return true
			})}
		}},
		{"page", ExitTarget, func(t *testing.T, u func(func(http.ResponseWriter, *http.Request) bool) string) []string {
			return []string{u(func(w http.ResponseWriter, r *http.Request) bool {
				always(http.StatusInternalServerError, "text/html; x="+canaries["--header X-Tenant"], "<p>"+echo(anything))(w, r)
				return true
			})}
		}},
		{"redirected away", ExitTarget, func(t *testing.T, u func(func(http.ResponseWriter, *http.Request) bool) string) []string {
			return []string{u(func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, "https://elsewhere.invalid/"+canaries["--header X-Tenant"]+"?q="+strings.ReplaceAll(echo(inURLs), " ", "&q="), http.StatusTemporaryRedirect)
				return true
			})}
		}},
		{"stdio", ExitOK, func(t *testing.T, _ func(func(http.ResponseWriter, *http.Request) bool) string) []string {
			return []string{"--stdio", "parrot"}
		}},
		{"stdio, handshake refused", ExitTarget, func(t *testing.T, _ func(func(http.ResponseWriter, *http.Request) bool) string) []string {
			return []string{"--stdio", "parrot", "refuse"}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			rec := filepath.Join(dir, "rec.json")
			args := []string{"audit", "--json", "--verbose", "--record", rec}
			outputs := map[string]string{}
			for format := range formats {
				outputs[format] = filepath.Join(dir, "report."+format)
				args = append(args, "--output", format+":"+outputs[format])
			}
			target := tt.target(t, func(refuse func(http.ResponseWriter, *http.Request) bool) string {
				u := parrotHTTP(t, refuse)
				u.User = url.UserPassword(name, password)
				return u.String()
			})
			held := maps.Clone(canaries)
			if target[0] == "--stdio" {
				target = append(target, "--api-key", canaries["word of the command"])
				for source, c := range canaries {
					if source == "word of the command" {
						continue
					} // whatever the server repeats, it has it from us
					args = append(args, "--env", fmt.Sprintf("V%x=%s", c[:3], c))
				}
			} else {
				delete(held, "--env")
				delete(held, "word of the command")
				args = append(args, "--token", canaries["--token"], "--header", "X-Api-Key: "+canaries["--header X-Api-Key"], "-H", "x-tenant:"+canaries["--header X-Tenant"])
			}
			got := run(t, append(args, target...)...)
			got.want(t, tt.code)

			texts := map[string]string{"standard output": got.stdout, "standard error": got.stderr, "recording": read(t, rec)}
			for format, file := range outputs {
				texts["--output "+format] = read(t, file)
			}
			for _, how := range [][]string{{"replay"}, {"replay", "--verbose"}, {"replay", "--verbose", "--policy", "roster_102"}} {
				texts[strings.Join(how, " ")] = run(t, append(how, rec)...).stdout
			}
			for where, text := range texts {
				if len(text) < 50 && !strings.HasPrefix(where, "replay") && where != "standard error" {
					t.Errorf("%s holds nothing: %q", where, text)
				}
				wantNoCanary(t, where, text, held)
				if strings.Contains(text, published) != (where == "recording" && tt.code == ExitOK && tt.name != "credentials refused") {
					t.Errorf("%s: what the server published belongs into the recording of its catalog and nowhere else", where)
				}
			}
		})
	}
}

// wantNoCanary looks for secrets in a text, in what it becomes when JSON strings in it are decoded, and in base64 parts of it.
func wantNoCanary(t *testing.T, where, text string, held map[string]string) {
	t.Helper()
	all := []string{text}
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		all = append(all, stringsIn(v)...)
	}
	for _, text := range all {
		for source, secret := range held {
			for spelling, s := range spelled()[source] {
				if spelling == "base64 inside" {
					s = s[14 : len(s)-6] // without what is not the secret's
				}
				if i := strings.Index(text, s); i >= 0 {
					t.Errorf("%s holds the secret from %s (%s): …%.120q", where, source, spelling, text[max(0, i-60):])
				}
			}
			for i := 0; i+8 <= len(secret); i++ { // a piece is too much as well
				if j := strings.Index(text, secret[i:i+8]); j >= 0 {
					t.Errorf("%s holds a piece of the secret from %s: …%.120q", where, source, text[max(0, j-60):])
					break
				}
			}
		}
	}
}

// stringsIn lists the strings of a JSON value, decoded as base64 where they can be.
func stringsIn(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		list = append(list, v)
		if b, err := base64.StdEncoding.DecodeString(v); err == nil {
			list = append(list, string(b))
		}
	case []any:
		for _, e := range v {
			list = append(list, stringsIn(e)...)
		}
	case map[string]any:
		for k, e := range v {
			list = append(append(list, k), stringsIn(e)...)
		}
	}
	return list
}
