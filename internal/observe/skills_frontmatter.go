package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Frontmatter is the YAML block at the head of a SKILL.md.
type Frontmatter struct {
	// Header is the block with its delimiter lines, Body what follows it, in the text with its line ends made LF.
	Header, Body string
	// JSON is the block as JSON, plain scalars read by YAML 1.1: JSON null for an empty block.
	JSON jsondoc.Value
	root *yaml.Node
}

const (
	maxFrontmatter = 64 << 10 // bytes
	maxNesting     = 32       // collections within each other
)

// SplitFrontmatter cuts a SKILL.md into the block between the two lines of hyphens, with those lines, and the body. ok is false when the
// text does not begin with such a block; all of it is then body.
func SplitFrontmatter(text string) (header, body string, ok bool) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for start, n := 0, 0; start < len(text); n++ {
		end := strings.IndexByte(text[start:], '\n')
		next := start + end + 1
		if end < 0 {
			end, next = len(text)-start, len(text)
		}
		fence := strings.TrimRight(text[start:start+end], " \t") == "---"
		if n == 0 && !fence {
			break
		}
		if n > 0 && fence {
			return text[:next], text[next:], true
		}
		start = next
	}
	return "", text, false
}

// ErrFrontmatterLimit marks a frontmatter that may be proper YAML and is not read, for it comes from a stranger: one with aliases, more than
// 32 collections within each other, or above 64 KiB.
var ErrFrontmatterLimit = errors.New("not read")

// ParseFrontmatter reads the frontmatter of a SKILL.md.
func ParseFrontmatter(text string) (Frontmatter, error) {
	header, body, ok := SplitFrontmatter(text)
	if !ok {
		return Frontmatter{Body: body}, errors.New("the file does not begin with a block between two lines of three hyphens")
	}
	f := Frontmatter{Header: header, Body: body}
	if len(header) > maxFrontmatter {
		return f, fmt.Errorf("the block is larger than %d bytes: %w", maxFrontmatter, ErrFrontmatterLimit)
	}
	lines := strings.Split(strings.TrimSuffix(header, "\n"), "\n")
	dec := yaml.NewDecoder(strings.NewReader(strings.Join(lines[1:len(lines)-1], "\n") + "\n"))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return f, errors.New("the block is no YAML: " + clip(strings.TrimPrefix(err.Error(), "yaml: "), 120))
	}
	if doc.Kind != 0 {
		if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
			return f, errors.New("the block holds more than one YAML document")
		}
		f.root = doc.Content[0]
	}
	var b bytes.Buffer
	if err := writeYAML(&b, f.root, 0); err != nil {
		return f, err
	}
	v, _, err := jsondoc.Parse(b.Bytes())
	if err != nil {
		return f, fmt.Errorf("the block has no JSON form: %w", err)
	}
	f.JSON = v
	return f, nil
}

// writeYAML writes a node as JSON. A repeated key keeps its last value, keys are written as they stand.
func writeYAML(b *bytes.Buffer, n *yaml.Node, depth int) error {
	if n == nil {
		b.WriteString("null")
		return nil
	}
	if depth > maxNesting {
		return fmt.Errorf("the block nests more than %d collections: %w", maxNesting, ErrFrontmatterLimit)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return fmt.Errorf("the block uses an alias: %w", ErrFrontmatterLimit)
	case yaml.ScalarNode:
		if _, err := scalarTag(n); err != nil {
			return err
		}
		b.Write(scalarJSON(n, yaml11))
		return nil
	case yaml.SequenceNode:
		if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!seq" {
			return fmt.Errorf("the block uses the tag %s", clip(n.Tag, 40))
		}
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeYAML(b, c, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case yaml.MappingNode:
		if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!map" {
			return fmt.Errorf("the block uses the tag %s", clip(n.Tag, 40))
		}
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode {
				return errors.New("a key of the block is no scalar")
			}
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(jsonString(key.Value))
			b.WriteByte(':')
			if err := writeYAML(b, n.Content[i+1], depth+1); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	}
	return errors.New("the block holds an unknown kind of node")
}

// Matches reports whether the block says the same as a listed frontmatter. The specification names no YAML version, so a plain scalar may
// be read by YAML 1.1 or 1.2, and a timestamp may be written in any ISO form of the same moment.
func (f Frontmatter) Matches(listed jsondoc.Value) bool {
	if f.root == nil {
		return listed.Kind() == jsondoc.Null
	}
	return sameYAML(f.root, listed)
}

func sameYAML(n *yaml.Node, v jsondoc.Value) bool {
	switch n.Kind {
	case yaml.SequenceNode:
		if !v.IsArray() || v.Len() != len(n.Content) {
			return false
		}
		for i, c := range n.Content {
			if !sameYAML(c, v.At(i)) {
				return false
			}
		}
		return true
	case yaml.MappingNode:
		last := map[string]*yaml.Node{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			last[n.Content[i].Value] = n.Content[i+1]
		}
		if !v.IsObject() || v.Len() != len(last) {
			return false
		}
		for _, m := range v.Members() {
			c, ok := last[m.Name]
			if !ok || !sameYAML(c, m.Value) {
				return false
			}
		}
		return true
	}
	for _, read := range []scalarReading{yaml11, yaml12} {
		if want, _, err := jsondoc.Parse(scalarJSON(n, read)); err == nil && jsondoc.Equal(want, v) {
			return true
		}
	}
	return sameMoment(n, v)
}

