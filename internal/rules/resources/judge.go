// Package resources holds the rules about the items of resources/list.
package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// invalidURIs also reports what is no resource at all, so that each such item costs one rule and not all.
func invalidURIs(o *observe.Observation) []rule.Finding {
	const want = "an absolute URI (RFC 3986)"
	var found []rule.Finding
	for _, item := range o.Resources.Items {
		v := item.Get("uri")
		text, ok := v.Text()
		switch {
		case !item.IsObject():
			found = append(found, rule.AtItem("resource", item, "", "wrong_type", "the item is "+lexical.Excerpt(item.Value), "an object with a uri"))
		case v.Missing():
			found = append(found, rule.AtItem("resource", item, "/uri", "invalid_absolute_uri", "there is no uri", want))
		case !ok:
			found = append(found, rule.AtItem("resource", item, "/uri", "wrong_type", "uri is "+lexical.Excerpt(v), want))
		default:
			if err := lexical.AbsoluteURI(text); err != nil {
				found = append(found, rule.AtItem("resource", item, "/uri", "invalid_absolute_uri", "uri is "+lexical.Excerpt(v)+": "+err.Error(), want))
			}
		}
	}
	return found
}

func invalidSizes(o *observe.Observation) []rule.Finding {
	const want = "a whole number of bytes, 0 or more"
	var found []rule.Finding
	for _, item := range o.Resources.Items {
		v := item.Get("size")
		n, _ := v.Float()
		switch {
		case v.Missing():
		case !v.IsInteger():
			found = append(found, rule.AtItem("resource", item, "/size", "wrong_type", "size is "+lexical.Excerpt(v), want))
		case n < 0:
			found = append(found, rule.AtItem("resource", item, "/size", "negative_size", "size is "+lexical.Excerpt(v), want))
		}
	}
	return found
}

func unnamed(o *observe.Observation) []rule.Finding {
	return fields.MissingText("resource", &o.Resources, "name", "blank_name", "a name that can be read")
}

func invalidMediaTypes(o *observe.Observation) []rule.Finding {
	return fields.MediaTypes("resource", &o.Resources)
}

func invalidAnnotations(o *observe.Observation) []rule.Finding {
	return fields.Annotations("resource", &o.Resources)
}

func undescribed(o *observe.Observation) []rule.Finding {
	return fields.MissingText("resource", &o.Resources, "description", "missing_description", "ideally a description of what it holds")
}

func untitled(o *observe.Observation) []rule.Finding {
	return fields.MissingText("resource", &o.Resources, "title", "missing_title", "ideally a title for display")
}
