package jsondoc

import (
	"strconv"
	"strings"
)

// Pointer is a JSON Pointer (RFC 6901). The empty Pointer is the whole document.
type Pointer string

var escapeName = strings.NewReplacer("~", "~0", "/", "~1")
var unescapeName = strings.NewReplacer("~1", "/", "~0", "~")

// Child returns the pointer to a member of the object that p points to.
func (p Pointer) Child(name string) Pointer { return p + "/" + Pointer(escapeName.Replace(name)) }

// Index returns the pointer to an element of the array that p points to.
func (p Pointer) Index(i int) Pointer { return p + "/" + Pointer(strconv.Itoa(i)) }

// Names returns the unescaped reference tokens of p.
func (p Pointer) Names() []string {
	if p == "" {
		return nil
	}
	names := strings.Split(strings.TrimPrefix(string(p), "/"), "/")
	for i, n := range names {
		names[i] = unescapeName.Replace(n)
	}
	return names
}