// scalarReading tells how an untagged plain scalar is read.
type scalarReading func(plain string) []byte

const quotedStyles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

func scalarTag(n *yaml.Node) (string, error) {
	if n.Style&yaml.TaggedStyle == 0 {
		return "", nil
	}
	switch n.Tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!":
		return n.Tag, nil
	}
	return "", fmt.Errorf("the block uses the tag %s", clip(n.Tag, 40))
}

func scalarJSON(n *yaml.Node, read scalarReading) []byte {
	if n.Style&quotedStyles != 0 || n.Style&yaml.TaggedStyle != 0 && (n.Tag == "!!str" || n.Tag == "!") {
		return jsonString(n.Value)
	}
	return read(n.Value)
}

func jsonString(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Plain scalars of YAML 1.1 (type repository) as its usual implementations read them, and of the core schema of YAML 1.2.
var (
	float11   = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$`)
	sixty11   = regexp.MustCompile(`^([-+]?)([1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	int11     = regexp.MustCompile(`^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$`)
	int12     = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	float12   = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	timestamp = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d*))?(?:[ \t]*(Z|[-+]\d{1,2}(?::?\d{2})?))?)?$`)
)

func yaml11(plain string) []byte {
	switch plain {
	case "", "~", "null", "Null", "NULL":
		return []byte("null")
	case "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return []byte("true")
	case "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return []byte("false")
	}
	if int11.MatchString(plain) {
		digits := strings.ReplaceAll(plain, "_", "")
		sign, rest := "", strings.TrimLeft(digits, "+-")
		if strings.HasPrefix(digits, "-") {
			sign = "-"
		}
		base := 10
		switch {
		case strings.HasPrefix(rest, "0b"):
			base, rest = 2, rest[2:]
		case strings.HasPrefix(rest, "0x"):
			base, rest = 16, rest[2:]
		case len(rest) > 1 && rest[0] == '0':
			base, rest = 8, rest[1:]
		}
		if n, ok := new(big.Int).SetString(sign+rest, base); ok {
			return []byte(n.String())
		}
	}
	if m := sixty11.FindStringSubmatch(plain); m != nil {
		total := new(big.Int)
		for part := range strings.SplitSeq(strings.ReplaceAll(m[2], "_", ""), ":") {
			n, _ := new(big.Int).SetString(part, 10)
			total.Add(total.Mul(total, big.NewInt(60)), n)
		}
		if m[1] == "-" {
			total.Neg(total)
		}
		return []byte(total.String())
	}
	if float11.MatchString(plain) {
		if number := floatJSON(strings.ReplaceAll(plain, "_", "")); number != nil {
			return number
		}
	}
	if t, ok := isoTimestamp(plain); ok {
		return jsonString(t)
	}
	return jsonString(plain)
}

func yaml12(plain string) []byte {
	switch plain {
	case "", "~", "null", "Null", "NULL":
		return []byte("null")
	case "true", "True", "TRUE":
		return []byte("true")
	case "false", "False", "FALSE":
		return []byte("false")
	}
	if int12.MatchString(plain) {
		base, digits := 10, plain
		switch {
		case strings.HasPrefix(plain, "0o"):
			base, digits = 8, plain[2:]
		case strings.HasPrefix(plain, "0x"):
			base, digits = 16, plain[2:]
		}
		if n, ok := new(big.Int).SetString(digits, base); ok {
			return []byte(n.String())
		}
	}
	if float12.MatchString(plain) {
		if number := floatJSON(plain); number != nil {
			return number
		}
	}
	return jsonString(plain)
}

func floatJSON(s string) []byte {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64)
}

// isoTimestamp writes a YAML timestamp in ISO 8601, its offset kept.
func isoTimestamp(plain string) (string, bool) {
	m := timestamp.FindStringSubmatch(plain)
	if m == nil {
		return "", false
	}
	pad := func(s string) string { return strings.Repeat("0", 2-len(s)) + s }
	out := m[1] + "-" + pad(m[2]) + "-" + pad(m[3])
	if _, err := time.Parse(time.DateOnly, out); err != nil {
		return "", false
	}
	if m[4] == "" {
		return out, true
	}
	out += "T" + pad(m[4]) + ":" + m[5] + ":" + m[6]
	if fraction := (m[7] + "000000")[:6]; fraction != "000000" {
		out += "." + fraction
	}
	switch zone := m[8]; {
	case zone == "Z":
		out += "+00:00"
	case zone != "":
		hours, minutes, found := strings.Cut(zone[1:], ":")
		if !found && len(hours) > 2 {
			hours, minutes = hours[:len(hours)-2], hours[len(hours)-2:]
		}
		if minutes == "" {
			minutes = "00"
		}
		out += zone[:1] + pad(hours) + ":" + minutes
	}
	return out, true
}

// sameMoment compares a YAML timestamp with a listed string that writes the same moment in another ISO form. Without an offset it is UTC.
func sameMoment(n *yaml.Node, v jsondoc.Value) bool {
	listed, ok := v.Text()
	if !ok || n.Kind != yaml.ScalarNode || n.Style&quotedStyles != 0 {
		return false
	}
	plain, ok := isoTimestamp(n.Value)
	if !ok {
		return false
	}
	a, okA := moment(plain)
	b, okB := moment(listed)
	return okA && okB && a.Equal(b)
}

func moment(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
