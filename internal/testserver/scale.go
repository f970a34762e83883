package testserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// VariedTools returns n distinct, well-made tools of the size and variety that servers with hundreds of tools have, for measuring: some
// 1.3 kB each, with nested objects, enumerations, patterns, references and, for every fifth, an output schema. The same n gives the same
// tools.
func VariedTools(n int) []json.RawMessage {
	tools := make([]json.RawMessage, n)
	for i := range tools {
		tools[i] = variedTool(i)
	}
	return tools
}

var (
	variedVerbs = []struct {
		name, title, text string
		readOnly          bool
	}{
		{"list", "List", "Returns the %s of a project that match the given filters, newest first. Ask for the next page with the cursor of the page before.", true},
		{"get", "Get", "Returns one of the %s with all its fields. A missing identifier or insufficient permission is returned as an error that names which.", true},
		{"search", "Search", "Looks for %s by words in their titles and bodies. Results come ranked; quote a phrase to look for it as a whole.", true},
		{"create", "Create", "Adds one to the %s of a project and returns it. The caller needs write permission; nothing is created when a field does not validate.", false},
		{"update", "Update", "Changes the given fields of one of the %s and leaves the others as they are. Returns the whole object after the change.", false},
	}
	variedNouns = []string{"issues", "pipelines", "releases", "invoices", "customers", "deployments", "dashboards", "runbooks", "alerts", "contracts", "branches", "packages",
		"shipments", "tickets", "reports", "meetings", "documents", "licences", "accounts", "schedules"}
	variedProperties = []string{
		`"project_id":{"type":"string","description":"Identifier or full path of the project, for example team/service"}`,
		`"page_size":{"type":"integer","minimum":1,"maximum":100,"default":20,"description":"How many entries a page holds"}`,
		`"state":{"type":"string","enum":["open","closed","merged","all"],"default":"open","description":"Only entries in this state"}`,
		`"created_after":{"type":"string","format":"date-time","description":"Only entries created after this time (ISO 8601)"}`,
		`"labels":{"type":"array","items":{"type":"string","maxLength":64},"uniqueItems":true,"description":"Labels that an entry must have, all of them"}`,
		`"assignee":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"User name of the person it is assigned to, null for nobody"}`,
		`"key":{"type":"string","pattern":"^[A-Z][A-Z0-9]{1,9}-[0-9]+$","description":"Short key such as OPS-17"}`,
		`"include_archived":{"type":"boolean","default":false,"description":"Whether archived entries are included"}`,
		`"position":{"type":"object","description":"Place in the document","properties":{"line":{"type":"integer","minimum":1,"description":"Line, counted from 1"},"column":{"type":"integer","minimum":1,"description":"Column, counted from 1"},"file":{"type":"string","description":"Path of the file, relative to the root"}},"required":["line"],"additionalProperties":false}`,
		`"owner":{"$ref":"#/$defs/person","description":"Who is responsible"}`,
		`"amount":{"type":"number","minimum":0,"description":"Amount in the account's currency, with up to two decimals"}`,
		`"sort":{"type":"string","enum":["created","updated","title","priority"],"description":"What the entries are ordered by"}`,
		`"body":{"type":"string","maxLength":20000,"description":"Text in Markdown. Use headings sparingly and link to other entries by their key"}`,
	}
)

func variedTool(i int) json.RawMessage {
	verb, noun := variedVerbs[i%len(variedVerbs)], variedNouns[i/len(variedVerbs)%len(variedNouns)]
	module := i / (len(variedVerbs) * len(variedNouns))
	var properties []string
	for k := range 4 + i%5 {
		properties = append(properties, variedProperties[(i+k*3)%len(variedProperties)])
	}
	// Descriptions repeat in real catalogs, whole tools do not.
	properties = append(properties, fmt.Sprintf(`"%s_id":{"type":"string","minLength":1,"description":"Identifier in module %d, as %s_list returns it"}`, noun, module, noun))
	var b strings.Builder
	fmt.Fprintf(&b, `{"name":"m%d_%s_%s","title":"%s %s of module %d","description":"`, module, verb.name, noun, verb.title, noun, module)
	fmt.Fprintf(&b, verb.text, noun)
	fmt.Fprintf(&b, `","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{%s},"required":["%s_id"],"additionalProperties":false`, strings.Join(properties, ","), noun)
	if strings.Contains(b.String(), "#/$defs/person") {
		b.WriteString(`,"$defs":{"person":{"type":"object","properties":{"name":{"type":"string","description":"Full name"},"email":{"type":"string","format":"email","description":"Address for notices"}},"required":["name"]}}`)
	}
	b.WriteByte('}')
	if i%5 == 0 {
		fmt.Fprintf(&b, `,"outputSchema":{"type":"object","properties":{"%s":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"title":{"type":"string"},"updated_at":{"type":"string","format":"date-time"}},"required":["id","title"]}},"next_cursor":{"type":["string","null"]}},"required":["%s"]}`, noun, noun)
	}
	fmt.Fprintf(&b, `,"annotations":{"readOnlyHint":%t,"openWorldHint":true`, verb.readOnly)
	if !verb.readOnly {
		fmt.Fprintf(&b, `,"destructiveHint":%t,"idempotentHint":%t`, verb.name == "update", verb.name == "update")
	}
	b.WriteString(`}}`)
	return json.RawMessage(b.String())
}
