package tomldoc

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/spelling"
)

// Errorf is an error about a line.
func Errorf(line int, format string, args ...any) error {
	return &Error{Line: line, Text: fmt.Sprintf(format, args...)}
}

// In prefixes an error with the name of the file, as "file:line: text". Other errors than [*Error] stay as they are.
func In(source string, err error) error {
	e, ok := err.(*Error)
	switch {
	case !ok:
		return err
	case e.Line == 0:
		return fmt.Errorf("%s: %s", source, e.Text)
	}
	return fmt.Errorf("%s:%d: %s", source, e.Line, e.Text)
}

// Only refuses members of a table that have another key than these.
func (v *Value) Only(where string, keys ...string) error {
	for _, m := range v.Members {
		if !slices.Contains(keys, m.Key) {
			return Errorf(m.Line, "unknown key %q in %s%s", m.Key, where, OrOneOf(m.Key, keys))
		}
	}
	return nil
}

// OrOneOf ends a message about a word that is not known: it suggests the nearest one, or names all when none is near.
func OrOneOf(word string, words []string) string {
	if near := spelling.DidYouMean(word, words); near != "" {
		return near
	}
	return "; there are " + strings.Join(words, ", ")
}

// Members reads a table.
func (m *Member) Members() ([]*Member, error) {
	if m.Value.Kind != Table {
		return nil, Errorf(m.Line, "%s is %s, not a table", m.Key, m.Value.Kind)
	}
	return m.Value.Members, nil
}

// Tables reads an array of tables.
func (m *Member) Tables() ([]*Value, error) {
	if m.Value.Kind != Array {
		return nil, Errorf(m.Line, "%s is %s; write [[%s]] above each entry", m.Key, m.Value.Kind, m.Key)
	}
	for _, e := range m.Value.Elements {
		if e.Kind != Table {
			return nil, Errorf(e.Line, "an entry of %s is %s, not a table", m.Key, e.Kind)
		}
	}
	return m.Value.Elements, nil
}

// Text reads a string that is not blank, without blanks around it.
func (m *Member) Text() (string, error) {
	if m.Value.Kind != String {
		return "", Errorf(m.Value.Line, "%s is %s, not a string", m.Key, m.Value.Kind)
	}
	text := strings.TrimSpace(m.Value.Text)
	if text == "" {
		return "", Errorf(m.Value.Line, "%s is empty", m.Key)
	}
	return text, nil
}

// Texts reads an array of strings, or one string, that are not blank.
func (m *Member) Texts() ([]string, error) {
	if m.Value.Kind == String {
		text, err := m.Text()
		return []string{text}, err
	}
	if m.Value.Kind != Array {
		return nil, Errorf(m.Value.Line, "%s is %s, not an array of strings", m.Key, m.Value.Kind)
	}
	var texts []string
	for _, e := range m.Value.Elements {
		if e.Kind != String || strings.TrimSpace(e.Text) == "" {
			return nil, Errorf(e.Line, "an entry of %s is %s, or blank; it must be a string", m.Key, e.Kind)
		}
		texts = append(texts, strings.TrimSpace(e.Text))
	}
	return texts, nil
}

// Word reads one of a few words, in whatever case, and returns it in lower case.
func (m *Member) Word(words []string) (string, error) {
	if m.Value.Kind != String {
		return "", Errorf(m.Value.Line, "%s is %s, not one of %s", m.Key, m.Value.Kind, strings.Join(words, ", "))
	}
	word := strings.ToLower(m.Value.Text)
	if !slices.Contains(words, word) {
		return "", Errorf(m.Value.Line, "%s cannot be %q%s", m.Key, m.Value.Text, OrOneOf(word, words))
	}
	return word, nil
}

// Flag reads a boolean.
func (m *Member) Flag() (bool, error) {
	if m.Value.Kind != Bool {
		return false, Errorf(m.Value.Line, "%s is %s, not true or false", m.Key, m.Value.Kind)
	}
	return m.Value.Bool, nil
}

// Whole reads a whole number between two bounds, both inclusive.
func (m *Member) Whole(least, most int) (int, error) {
	if m.Value.Kind != Number || m.Value.Number < int64(least) || m.Value.Number > int64(most) {
		return 0, Errorf(m.Value.Line, "%s must be a whole number from %d to %d", m.Key, least, most)
	}
	return int(m.Value.Number), nil
}

// Day reads a date, as one of TOML's or as a string of the same form. It is midnight UTC.
func (m *Member) Day() (time.Time, error) {
	if m.Value.Kind == Date && !m.Value.Date.IsZero() {
		return m.Value.Date, nil
	}
	if m.Value.Kind == String {
		if day, err := time.Parse(time.DateOnly, m.Value.Text); err == nil {
			return day, nil
		}
	}
	return time.Time{}, Errorf(m.Value.Line, "%s must be a date such as 2027-01-31", m.Key)
}
