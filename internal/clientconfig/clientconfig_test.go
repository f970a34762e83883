package clientconfig

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var env = map[string]string{"TOKEN": "tok-123456", "HOME": "/home/me", "PORT": "8080"}

func around() Around {
	return Around{Getenv: func(n string) string { return env[n] }, Inputs: map[string]string{"key": "k-987654", "tenant": "acme", "X-Api-Key": "xyz"}, Home: "/home/me", Workspace: "/src/project"}
}

// shown writes a server on one line, its error in place of everything else.
func shown(s Server) string {
	parts := []string{s.Name + ":"}
	switch {
	case s.Err != nil:
		return s.Name + " cannot: " + s.Err.Error()
	case s.Skip != "":
		parts = append(parts, "skip", s.Skip)
	}
	if s.Package != nil {
		parts = append(parts, "package", s.Package.String(), s.Package.Server, s.Registry)
	}
	if s.URL != "" {
		parts = append(parts, string(s.Transport), s.URL)
	}
	parts = append(parts, s.Command...)
	for _, p := range append(s.Header, s.Env...) {
		parts = append(parts, p.Name+"="+p.Value)
	}
	if s.Dir != "" {
		parts = append(parts, "in "+s.Dir)
	}
	if len(s.Secrets) > 0 {
		parts = append(parts, "secret "+strings.Join(s.Secrets, ","))
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a desktop client": {`{"mcpServers":{"files":{"command":"npx","args":["-y","files","/tmp"],"env":{"B":"2","A":1,"C":null,"D":true}},"web":{"url":"https://h/mcp"}}}`,
			[]string{"files: npx -y files /tmp A=1 B=2 D=true", "web: https://h/mcp"}},
		"an editor, with comments and inputs": {"\uFEFF" + `{
			// what we use
			"inputs": [{"type":"promptString","id":"key","description":"the key","password":true},{"id":"lang","default":"en"}],
			"servers": {
				"a": {"type":"http","url":"https://h/${input:lang}","headers":{"Authorization":"Bearer ${input:key}"}},
				"b": {"type":"sse","url":"https://h/sse"}, /* old */
			},
		}`, []string{"a: https://h/en Authorization=Bearer k-987654 secret k-987654", "b: sse https://h/sse"}},
		"settings of an editor":   {`{"mcp":{"servers":{"a":{"command":"${workspaceFolder}/run","cwd":"${userHome}/x"}}}}`, []string{"a: /src/project/run in /home/me/x"}},
		"variables":               {`{"mcpServers":{"a":{"command":"s","args":["${TOKEN}","${env:HOME}","${NONE:-fallback}","${PORT:-1}"]}}}`, []string{"a: s tok-123456 /home/me fallback 8080 secret tok-123456,8080"}},
		"other names for the url": {`{"mcpServers":{"a":{"serverUrl":"https://w"},"b":{"httpUrl":"https://g","type":"streamableHttp"}}}`, []string{"a: https://w", "b: streamable-http https://g"}},
		"switched off":            {`{"mcpServers":{"a":{"command":"s","disabled":true},"b":{"command":"s","enabled":false},"c":{"command":"s","disabled":false}}}`, []string{"a: skip it is switched off in the file s", "b: skip it is switched off in the file s", "c: s"}},
		"shell-isms (case 10)": {`{"mcpServers":{"a":{"command":"~/bin/start.sh --x"},"b":{"command":"ok"},"c":{"command":"$HOME/x"},"d":{"command":"npx -y thing"},"e":{"command":"/opt/my tools/run"},"f":{"command":"s","cwd":"~"},"g":{"command":"/opt/run --fast"}}}`,
			[]string{`a cannot: its command "~/bin/start.sh --x" begins with ~, which only a shell expands: write the whole path, or ${userHome}`, "b: ok",
				`c cannot: its command "$HOME/x" holds $HOME, which only a shell expands: write ${HOME}`,
				`d cannot: its command "npx -y thing" is a whole command line: put the arguments into args`, "e: /opt/my tools/run",
				`f cannot: its cwd "~" begins with ~, which only a shell expands: write the whole path, or ${userHome}`,
				`g cannot: its command "/opt/run --fast" is a whole command line: put the arguments into args`}},
		"what has no value": {`{"inputs":[{"id":"pin","description":"the pin"}],"servers":{"a":{"command":"s","args":["${input:pin}"]},"b":{"command":"s","env":{"K":"${NONE}"}},"c":{"url":"https://h/${file}"},"d":{"command":"s","args":["${command:x}"]}}}`,
			[]string{"a cannot: its argument 1 refers to ${input:pin}: give --input pin=VALUE (the pin)", "b cannot: its K refers to ${NONE}: the environment variable NONE is not set",
				"c cannot: its url refers to ${file}: the environment variable file is not set", "d cannot: its argument 1 refers to ${command:x}: this means nothing outside of the client"}},
		"ill-typed": {`{"mcpServers":{"a":5,"b":{"command":["npx"]},"c":{"command":"s","args":"-y"},"d":{"command":"s","args":[1]},"e":{"command":"s","env":["A=1"]},"f":{},"g":{"url":"u","command":"c"},"h":{"url":"u","type":"ws"},"i":{"url":"u","headers":{"a":{}}},"j":{"command":"s","envFile":".env"}}}`,
			[]string{"a cannot: it is a JSON number, not an object", "b cannot: its command is a JSON array, not a text", "c cannot: its args are a JSON string, not an array",
				"d cannot: argument 1 is a JSON number, not a text", "e cannot: its env are a JSON array, not an object", "f cannot: it has neither a command nor a url",
				"g cannot: it has both a command and a url, and no type that says which counts", `h cannot: its type "ws" is not known: use stdio, http or sse`,
				"i cannot: a of its headers is a JSON object, not a text", "j cannot: its envFile is not read: put the variables into env"}},
		"one name twice": {`{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"},"b":{"command":"z"}}}`, []string{"a cannot: two servers have this name", "b: z"}},
		"no servers":     {`{"mcpServers":{}}`, nil},
		"a server.json": {`{"name":"io.github.x/y","remotes":[{"type":"streamable-http","url":"https://{tenant}.h/mcp","variables":{"tenant":{"isRequired":true}},"headers":[{"name":"X-Api-Key","isRequired":true,"isSecret":true},{"name":"X-Opt"},{"name":"X-V","value":"v {tenant}","variables":{"tenant":{}}}]},
			{"type":"sse","url":"https://h/sse","headers":[{"name":"Need","isRequired":true,"description":"a key"}]}],
			"packages":[{"registryType":"npm","identifier":"@x/y","version":"1.0.0"},{"registryType":"pypi","registryBaseUrl":"https://index.example/","identifier":"y","version":"2"},{"registryType":"oci","identifier":"docker.example/x:1"},{"registryType":"npm","identifier":"x@1"},{}]}`,
			[]string{"remote-1: streamable-http https://acme.h/mcp X-Api-Key=xyz X-V=v acme secret xyz", "remote-2 cannot: it wants Need: give --input Need=VALUE (a key)",
				"package-1: package npm:@x/y@1.0.0 io.github.x/y", "package-2: package pypi:y==2 io.github.x/y https://index.example", `package-3: skip there is no metadata to audit for packages of type "oci"`,
				`package-4 cannot: its identifier "x@1" holds a version`, "package-5 cannot: it has no registryType"}},
		"a server.json as the registry answers": {`{"server":{"name":"a/b","remotes":[{"type":"sse","url":"https://h"}]},"_meta":{}}`, []string{"remote-1: sse https://h"}},
	} {
		t.Run(name, func(t *testing.T) {
			servers, err := Parse([]byte(c.text), around())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range servers {
				got = append(got, shown(s))
			}
			// The registry's usual address is the library's; only another one is told.
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":               "it is no JSON",
		"{":              "it is no JSON",
		"[]":             "it is no JSON object",
		`{"servers":[]}`: ErrNone.Error(),
		`{"a":1}`:        ErrNone.Error(),
	} {
		_, err := Parse([]byte(text), around())
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Parse([]byte(`{}`), around()); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","args":["${input:y}"]}}}`))
	f.Add([]byte(`{"remotes":[{"url":"{a}","variables":{"a":{"value":"{a}","variables":{"a":{}}}}}],"packages":[{"registryType":"npm","identifier":"x"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		servers, err := Parse(text, around())
		for _, s := range servers {
			if err == nil && s.Err == nil && s.Skip == "" && (s.URL == "") == (len(s.Command) == 0) && s.Package == nil {
				t.Errorf("%q is neither one thing nor an error: %+v", s.Name, s)
			}
		}
	})
}
