// Package resource_templates holds the rules about the items of resources/templates/list.
package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// invalidTemplates also reports what is no template at all, so that each such item costs one rule and not all.
func invalidTemplates(o *observe.Observation) []rule.Finding {
	const want = "a URI template (RFC 6570)"
	var found []rule.Finding
	for _, item := range o.ResourceTemplates.Items {
		v := item.Get("uriTemplate")
		text, ok := v.Text()
		switch {
		case !item.IsObject():
			found = append(found, rule.AtItem("resource_template", item, "", "wrong_type", "the item is "+lexical.Excerpt(item.Value), "an object with a uriTemplate"))
		case v.Missing():
			found = append(found, rule.AtItem("resource_template", item, "/uriTemplate", "invalid_uri_template", "there is no uriTemplate", want))
		case !ok:
			found = append(found, rule.AtItem("resource_template", item, "/uriTemplate", "wrong_type", "uriTemplate is "+lexical.Excerpt(v), want))
		default:
			if err := lexical.URITemplate(text); err != nil {
				found = append(found, rule.AtItem("resource_template", item, "/uriTemplate", "invalid_uri_template", "uriTemplate is "+lexical.Excerpt(v)+": "+err.Error(), want))
			}
		}
	}
	return found
}

func unnamed(o *observe.Observation) []rule.Finding {
	return fields.MissingText("resource_template", &o.ResourceTemplates, "name", "blank_name", "a name that can be read")
}

func invalidMediaTypes(o *observe.Observation) []rule.Finding {
	return fields.MediaTypes("resource_template", &o.ResourceTemplates)
}

func invalidAnnotations(o *observe.Observation) []rule.Finding {
	return fields.Annotations("resource_template", &o.ResourceTemplates)
}

func undescribed(o *observe.Observation) []rule.Finding {
	return fields.MissingText("resource_template", &o.ResourceTemplates, "description", "missing_description", "ideally a description of what it yields")
}

func untitled(o *observe.Observation) []rule.Finding {
	return fields.MissingText("resource_template", &o.ResourceTemplates, "title", "missing_title", "ideally a title for display")
}
