// Package audit carries the published rosters of the audit as data. Reading and checking them is the business of package
// internal/policy.
package audit

import "embed"

// Files holds one YAML file per published roster, named after it.
//
//go:embed *.yaml
var Files embed.FS
