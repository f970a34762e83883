package toolschema

import (
	"regexp"
	"testing"
)

func TestCheckPattern(t *testing.T) {
	for _, valid := range []string{
		``, `^[a-z]+$`, `a|b|`, `(?:a)(b)(?<n>c)\k<n>\1`, `(?=a)*(?!b)(?<=c)(?<!d)`, `(?i:a)(?-i:b)(?im-s:c)`, `[]`, `[^]`, `[a\]b]`, `[\w-]`, `[\w-z]`, `[-a]`, `[a-]`, `[--0]`, `]`, `}`, `{`, `a{`, `a{,3}`, `a{x}`,
		`a{2}`, `a{2,}?`, `a{2,3}`, `\/\-\_\@\ \#`, `\u{1F600}`, `\uD83D\uDE00`, `\u12`, `\x4`, `\cA`, `\c`, `\0\00\8`, `\p{L}\P{Script=Greek}\p{Emoji}`, `[\p{L}--[a-z]]`, `\k`, `\A\Z\z`, `(?<$a_1>x)`, `(?<a>x)|(?<a>y)`,
		`[[:alpha:]]`, `\d{4}-\d{2}`, "é\U0001F600", `^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$`,
	} {
		if err := CheckPattern(valid); err != nil {
			t.Errorf("%q: %v", valid, err)
		}
	}
	for _, invalid := range []string{
		`(`, `)`, `a)`, `[`, `[a`, `[z-a]`, `*`, `+a`, `?`, `a**`, `a+*`, `a{2}{3}`, `{2}`, `^*`, `\b+`, `(?<=a)*`, `a{3,2}`, `\`, `(?i)a`, `(?P<n>a)`, `(?>a)`, `(?#c)`, `(?<>a)`, `(?<1>a)`, `(?<n`, `(?<n>a)\k`, `(?<n>a)\k<m>`, `(?ii:a)`, `(?-:a)`, `a++`,
	} {
		if err := CheckPattern(invalid); err == nil {
			t.Errorf("%q is taken for a pattern", invalid)
		}
	}
}

func TestTranslation(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{`^a.c$`, []string{"abc", "a\U0001F600c"}, []string{"a\nc", "a\u2028c", "abc\n", "xabc"}},
		{`^\s+$`, []string{" \t\u00a0\ufeff\u3000"}, []string{"", "a", "\u200b"}},
		{`^[\d\s]+$`, []string{"1 \u00a02"}, []string{"x", "٣"}},
		{`^[^\w]$`, []string{"é", "-"}, []string{"a", "_"}},
		{`^\u0041\x42\t$`, []string{"AB\t"}, []string{"ab\t"}},
		{`^\uD83D\uDE00$`, []string{"\U0001F600"}, []string{"a"}},
		{`^[]$`, nil, []string{"", "a"}},
		{`^[^]$`, []string{"a", "\n"}, []string{""}},
		{`^[a\-z]$`, []string{"a", "-", "z"}, []string{"b"}},
		{`^a{2,3}?$`, []string{"aa", "aaa"}, []string{"a", "aaaa"}},
		{`^(a|b)|c$`, []string{"a1", "1c"}, []string{"1a"}},
		{`^\/\.\-x$`, []string{"/.-x"}, []string{"a.-x"}},
		{`^\p{Lu}$`, []string{"É"}, []string{"é"}},
		{`\bword\b`, []string{"a word"}, []string{"swords"}},
		{`^[.*+?()|{}^$-]$`, []string{".", "^", "-", "$"}, []string{"a"}},
	} {
		re := compilePattern(c.pattern)
		if re == nil {
			t.Errorf("%q was not translated", c.pattern)
			continue
		}
		for _, s := range c.yes {
			if !re.MatchString(s) {
				t.Errorf("%q (as %q) must match %q", c.pattern, re, s)
			}
		}
		for _, s := range c.no {
			if re.MatchString(s) {
				t.Errorf("%q (as %q) must not match %q", c.pattern, re, s)
			}
		}
	}
	for _, pattern := range []string{`(?=a)`, `(a)\1`, `\p{Script=Greek}`, `\uD83D`, `[\w-z]`, `(a{100}){100}`, `a{1001}`, `(?i:a)`, `\c1`} {
		if re := compilePattern(pattern); re != nil {
			t.Errorf("%q was translated to %q", pattern, re)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{`^[a-z\d]+$`, `(?<n>a)\k<n>`, `\u{41}[\]\\-a]`, `(?:a|b){2,3}?`, `[^\s\S]`, `\cA\0`, "[\xff]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		re2, ok, err := translate(source)
		if err != nil || !ok || len(source) > 200 {
			return
		}
		if re, err := regexp.Compile(re2); err == nil {
			re.MatchString(source)
		} else if compilePattern(source) != nil {
			t.Errorf("%q became %q: %v", source, re2, err)
		}
	})
}
