// Package prompts holds the rules about the items of prompts/list.
package prompts

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

func argumentAt(i int, member string) jsondoc.Pointer {
	return jsondoc.Pointer("/arguments").Index(i).Child(member)
}

// repeatedArguments compares names that are strings, blank ones too.
func repeatedArguments(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Prompts.Items {
		counts := map[string]int{}
		for _, el := range item.Get("arguments").Elements() {
			if name, ok := el.Value.Get("name").Text(); ok {
				counts[name]++
			}
		}
		for i, el := range item.Get("arguments").Elements() {
			if name, ok := el.Value.Get("name").Text(); ok && counts[name] > 1 {
				found = append(found, rule.AtItem("prompt", item, argumentAt(i, "name"), "duplicate_argument_name",
					fmt.Sprintf("%d arguments are called %s", counts[name], lexical.Excerpt(el.Value.Get("name"))), "a name that no other argument of the prompt has"))
			}
		}
	}
	return found
}

// duplicateArguments lists "prompt.argument" once for every occurrence after the first.
func duplicateArguments(o *observe.Observation) []string {
	list := []string{}
	for _, item := range o.Prompts.Items {
		seen := map[string]bool{}
		for _, el := range item.Get("arguments").Elements() {
			name, ok := el.Value.Get("name").Text()
			if ok && seen[name] {
				list = append(list, item.Get("name").TextOr("")+"."+name)
			}
			seen[name] = seen[name] || ok
		}
	}
	return list
}

// unnamedArguments also reports arguments that are no list of objects: without that there are no names.
func unnamedArguments(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Prompts.Items {
		arguments := item.Get("arguments")
		if !arguments.Missing() && !arguments.IsArray() {
			found = append(found, rule.AtItem("prompt", item, "/arguments", "wrong_type", "arguments is "+lexical.Excerpt(arguments), "an array of objects"))
		}
		for i, el := range arguments.Elements() {
			if !el.Value.IsObject() {
				found = append(found, rule.AtItem("prompt", item, jsondoc.Pointer("/arguments").Index(i), "wrong_type", "an argument is "+lexical.Excerpt(el.Value), "an object with a name"))
				continue
			}
			if reason, seen := fields.TextFault(el.Value.Get("name"), "name", "blank_argument_name"); reason != "" {
				found = append(found, rule.AtItem("prompt", item, argumentAt(i, "name"), reason, seen, "a name that can be read"))
			}
		}
	}
	return found
}

func undocumentedArguments(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	eachUndocumented(o, func(item observe.Item, i int, reason, seen string) {
		found = append(found, rule.AtItem("prompt", item, argumentAt(i, "description"), reason, seen, "ideally what to enter, and in which form"))
	})
	return found
}

// undocumented lists "prompt.argument" for each argument without description.
func undocumented(o *observe.Observation) []string {
	list := []string{}
	eachUndocumented(o, func(item observe.Item, i int, _, _ string) {
		list = append(list, item.Get("name").TextOr("")+"."+item.Get("arguments").At(i).Get("name").TextOr(""))
	})
	return list
}

func eachUndocumented(o *observe.Observation, report func(item observe.Item, i int, reason, seen string)) {
	for _, item := range o.Prompts.Items {
		for i, el := range item.Get("arguments").Elements() {
			if !el.Value.IsObject() {
				continue
			}
			if reason, seen := fields.TextFault(el.Value.Get("description"), "description", "missing_argument_description"); reason != "" {
				report(item, i, reason, seen)
			}
		}
	}
}

// nameFaults are names that occur twice and, since no other rule looks at the name of a prompt, prompts that have none of type string.
func nameFaults(o *observe.Observation) []rule.Finding {
	const want = "a name that no other prompt has"
	found := fields.Repeated("prompt", &o.Prompts, "name", "duplicate_name", want)
	for _, item := range o.Prompts.Items {
		switch name := item.Get("name"); {
		case !item.IsObject():
			found = append(found, rule.AtItem("prompt", item, "", "wrong_type", "the item is "+lexical.Excerpt(item.Value), "an object with a name"))
		case name.Missing():
			found = append(found, rule.AtItem("prompt", item, "/name", "missing_name", "there is no name", want))
		case !name.IsString():
			found = append(found, rule.AtItem("prompt", item, "/name", "wrong_type", "name is "+lexical.Excerpt(name), want))
		}
	}
	return found
}

func undescribed(o *observe.Observation) []rule.Finding {
	return fields.MissingText("prompt", &o.Prompts, "description", "missing_description", "ideally a description of what it does")
}

func untitled(o *observe.Observation) []rule.Finding {
	return fields.MissingText("prompt", &o.Prompts, "title", "missing_title", "ideally a title for display")
}
