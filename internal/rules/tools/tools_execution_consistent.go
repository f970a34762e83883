package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsExecutionConsistent = rule.Rule{
	ID:       "tools_execution_consistent",
	Title:    "Task support of tools is declared",
	Group:    rule.Tools,
	Order:    10,
	Severity: rule.Medium,
	Since:    spec.Rev20251125,
	Until:    spec.Rev20251125,
	Needs:    []rule.Need{rule.NeedAccess, needOfSession, rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › Utilities › Tasks › Tool-Level Negotiation"), spec.MCP(spec.Rev20251125, "Schema › ToolExecution")},
	Why:      "A tool that says it can run as a task, on a server that does not declare tasks for tool calls, cannot be called so; one that requires it cannot be called at all.",
	Fix:      "Declare the capability tasks.requests.tools.call, or take taskSupport out of the tools.",
	Judge:    undeclaredTasks,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"task_tools": taskTools(o), "tasks_capability": takesTasks(o)}
	},
}
