// Package server_info holds the rules about how a server describes itself, and whether it offers anything.
package server_info

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// needIdentity wants a server that says who it is. Revision 2026-07-28 lets a server keep that to itself; server_name_present then says
// so, and the other members are not counted as well.
func needIdentity(o *observe.Observation) *rule.Skip {
	if s := rule.NeedAccess(o); s != nil {
		return s
	}
	if o.Kind == observe.ModernOnly && !o.ServerInfo.IsObject() {
		return rule.SkipFor(rule.Insufficient, "the server does not identify itself")
	}
	return nil
}

// missing judges a member of serverInfo that people should find text in.
func missing(o *observe.Observation, name, want string) []rule.Finding {
	reason, seen := fields.TextFault(o.ServerInfo.Get(name), name, "missing_metadata")
	if reason == "" {
		return nil
	}
	return []rule.Finding{at(o, jsondoc.Pointer("").Child(name), reason, seen, want)}
}

// at places a finding at a member of serverInfo, or at the result that serverInfo is missing from.
func at(o *observe.Observation, member jsondoc.Pointer, reason, seen, want string) rule.Finding {
	where, rel := o.ServerInfo, member
	if where.Step == "" {
		where, rel = answer(o), ""
	}
	return rule.AtField(where, "/serverInfo"+member, rel, reason, seen, want)
}

// answer is the result that describes the server: of the handshake, or of server/discover where there was none.
func answer(o *observe.Observation) observe.Field {
	if o.Session != "" {
		return observe.Field{Step: "session/initialize", Pointer: "/result"}
	}
	return o.Discovered
}

// detail reports a member of serverInfo under the name that reports use, null when it is absent.
func detail(o *observe.Observation, name, as string) map[string]any {
	if !o.ServerInfo.IsObject() {
		return map[string]any{"server_info": nil}
	}
	return map[string]any{as: observe.Plain(o.ServerInfo.Get(name))}
}

func judgeName(o *observe.Observation) []rule.Finding {
	const want = "a name that can be read"
	if !o.ServerInfo.IsObject() && !o.ServerInfo.Missing() {
		return []rule.Finding{at(o, "", "wrong_type", "serverInfo is "+lexical.Excerpt(o.ServerInfo.Value), "an object with name and version")}
	}
	return missing(o, "name", want)
}

func judgeWebsite(o *observe.Observation) []rule.Finding {
	const want = "an absolute http or https URL"
	if found := missing(o, "websiteUrl", want); found != nil {
		return found
	}
	v := o.ServerInfo.Get("websiteUrl")
	if err := lexical.WebURL(v.TextOr("")); err != nil {
		return []rule.Finding{at(o, "/websiteUrl", "invalid_url", "websiteUrl is "+lexical.Excerpt(v)+": "+err.Error(), want)}
	}
	return nil
}

// judgeIcons wants icons, all of them such as any client may show. Plain http is a legal address, but consumers must make sure that
// an icon comes over https or as data.
func judgeIcons(o *observe.Observation) []rule.Finding {
	const want = "an https URL, or a data URI with a Base64 image"
	icons := o.ServerInfo.Get("icons")
	if icons.Missing() || icons.IsArray() && icons.Len() == 0 {
		return []rule.Finding{at(o, "/icons", "missing_icons", "there are no icons", "at least one icon")}
	}
	var found []rule.Finding
	for _, p := range lexical.IconProblems(icons) {
		if p.Reason == "invalid_icon_src" {
			p.Want = want
			if src, ok := icons.Resolve(p.Pointer).Text(); ok && !safeScheme(src) {
				p.Reason = "unsupported_icon_prefix"
			}
		}
		found = append(found, at(o, "/icons"+p.Pointer, p.Reason, p.Seen, p.Want))
	}
	for i, icon := range icons.Elements() {
		v := icon.Value.Get("src")
		if src, ok := v.Text(); ok && lexical.IconSource(src) == nil && !safeScheme(src) {
			found = append(found, at(o, jsondoc.Pointer("/icons").Index(i).Child("src"), "unsupported_icon_prefix", "src is "+lexical.Excerpt(v)+", which clients must refuse", want))
		}
	}
	return found
}

// safeScheme reports whether an address is of a scheme that clients load icons from. Schemes have no case (RFC 3986 section 3.1).
func safeScheme(src string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(src), ":")
	return scheme == "https" || scheme == "data"
}

// refusedSources lists the src of each icon that has a finding there.
func refusedSources(o *observe.Observation) []string {
	list := []string{}
	for _, f := range judgeIcons(o) {
		if src, ok := strings.CutPrefix(f.Path, "/serverInfo"); ok && strings.HasSuffix(src, "/src") {
			list = append(list, o.ServerInfo.Resolve(jsondoc.Pointer(src)).TextOr(""))
		}
	}
	return list
}

func judgeInstructions(o *observe.Observation) []rule.Finding {
	reason, seen := fields.TextFault(o.Instructions.Value, "instructions", "missing_metadata")
	if reason == "" {
		return nil
	}
	where := o.Instructions
	if where.Step == "" {
		where = answer(o)
	}
	return []rule.Finding{rule.AtField(where, "/instructions", "", reason, seen, "ideally a few sentences on when and how to use the server")}
}
