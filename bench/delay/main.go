// Command delay stands between an auditor and a server, holds every byte back for a while in each direction, as a distant network would,
// and counts what the auditor asks.
//
//	delay [-each-way 50ms] [-handshake] [-log FILE] -port PORT        TCP: listens on PORT+1000 of 127.0.0.1, for a server on PORT
//	delay [-each-way 50ms] [-log FILE] -- COMMAND [ARG...]            stdio: is the server, and starts the real one
//
// With -handshake a new connection's first bytes wait for one more round trip, as for the handshake of TCP. When it ends it adds a line
// to FILE: "connections N requests N", where requests are those of HTTP over TCP, and messages over stdio.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

func main() {
	eachWay := flag.Duration("each-way", 50*time.Millisecond, "how long a byte is held back in each direction")
	handshake := flag.Bool("handshake", false, "hold the first bytes of a connection back for one more round trip")
	log := flag.String("log", "", "`file` to add a line with the counts to")
	port := flag.Int("port", 0, "`port` of the server; the one to ask is 1000 above")
	flag.Parse()
	var counts counter
	code, err := 0, error(nil)
	switch {
	case *port > 0 && flag.NArg() == 0:
		err = overTCP(*port, *eachWay, *handshake, &counts)
	case *port == 0 && flag.NArg() > 0:
		code, err = overStdio(flag.Args(), *eachWay, &counts)
	default:
		flag.Usage()
		code = 2
	}
	if *log != "" && err == nil {
		err = appendLine(*log, counts.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "delay:", err)
		code = 1
	}
	os.Exit(code)
}

// overTCP forwards connections until it is told to end.
func overTCP(port int, eachWay time.Duration, handshake bool, counts *counter) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+1000)))
	if err != nil {
		return err
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	go func() { <-told; l.Close() }()
	extra := time.Duration(0)
	if handshake {
		extra = 2 * eachWay
	}
	err = forward(l, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), eachWay, extra, counts)
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// forward serves a listener, each connection with one of its own to the server.
func forward(l net.Listener, server string, eachWay, extra time.Duration, counts *counter) error {
	for {
		client, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer client.Close()
			conn, err := net.Dial("tcp", server)
			if err != nil {
				return
			}
			defer conn.Close()
			seen := counts.connection()
			back := make(chan struct{})
			go func() {
				defer close(back)
				hold(client, conn, eachWay, 0, nil)
				closeWrite(client)
			}()
			hold(conn, client, eachWay, extra, seen.http)
			closeWrite(conn)
			<-back
		}()
	}
}

// closeWrite passes the end of one direction on.
func closeWrite(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.CloseWrite() // the connection may be gone already
	}
}

// overStdio runs the server behind held-back pipes and returns its exit code.
func overStdio(command []string, eachWay time.Duration, counts *counter) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	go func() { _ = cmd.Process.Signal(<-told) }() // it may have ended
	seen := counts.connection()
	go func() {
		hold(in, os.Stdin, eachWay, 0, seen.lines)
		in.Close()
	}()
	hold(os.Stdout, out, eachWay, 0, nil)
	_ = cmd.Wait() // its exit code says it
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code, nil
	}
	return 143, nil // ended by a signal, as we were told to
}

// piece is what was read at once.
type piece struct {
	at   time.Time // when it may be passed on
	data []byte
}

// hold copies from r to w, each piece delayed, the first by extra more, until one of the two ends. See is shown every piece.
func hold(w io.Writer, r io.Reader, delay, extra time.Duration, see func([]byte)) {
	pieces := make(chan piece, 4096)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for p := range pieces {
			time.Sleep(time.Until(p.at))
			if _, err := w.Write(p.data); err != nil {
				return
			}
		}
	}()
	defer func() {
		close(pieces)
		<-gone
	}()
	first := time.Now().Add(delay + extra)
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			data := append([]byte(nil), buf[:n]...)
			if see != nil {
				see(data)
			}
			at := time.Now().Add(delay)
			if at.Before(first) {
				at = first
			}
			select {
			case pieces <- piece{at, data}:
			case <-gone:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func appendLine(name, line string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, line); err != nil {
		return err
	}
	return f.Close()
}
