package testserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// behaviours maps the name of each stdio server to what it does. Those with a catalog take the file of one as their last argument.
var behaviours = map[string]func(args []string) error{
	// The one that does everything right. [CATALOG]
	"server": func(args []string) error { return variant(args, nil, nil) },

	// Answers calls of tools, see calls.go. [CATALOG]
	"caller": caller,

	// Lines end with CR LF.
	"crlf": func(args []string) error {
		return variant(args, nil, func(answer []byte, out *bufio.Writer) { fmt.Fprintf(out, "%s\r\n", answer) })
	},
	// A byte-order mark stands before the first message.
	"bom": func(args []string) error {
		os.Stdout.WriteString("\xef\xbb\xbf")
		return variant(args, nil, nil)
	},
	// Log lines of several kinds stand between the messages on standard output.
	"chatty": func(args []string) error {
		fmt.Println("Starting server...")
		return variant(args, func(message []byte, out *bufio.Writer) bool {
			out.WriteString("[INFO] request received\n\n")
			out.WriteString(`{"level":30,"method":"GET","error":"none"}` + "\n")
			out.WriteString("{not json\n\x00\xff\xfe\n")
			return false
		}, nil)
	},
	// Pretty-printed JSON stands between the messages.
	"pretty-noise": func(args []string) error {
		return variant(args, func(message []byte, out *bufio.Writer) bool {
			out.WriteString("{\n  \"level\": \"info\",\n  \"data\": [\n    {\n      \"id\": 1,\n      \"result\": {}\n    }\n  ]\n}\n")
			return false
		}, nil)
	},
	// Answers are pretty-printed over many lines, which the transport forbids.
	"pretty-answers": func(args []string) error {
		return variant(args, nil, func(answer []byte, out *bufio.Writer) {
			var b bytes.Buffer
			_ = json.Indent(&b, answer, "", "  ") // answers are valid JSON
			fmt.Fprintf(out, "%s\n", b.Bytes())
		})
	},
	// Answers come without a line end.
	"no-line-end": func(args []string) error {
		return variant(args, nil, func(answer []byte, out *bufio.Writer) { out.Write(answer) })
	},
	// Each answer is a batch of one.
	"batch": func(args []string) error {
		return variant(args, nil, func(answer []byte, out *bufio.Writer) { fmt.Fprintf(out, "[%s]\n", answer) })
	},
	// 256 KiB go to standard error before the first answer.
	"stderr-flood": func(args []string) error {
		line := strings.Repeat("debug ", 21) + "\n"
		for n := 0; n < 256<<10; n += len(line) {
			fmt.Fprint(os.Stderr, line)
		}
		return variant(args, nil, nil)
	},
	// Progress goes to standard error for a while before it serves. DURATION [CATALOG]
	"slow-start": func(args []string) error {
		d, err := time.ParseDuration(argument(args, "200ms"))
		if err != nil {
			return err
		}
		for i := range 4 {
			fmt.Fprintf(os.Stderr, "installing %d%%\r", 25*i)
			time.Sleep(d / 4)
		}
		fmt.Fprintln(os.Stderr, "installed")
		return variant(args[min(len(args), 1):], nil, nil)
	},
	// It reads and never prints.
	"silent": func([]string) error {
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	},
	// It neither reads nor prints.
	"never-reads": func([]string) error { return sleep() },
	// It closes its standard input, says so and lives on.
	"closes-stdin": func([]string) error {
		os.Stdin.Close()
		fmt.Println("standard input is closed")
		return sleep()
	},
	// It ends at once with text on standard error. [EXIT CODE [TEXT]]
	"exits": func(args []string) error {
		code, err := strconv.Atoi(argument(args, "3"))
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):")
		fmt.Fprintln(os.Stderr, `  File "server.py", line 1, in <module>`)
		fmt.Fprintln(os.Stderr, argument(args[min(len(args), 1):], "ModuleNotFoundError: No module named 'weather'"))
		exit(code)
		return nil
	},
	// It ends without a word on the first message that is no valid request.
	"exits-on-malformed": func(args []string) error {
		return variant(args, func(message []byte, out *bufio.Writer) bool {
			var r request
			if json.Unmarshal(message, &r) != nil {
				out.Flush()
				exit(70)
			}
			return false
		}, nil)
	},
	// tools/list is answered with one line of BYTES bytes, streamed. Its id comes first, or last with the second argument "last".
	"long-line": func(args []string) error {
		size, err := strconv.Atoi(argument(args, "5000000"))
		if err != nil {
			return err
		}
		last := len(args) > 1 && args[1] == "last"
		return variant(nil, func(message []byte, out *bufio.Writer) bool {
			if !isMethod(message, "tools/list") {
				return false
			}
			var r request
			_ = json.Unmarshal(message, &r) // the id stays empty and nobody finds the answer
			if last {
				writeLongLine(out, `{"result":{"tools":[],"filler":"`, `"},"id":`+string(r.ID)+`,"jsonrpc":"2.0"}`, size)
			} else {
				writeLongLine(out, `{"jsonrpc":"2.0","id":`+string(r.ID)+`,"result":{"tools":[],"filler":"`, `"}}`, size)
			}
			return true
		}, nil)
	},
	// Ids come back as strings.
	"string-ids": func(args []string) error {
		return rewriteIDs(args, func(id json.RawMessage) string { return strconv.Quote(strings.Trim(string(id), `"`)) })
	},
	// Errors come back without their id.
	"null-ids": func(args []string) error {
		return variant(args, nil, func(answer []byte, out *bufio.Writer) {
			var r struct {
				Error json.RawMessage `json:"error"`
			}
			if json.Unmarshal(answer, &r) == nil && r.Error != nil {
				answer = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":%s}`, r.Error)
			}
			fmt.Fprintf(out, "%s\n", answer)
		})
	},
	// Each answer comes twice.
	"answers-twice": func(args []string) error {
		return variant(args, nil, func(answer []byte, out *bufio.Writer) { fmt.Fprintf(out, "%s\n%s\n", answer, answer) })
	},
	// Listings are held back until COUNT of them came, then answered the last first.
	"reversed": func(args []string) error {
		count, err := strconv.Atoi(argument(args, "4"))
		if err != nil {
			return err
		}
		p, err := newPipeline(args[min(len(args), 1):])
		if err != nil {
			return err
		}
		var held [][]byte
		p.before = func(message []byte, out *bufio.Writer) bool {
			if !bytes.Contains(message, []byte(`/list"`)) {
				return false
			}
			if held = append(held, message); len(held) == count {
				for i := range held {
					p.print(p.session.Answer(held[len(held)-1-i]), out)
				}
				held = nil
			}
			return true
		}
		return p.serve()
	},
	// A ping and a notification come before the answer to initialize, which waits until the ping was answered.
	"early-traffic": func(args []string) error {
		p, err := newPipeline(args)
		if err != nil {
			return err
		}
		var held []byte
		p.before = func(message []byte, out *bufio.Writer) bool {
			switch {
			case isMethod(message, "initialize"):
				held = message
				out.WriteString(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"warming up"}}` + "\n")
				out.WriteString(`{"jsonrpc":"2.0","id":"s1","method":"ping"}` + "\n")
				return true
			case held != nil && bytes.Contains(message, []byte(`"s1"`)) && bytes.Contains(message, []byte(`"result"`)):
				p.print(p.session.Answer(held), out)
				held = nil
				return true
			}
			return false
		}
		return p.serve()
	},
	// A notification is printed before anything was asked.
	"speaks-first": func(args []string) error {
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hello"}}`)
		return variant(args, nil, nil)
	},
	// Requests before initialize get no answer.
	"ignores-early": func(args []string) error {
		ready := false
		return variant(args, func(message []byte, out *bufio.Writer) bool {
			ready = ready || isMethod(message, "initialize")
			return !ready
		}, nil)
	},
	// A grandchild is started that sleeps and holds all pipes; its process id is written to FILE. FILE [CATALOG]
	"grandchild": func(args []string) error {
		if err := spawnSleeper(args); err != nil {
			return err
		}
		return variant(args[1:], nil, nil)
	},
	// As grandchild, but then it ends at once.
	"orphans": func(args []string) error { return spawnSleeper(args) },
	// As grandchild, but the grandchild cannot be asked to end.
	"stubborn-grandchild": func(args []string) error {
		if err := spawn(args, "stubborn"); err != nil {
			return err
		}
		return variant(args[1:], nil, nil)
	},
	// Its environment is the result of every request.
	"environment": func(args []string) error {
		return rewrite(args, func(r request) []byte { return rpcResult(r.ID, mustJSON(environment())) })
	},
	// Neither the end of standard input nor SIGTERM ends it; its process id is written to FILE, when one is named.
	"stubborn": func(args []string) error {
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		if err := writePID(args, os.Getpid()); err != nil {
			return err
		}
		return sleep()
	},
	// It serves, and lives on when its standard input ends.
	"lingers": func(args []string) error {
		if err := variant(args, nil, nil); err != nil {
			return err
		}
		return sleep()
	},
	// It closes its standard output and lives on.
	"closes-stdout": func([]string) error {
		os.Stdout.Close()
		return sleep()
	},
	// It sleeps for longer than any test.
	"sleeper": func([]string) error { return sleep() },
}

