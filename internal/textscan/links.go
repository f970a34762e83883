package textscan

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxRendered bounds the HTML made of one piece of text: reference links can repeat a long address often.
const maxRendered = 256 << 10

// markdown reads CommonMark without extensions.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
})

// markdownHTML renders as goldmark does, raw HTML included, but keeps addresses as they were written.
var markdownHTML = sync.OnceValue(func() renderer.Renderer {
	return renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(linkRenderer{}, 100),
		util.Prioritized(gmhtml.NewRenderer(gmhtml.WithUnsafe()), 1000)))
})

// readLinks returns the links of a piece of CommonMark in document order.
func readLinks(text string) []link {
	source := []byte(text)
	doc := markdown().Parse(gmtext.NewReader(source))
	var out limitedBuilder
	err := markdownHTML().Render(&out, source, doc)
	if err != nil && !errors.Is(err, errRenderedTooLong) {
		return nil // writing to a string cannot fail otherwise
	}
	return htmlLinks(out.String(), "", true, 0)
}

var errRenderedTooLong = errors.New("rendered text too long")

// limitedBuilder keeps the first maxRendered bytes.
type limitedBuilder struct{ strings.Builder }

func (b *limitedBuilder) Write(p []byte) (int, error) {
	if room := maxRendered - b.Len(); len(p) > room {
		b.Builder.Write(p[:room])
		return room, errRenderedTooLong
	}
	return b.Builder.Write(p)
}

var _ io.Writer = (*limitedBuilder)(nil)

// linkRenderer writes addresses as they are; goldmark's own renderer percent-encodes them.
type linkRenderer struct{}

func (linkRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return writeTag(w, `<a href="`, n.(*ast.Link).Destination)
		}
		_, err := w.WriteString("</a>")
		return ast.WalkContinue, err
	})
	reg.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		status, err := writeTag(w, `<img src="`, n.(*ast.Image).Destination)
		if err == nil {
			status = ast.WalkSkipChildren // the alternative text links nothing
		}
		return status, err
	})
	reg.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		status, err := writeTag(w, `<a href="`, n.(*ast.AutoLink).URL(source))
		if err == nil {
			_, err = w.WriteString("</a>")
		}
		return status, err
	})
}

func writeTag(w util.BufWriter, open string, address []byte) (ast.WalkStatus, error) {
	address = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(address)))
	for _, part := range []string{open, html.EscapeString(string(address)), `">`} {
		if _, err := w.WriteString(part); err != nil {
			return ast.WalkStop, err
		}
	}
	return ast.WalkContinue, nil
}

// htmlLinks returns the links of an HTML document. Base is the address relative ones start from, depth how
// many frames enclose the document.
func htmlLinks(source, base string, scripting bool, depth int) []link {
	p := &page{base: base, scripting: scripting, depth: depth}
	root, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		// Nested too deep for the tree: take each tag by itself.
		p.tags(source)
		return p.links
	}
	if b := findBase(root); b != "" {
		p.base = resolve(p.base, b)
	}
	p.walk(root)
	return p.links
}

type page struct {
	base      string
	scripting bool
	depth     int
	links     []link
}

func (p *page) add(address string, loads bool) {
	p.links = append(p.links, link{written: address, address: resolve(p.base, address), loads: loads})
}

// findBase returns the first usable <base href>, "" when there is none.
func findBase(root *html.Node) string {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom != atom.Base || n.Namespace != "" || insideTemplate(n) {
			continue
		}
		href, ok := attr(n, "href")
		if !ok {
			continue
		}
		address := resolve("", href)
		scheme, _, hasScheme := cutScheme(address)
		switch {
		case hasScheme && (scheme == "javascript" || scheme == "data"):
		case hasScheme && (scheme == "http" || scheme == "https") && hostOf(address) == "":
		default:
			return href
		}
		return ""
	}
	return ""
}

func insideTemplate(n *html.Node) bool {
	for a := range n.Ancestors() {
		if a.DataAtom == atom.Template {
			return true
		}
	}
	return false
}

// walk collects the links of n and what is below it.
func (p *page) walk(root *html.Node) {
	// No recursion: the depth is the server's choice.
	for n := root; n != nil; {
		if n.Type == html.ElementNode && !p.element(n) || n.FirstChild == nil {
			for n != root && n.NextSibling == nil {
				n = n.Parent
			}
			if n == root {
				return
			}
			n = n.NextSibling
			continue
		}
		n = n.FirstChild
	}
}

