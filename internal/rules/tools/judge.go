// Package tools holds the rules about the items of tools/list.
package tools

import (
	"fmt"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// names lists the names of the tools that findings are about.
func names(o *observe.Observation, found []rule.Finding) []string {
	return fields.Values(&o.Tools, found, "name")
}

func at(item observe.Item, path jsondoc.Pointer, reason, seen, want string) rule.Finding {
	return rule.AtItem("tool", item, path, reason, seen, want)
}

// unnamed finds tools that cannot be called. A name of blanks can be: what is wrong with it is its format.
func unnamed(o *observe.Observation) []rule.Finding {
	const want = "a name that is not empty"
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		name := item.Get("name")
		text, ok := name.Text()
		switch {
		case !item.IsObject():
			found = append(found, at(item, "", "wrong_type", "the item is "+lexical.Excerpt(item.Value), "an object with a name"))
		case name.Missing():
			found = append(found, at(item, "/name", "missing_name", "there is no name", want))
		case !ok:
			found = append(found, at(item, "/name", "wrong_type", "name is "+lexical.Excerpt(name), want))
		case text == "":
			found = append(found, at(item, "/name", "empty_name", "name is empty", want))
		}
	}
	return found
}

// misnamed looks at names that are strings; the others are the business of unnamed.
func misnamed(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		if text, ok := item.Get("name").Text(); ok && !lexical.ToolName(text) {
			seen := "name is " + lexical.Excerpt(item.Get("name"))
			if n := utf8.RuneCountInString(text); n > 128 {
				seen = fmt.Sprintf("name has %d characters", n)
			}
			found = append(found, at(item, "/name", "invalid_name_format", seen, "1 to 128 of A-Z a-z 0-9 _ - ."))
		}
	}
	return found
}

// untitled accepts the title of the annotations, which clients show where the tool has none.
func untitled(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		if !item.IsObject() {
			continue
		}
		why, seen := fields.TextFault(item.Get("title"), "title", "missing_title")
		if other, _ := fields.TextFault(item.Path("annotations", "title"), "title", "missing_title"); why == "missing_title" && other == "" {
			continue
		}
		if why != "" {
			found = append(found, at(item, "/title", why, seen, "a title for display"))
		}
	}
	return found
}

func undescribed(o *observe.Observation) []rule.Finding {
	return fields.MissingText("tool", &o.Tools, "description", "missing_description", "what the tool does and when to call it")
}

// taskSupport returns what a tool says of task-augmented calls, empty when it says nothing, and what is wrong with that.
func taskSupport(item observe.Item) (value string, fault *rule.Finding) {
	execution := item.Get("execution")
	if execution.Missing() {
		return "", nil
	}
	if !execution.IsObject() {
		f := at(item, "/execution", "wrong_type", "execution is "+lexical.Excerpt(execution), "an object")
		return "", &f
	}
	support := execution.Get("taskSupport")
	switch text, ok := support.Text(); {
	case support.Missing():
		return "", nil
	case ok && (text == "forbidden" || text == "optional" || text == "required"):
		return text, nil
	}
	f := at(item, "/execution/taskSupport", "invalid_task_support", "taskSupport is "+lexical.Excerpt(support), "forbidden, optional or required")
	return "", &f
}

// takesTasks reports whether the server declares that tools may be called as tasks.
func takesTasks(o *observe.Observation) bool {
	return !o.Capabilities.Path("tasks", "requests", "tools", "call").Missing()
}

func undeclaredTasks(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		support, fault := taskSupport(item)
		switch {
		case fault != nil:
			found = append(found, *fault)
		case (support == "optional" || support == "required") && !takesTasks(o):
			found = append(found, at(item, "/execution/taskSupport", "undeclared_task_support",
				"taskSupport is "+support+" and the server does not declare tasks.requests.tools.call", "that capability, or no task support"))
		}
	}
	return found
}

func taskTools(o *observe.Observation) []string {
	list := []string{}
	for _, item := range o.Tools.Items {
		if support, _ := taskSupport(item); support == "optional" || support == "required" {
			list = append(list, item.Label())
		}
	}
	return list
}

// needOfSession wants tools that were listed under the session whose capabilities are known.
func needOfSession(o *observe.Observation) *rule.Skip {
	if o.Tools.Recovered {
		return rule.SkipFor(rule.Insufficient, "the tools were read without the session, the capabilities within it")
	}
	return nil
}

// needListing wants to know whether there are tools.
func needListing(o *observe.Observation) *rule.Skip {
	if s := rule.NeedAccess(o); s != nil {
		return s
	}
	switch c := &o.Tools; {
	case len(c.Items) > 0 || c.Complete:
		return nil
	case c.Served:
		return rule.SkipFor(rule.Insufficient, "tools/list was not read to its end")
	case c.Attempted || o.Declares("tools"):
		return rule.SkipFor(rule.Insufficient, "tools/list could not be read")
	}
	return nil
}

func noTools(o *observe.Observation) []rule.Finding {
	if len(o.Tools.Items) > 0 {
		return nil
	}
	seen := "tools/list is empty"
	if !o.Tools.Served {
		seen = "the server declares no tools"
	}
	return []rule.Finding{rule.AtCatalog(&o.Tools, "no_tools", seen, "at least one tool")}
}