func variant(args []string, before func([]byte, *bufio.Writer) bool, write func([]byte, *bufio.Writer)) error {
	p, err := newPipeline(args)
	if err != nil {
		return err
	}
	p.before, p.write = before, write
	return p.serve()
}

// rewrite answers every request itself.
func rewrite(args []string, answer func(request) []byte) error {
	return variant(args, func(message []byte, out *bufio.Writer) bool {
		var r request
		if json.Unmarshal(message, &r) != nil || len(r.ID) == 0 || r.Method == "" {
			return false
		}
		fmt.Fprintf(out, "%s\n", answer(r))
		return true
	}, nil)
}

func rewriteIDs(args []string, change func(json.RawMessage) string) error {
	return variant(args, nil, func(answer []byte, out *bufio.Writer) {
		var members map[string]json.RawMessage
		if json.Unmarshal(answer, &members) == nil && members["id"] != nil {
			members["id"] = json.RawMessage(change(members["id"]))
			answer = mustJSON(members)
		}
		fmt.Fprintf(out, "%s\n", answer)
	})
}

// writeLongLine writes one line of about size bytes without ever holding it.
func writeLongLine(out *bufio.Writer, before, after string, size int) {
	filler := bytes.Repeat([]byte("x"), 64<<10)
	out.WriteString(before)
	for rest := size - len(before) - len(after); rest > 0; rest -= len(filler) {
		out.Write(filler[:min(rest, len(filler))])
	}
	out.WriteString(after)
	out.WriteByte('\n')
}

func spawnSleeper(args []string) error { return spawn(args, "sleeper") }

// spawn starts a process of the same group with another behaviour, which inherits all three streams.
func spawn(args []string, behaviour string) error {
	if len(args) == 0 {
		return fmt.Errorf("a file for the process id is needed")
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, marker, behaviour)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	return writePID(args, cmd.Process.Pid)
}

func writePID(args []string, pid int) error {
	if len(args) == 0 {
		return nil
	}
	return os.WriteFile(args[0], []byte(strconv.Itoa(pid)), 0o600)
}

// sleep lasts longer than any test but not for ever, should a test fail to end it.
func sleep() error {
	time.Sleep(2 * time.Minute)
	return nil
}