// tags reads the tags of a source without building a tree.
func (p *page) tags(source string) {
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			p.element(&html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr})
		}
	}
}

// loading are the attributes of HTML elements that name what is fetched without a click. Elements that fetch
// on conditions are in element.
var loading = map[string][]string{
	"img": {"src"}, "video": {"src", "poster"}, "audio": {"src"}, "track": {"src"}, "frame": {"src"}, "embed": {"src"},
	"object": {"data"}, "body": {"background"}, "table": {"background"}, "td": {"background"}, "th": {"background"}, "image": {"src"},
}

var paints = map[string]bool{
	"clip-path": true, "cursor": true, "fill": true, "filter": true, "marker-start": true, "marker-mid": true, "marker-end": true,
	"mask": true, "stroke": true,
}

// element collects the links of one element and reports whether its children count.
func (p *page) element(n *html.Node) bool {
	if style, ok := attr(n, "style"); ok {
		p.css(style)
	}
	switch n.Namespace {
	case "svg":
		return p.svgElement(n)
	case "math":
		return true // fetches and follows nothing
	}
	for _, name := range loading[n.Data] {
		if address, ok := attr(n, name); ok {
			p.add(address, true)
		}
	}
	kind, _ := attr(n, "type")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch n.Data {
	case "img", "image":
		p.srcset(n, "srcset")
	case "input":
		if src, ok := attr(n, "src"); ok && kind == "image" {
			p.add(src, true)
		}
		if kind == "submit" || kind == "image" {
			p.follow(n, "formaction")
		}
	case "button":
		if kind != "button" && kind != "reset" {
			p.follow(n, "formaction")
		}
	case "form":
		p.follow(n, "action")
	case "a", "area":
		if _, ok := attr(n, "href"); ok {
			p.follow(n, "href")
			ping, _ := attr(n, "ping")
			for address := range strings.FieldsSeq(ping) {
				p.add(address, true)
			}
		}
	case "link":
		p.linkElement(n)
	case "script":
		if src, ok := attr(n, "src"); ok && p.scripting && runs(n) {
			p.add(src, true)
		}
		return false
	case "source":
		p.source(n)
	case "meta":
		p.refresh(n)
	case "iframe":
		p.frame(n)
		return false
	case "style":
		for c := range n.ChildNodes() {
			p.css(c.Data)
		}
		return false
	case "template":
		mode, _ := attr(n, "shadowrootmode")
		mode = strings.ToLower(mode)
		return mode == "open" || mode == "closed"
	case "textarea", "title", "plaintext", "noembed", "noframes", "xmp":
		return false
	case "noscript":
		return !p.scripting
	}
	return true
}

func (p *page) follow(n *html.Node, name string) {
	if address, ok := attr(n, name); ok {
		p.add(address, false)
	}
}

func (p *page) srcset(n *html.Node, name string) {
	set, _ := attr(n, name)
	for candidate := range strings.SplitSeq(set, ",") {
		if fields := strings.Fields(candidate); len(fields) > 0 {
			p.add(fields[0], true)
		}
	}
}

func (p *page) source(n *html.Node) {
	for a := range n.Ancestors() {
		switch a.DataAtom {
		case atom.Picture:
			p.srcset(n, "srcset")
			return
		case atom.Audio, atom.Video:
			if src, ok := attr(n, "src"); ok {
				p.add(src, true)
			}
			return
		}
	}
}

func (p *page) linkElement(n *html.Node) {
	rel, _ := attr(n, "rel")
	href, ok := attr(n, "href")
	as, _ := attr(n, "as")
	for kind := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch kind {
		case "stylesheet", "icon", "apple-touch-icon", "mask-icon", "manifest", "preload", "prefetch", "modulepreload", "prerender":
			if ok {
				p.add(href, true)
			}
			if kind == "preload" && strings.EqualFold(as, "image") {
				p.srcset(n, "imagesrcset")
			}
			return
		case "dns-prefetch", "preconnect":
			if ok {
				p.links = append(p.links, link{written: href, address: resolve(p.base, href), loads: true, host: true})
			}
			return
		}
	}
}

var refreshPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?["']?(.*?)["']?\s*$`)
})

func (p *page) refresh(n *html.Node) {
	if equiv, _ := attr(n, "http-equiv"); !strings.EqualFold(equiv, "refresh") {
		return
	}
	content, _ := attr(n, "content")
	if m := refreshPattern().FindStringSubmatch(content); m != nil && m[1] != "" {
		p.add(m[1], true)
	}
}

const maxFrames = 3

