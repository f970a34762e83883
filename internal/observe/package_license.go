package observe

import (
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Kinds of licence declarations.
const (
	LicenseSPDX         = "spdx"         // an SPDX licence expression
	LicenseFile         = "file"         // a file of the package holds it
	LicenseClassifier   = "classifier"   // a trove classifier names it
	LicenseNone         = "none-granted" // npm's word for a package that nobody may use
	LicenseUnrecognised = "unrecognised" // something is declared that no list knows
)

// License is what a package says about its licence.
type License struct {
	Declared
	Kind       string // empty when nothing is declared
	Expression string // the SPDX expression in its usual spelling, for Kind LicenseSPDX
}

// npmLicense reads the license member in each of the forms that npm ever defined: an expression, an object with a type, a list of either.
func npmLicense(f Field) License {
	var names []string
	add := func(v jsondoc.Value) {
		if v.IsObject() {
			v = v.Get("type")
		}
		if s := clean(v); s != "" {
			names = append(names, s)
		}
	}
	if f.IsArray() {
		for _, e := range f.Elements() {
			add(e.Value)
		}
	} else {
		add(f.Value)
	}
	return license(strings.Join(names, " OR "), f)
}

// pypiLicense reads the places in which a project can declare its licence, the most precise one first (PEP 639): the expression, the old
// free text, the classifiers, the names of licence files.
func pypiLicense(info Field) License {
	for _, name := range []string{"license_expression", "license"} {
		if f := within(info, name); clean(f.Value) != "" {
			return license(clean(f.Value), f)
		}
	}
	classifiers := within(info, "classifiers")
	for i, e := range classifiers.Elements() {
		if rest, ok := strings.CutPrefix(clean(e.Value), "License :: "); ok {
			parts := strings.Split(rest, " :: ")
			return License{Declared{parts[len(parts)-1], Field{e.Value, classifiers.Step, classifiers.Pointer.Index(i)}}, LicenseClassifier, ""}
		}
	}
	if files := within(info, "license_files"); files.IsArray() {
		for i, e := range files.Elements() {
			if name := clean(e.Value); name != "" {
				return License{Declared{name, Field{e.Value, files.Step, files.Pointer.Index(i)}}, LicenseFile, ""}
			}
		}
	}
	return License{Declared: Declared{Place: within(info, "license_expression")}}
}

func license(text string, place Field) License {
	l := License{Declared: Declared{text, place}}
	upper := strings.ToUpper(text)
	switch {
	case text == "":
	case upper == "UNLICENSED":
		l.Kind = LicenseNone
	case strings.HasPrefix(upper, "SEE LICEN"):
		l.Kind = LicenseFile
	default:
		l.Kind = LicenseUnrecognised
		if expression, ok := spdx(text); ok {
			l.Kind, l.Expression = LicenseSPDX, expression
		}
	}
	return l
}

const maxExpression = 300 // bytes; a longer text is a licence, not the name of one

// spdx returns an SPDX licence expression in its usual spelling.
func spdx(text string) (expression string, ok bool) {
	if len(text) > maxExpression {
		return "", false
	}
	defer func() {
		if recover() != nil { // a parser of others', fed by strangers
			expression, ok = "", false
		}
	}()
	valid, invalid := spdxexp.ValidateAndNormalizeLicensesWithOptions([]string{text}, spdxexp.ValidateLicensesOptions{})
	if len(invalid) > 0 || len(valid) != 1 {
		return "", false
	}
	return valid[0], true
}
