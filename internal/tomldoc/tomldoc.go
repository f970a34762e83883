// Package tomldoc reads TOML documents into an ordered tree in which every key and value knows its line, for readers that want to say
// where something is wrong. What the keys mean does not belong here.
package tomldoc

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// MaxSize is the largest document that Parse reads, in bytes.
const MaxSize = 1 << 20

// Kind is the type of a value.
type Kind string

// The kinds, named as messages name them.
const (
	String Kind = "a string"
	Number Kind = "a whole number"
	Float  Kind = "a number with a fraction"
	Bool   Kind = "a boolean"
	Date   Kind = "a date"
	Array  Kind = "an array"
	Table  Kind = "a table"
)

// Value is a node of the tree.
type Value struct {
	Kind     Kind
	Line     int       // from 1
	Text     string    // of a String
	Number   int64     // of a Number
	Bool     bool      // of a Bool
	Date     time.Time // of a Date, midnight UTC; a time of day is not kept
	Elements []*Value  // of an Array
	Members  []*Member // of a Table, in the order of the document
}

// Member is one key of a table.
type Member struct {
	Key   string
	Line  int
	Value *Value
}

// Get returns a member of a table, nil when there is none.
func (v *Value) Get(key string) *Member {
	if v == nil {
		return nil
	}
	for _, m := range v.Members {
		if m.Key == key {
			return m
		}
	}
	return nil
}

// Error is what is wrong with a document, and in which line (0 when it concerns the whole).
type Error struct {
	Line int
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

// Parse reads a document. The error is always an [*Error].
func Parse(text []byte) (*Value, error) {
	if len(text) > MaxSize {
		return nil, &Error{Text: fmt.Sprintf("larger than %d bytes", MaxSize)}
	}
	if !utf8.Valid(text) {
		return nil, &Error{Line: badLine(text), Text: "not UTF-8"}
	}
	// The decoder finds what the grammar alone does not: keys given twice, tables opened again.
	var whole map[string]any
	if err := toml.Unmarshal(text, &whole); err != nil {
		return nil, decodeError(err)
	}
	r := &reader{root: &Value{Kind: Table, Line: 1}}
	r.current = r.root
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		r.expression(r.parser.Expression())
	}
	if err := r.parser.Error(); err != nil {
		return nil, decodeError(err)
	}
	return r.root, nil
}

func decodeError(err error) error {
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ := decode.Position()
		return &Error{Line: line, Text: strings.TrimPrefix(decode.Error(), "toml: ")}
	}
	return &Error{Text: strings.TrimPrefix(err.Error(), "toml: ")}
}

func badLine(text []byte) int {
	line := 1
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		text = text[size:]
	}
	return line
}

type reader struct {
	parser  unstable.Parser
	root    *Value
	current *Value // the table that keys without a path go to
}

// part is one name of a dotted key.
type part struct {
	name string
	line int
}

func (r *reader) expression(n *unstable.Node) {
	switch n.Kind {
	case unstable.Table:
		r.current = r.table(r.root, r.key(n.Key()))
	case unstable.ArrayTable:
		key := r.key(n.Key())
		last := key[len(key)-1]
		parent := r.table(r.root, key[:len(key)-1])
		m := parent.Get(last.name)
		if m == nil {
			m = &Member{Key: last.name, Line: last.line, Value: &Value{Kind: Array, Line: last.line}}
			parent.Members = append(parent.Members, m)
		}
		r.current = &Value{Kind: Table, Line: last.line}
		m.Value.Elements = append(m.Value.Elements, r.current)
	case unstable.KeyValue:
		r.assign(r.current, n)
	}
}

func (r *reader) assign(table *Value, n *unstable.Node) {
	key := r.key(n.Key())
	last := key[len(key)-1]
	table = r.table(table, key[:len(key)-1])
	table.Members = append(table.Members, &Member{Key: last.name, Line: last.line, Value: r.value(n.Value(), last.line)})
}

// table walks down from a table, making those that are missing. An array on the way stands for its last table.
func (r *reader) table(v *Value, path []part) *Value {
	for _, p := range path {
		m := v.Get(p.name)
		if m == nil {
			m = &Member{Key: p.name, Line: p.line, Value: &Value{Kind: Table, Line: p.line}}
			v.Members = append(v.Members, m)
		}
		v = m.Value
		if v.Kind == Array && len(v.Elements) > 0 {
			v = v.Elements[len(v.Elements)-1]
		}
	}
	return v
}

func (r *reader) key(it unstable.Iterator) []part {
	var parts []part
	for it.Next() {
		n := it.Node()
		parts = append(parts, part{string(n.Data), r.parser.Shape(n.Raw).Start.Line})
	}
	return parts
}

// value reads a value. Values that carry no place of their own stand in the line of their key.
func (r *reader) value(n *unstable.Node, line int) *Value {
	if n.Raw.Length > 0 {
		line = r.parser.Shape(n.Raw).Start.Line
	}
	v := &Value{Line: line}
	switch n.Kind {
	case unstable.String:
		v.Kind, v.Text = String, string(n.Data)
	case unstable.Bool:
		v.Kind, v.Bool = Bool, string(n.Data) == "true"
	case unstable.Integer:
		number, err := strconv.ParseInt(strings.ReplaceAll(string(n.Data), "_", ""), 0, 64)
		if err != nil {
			number = math.MaxInt64 // beyond every range that a reader accepts
		}
		v.Kind, v.Number = Number, number
	case unstable.Float:
		v.Kind = Float
	case unstable.LocalDate, unstable.LocalDateTime, unstable.DateTime:
		v.Kind = Date
		if day, err := time.Parse(time.DateOnly, string(n.Data[:min(len(n.Data), len(time.DateOnly))])); err == nil {
			v.Date = day
		}
	case unstable.Array:
		v.Kind = Array
		for it := n.Children(); it.Next(); {
			v.Elements = append(v.Elements, r.value(it.Node(), line))
		}
	case unstable.InlineTable:
		v.Kind = Table
		for it := n.Children(); it.Next(); {
			r.assign(v, it.Node())
		}
	default:
		v.Kind = Kind("a value of another type")
	}
	return v
}