func (p *page) frame(n *html.Node) {
	doc, nested := attr(n, "srcdoc")
	if !nested {
		if src, ok := attr(n, "src"); ok {
			p.add(src, true)
		}
		return
	}
	if p.depth == maxFrames {
		return
	}
	sandbox, boxed := attr(n, "sandbox")
	scripting := p.scripting && (!boxed || slices.Contains(strings.Fields(strings.ToLower(sandbox)), "allow-scripts"))
	p.links = append(p.links, htmlLinks(doc, p.base, scripting, p.depth+1)...)
}

// runs reports whether a script element is a script and no data block.
func runs(n *html.Node) bool {
	kind, ok := attr(n, "type")
	if !ok {
		language, _ := attr(n, "language")
		if language == "" {
			return true
		}
		kind = "text/" + language
	}
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "", "module", "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript",
		"application/x-ecmascript", "application/x-javascript", "text/jscript", "text/livescript", "text/x-ecmascript", "text/x-javascript",
		"text/javascript1.0", "text/javascript1.1", "text/javascript1.2", "text/javascript1.3", "text/javascript1.4", "text/javascript1.5":
		return true
	}
	return false
}

func (p *page) svgElement(n *html.Node) bool {
	name := strings.ToLower(n.Data)
	switch name {
	case "image", "feimage", "use", "script":
		if address, ok := svgHref(n); ok && (name != "script" || p.scripting) {
			p.add(address, true)
		}
	case "a":
		if address, ok := svgHref(n); ok {
			p.add(address, false)
		}
	case "animate", "set":
		p.animation(n)
	case "style":
		for c := range n.ChildNodes() {
			p.css(c.Data)
		}
	}
	for _, a := range n.Attr {
		if paints[strings.ToLower(a.Key)] {
			p.css(a.Key + ":" + a.Val)
		}
	}
	return name != "script"
}

func svgHref(n *html.Node) (string, bool) {
	if href, ok := attr(n, "href"); ok {
		return href, true
	}
	for _, a := range n.Attr {
		if a.Namespace == "xlink" && a.Key == "href" || a.Key == "xlink:href" {
			return a.Val, true
		}
	}
	return "", false
}

// animation collects what an animation gives its parent to load or, on a link, to follow.
func (p *page) animation(n *html.Node) {
	target, _ := attr(n, "attributeName")
	if target == "" {
		target, _ = attr(n, "attributename")
	}
	target = strings.ToLower(target)
	isHref := target == "href" || target == "xlink:href"
	if !isHref && !paints[target] {
		return
	}
	parent := ""
	if n.Parent != nil {
		parent = strings.ToLower(n.Parent.Data)
	}
	var values []string
	for _, name := range []string{"from", "to", "by", "values"} {
		value, _ := attr(n, name)
		values = append(values, strings.Split(value, ";")...)
	}
	for _, value := range values {
		switch {
		case value == "":
		case !isHref:
			p.css(target + ":" + value)
		case parent == "a":
			p.add(value, false)
		case parent == "image" || parent == "feimage" || parent == "use" || parent == "script":
			p.add(value, true)
		}
	}
}

// attr returns the first attribute of that name, as a browser does.
func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// css collects what a style sheet or declaration fetches: url(...), the strings of @import, image-set() and
// custom properties.
func (p *page) css(source string) {
	source = cssComment().ReplaceAllString(source, " ")
	if !strings.ContainsAny(source, `("'\`) {
		return
	}
	source = cssUnescape(source)
	for _, m := range cssLoad().FindAllStringSubmatch(source, -1) {
		for _, address := range m[1:] {
			if address != "" {
				p.add(strings.Trim(address, ` "'`+"\t\r\n"), true)
			}
		}
	}
}

var cssComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)/\*.*?\*/`) })

var cssLoad = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)url\(\s*("[^"]*"|'[^']*'|[^)"']*)\s*\)?` +
		`|@import\s+("[^"]*"|'[^']*')` +
		`|image-set\(\s*("[^"]*"|'[^']*')` +
		`|--[\w-]+\s*:\s*("[^"]*"|'[^']*')`)
})

var cssEscape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\\(?:([0-9A-Fa-f]{1,6})\s?|(.))`) })

func cssUnescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return cssEscape().ReplaceAllStringFunc(s, func(esc string) string {
		m := cssEscape().FindStringSubmatch(esc)
		if m[1] == "" {
			return m[2]
		}
		r, _ := strconv.ParseUint(m[1], 16, 32) // at most six hexadecimal digits
		return string(rune(r))
	})
}
