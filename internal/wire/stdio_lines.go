package wire

import (
	"bufio"
	"bytes"
	"io"
	"time"
)

// line is one line of a server's standard output without its end.
type line struct {
	text  []byte    // owned by the receiver; only the beginning when cut
	tail  []byte    // the end of a line that was cut
	size  int64     // bytes of the whole line, its end included
	cut   bool      // the line was longer than the reader keeps
	crlf  bool      // it ended with CR LF
	began time.Time // when its first byte arrived
}

// lineReader splits a stream into lines of any length with bounded memory: of a line above max only keep bytes of its beginning and
// maxLineTail of its end survive.
type lineReader struct {
	src  *stampedReader
	buf  *bufio.Reader
	max  int64
	keep int
}

const (
	lineChunk   = 64 << 10
	maxLineTail = 1 << 10
)

// newLineReader reads lines from r. arrived, when not nil, is told about each piece of data as it comes.
func newLineReader(r io.Reader, max int64, keep int, arrived func(at time.Time, piece []byte)) *lineReader {
	src := &stampedReader{r: r, arrived: arrived}
	return &lineReader{src: src, buf: bufio.NewReaderSize(src, lineChunk), max: max, keep: keep}
}

// next returns the next line; ok is false at the end of the stream. What follows the last line end counts as a line.
func (r *lineReader) next() (l line, ok bool) {
	if r.buf.Buffered() > 0 {
		l.began = r.src.last
	}
	var chunks [][]byte
	for {
		piece, err := r.buf.ReadSlice('\n')
		if l.began.IsZero() && len(piece) > 0 {
			l.began = r.src.first
		}
		l.size += int64(len(piece))
		switch {
		case l.cut:
			end := lastBytes(piece, maxLineTail)
			l.tail = append(lastBytes(l.tail, maxLineTail-len(end)), end...)
		case l.size > r.max:
			l.cut = true
			l.text = bytes.Clone(firstBytes(bytes.Join(append(chunks, piece), nil), r.keep))
			l.tail = bytes.Clone(lastBytes(piece, maxLineTail))
			chunks = nil
		default:
			chunks = append(chunks, bytes.Clone(piece))
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		r.src.first = time.Time{}
		if l.size == 0 {
			return line{}, false
		}
		if !l.cut {
			l.text = chunks[0]
			if len(chunks) > 1 {
				l.text = bytes.Join(chunks, nil)
			}
			l.crlf = bytes.HasSuffix(l.text, []byte("\r\n"))
			l.text = bytes.TrimRight(l.text, "\r\n")
		}
		return l, true
	}
}

// stampedReader remembers when data arrived: first since it was last reset to zero, and last.
type stampedReader struct {
	r           io.Reader
	first, last time.Time
	arrived     func(at time.Time, piece []byte)
}

func (r *stampedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if n > 0 {
		r.last = time.Now()
		if r.first.IsZero() {
			r.first = r.last
		}
		if r.arrived != nil {
			r.arrived(r.last, p[:n])
		}
	}
	return n, err
}

func firstBytes(b []byte, n int) []byte { return b[:min(len(b), n)] }

func lastBytes(b []byte, n int) []byte { return b[max(0, len(b)-n):] }
