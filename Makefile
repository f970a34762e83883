# What people working on Hallmark type. "make" alone lists it.
.DEFAULT_GOAL := help
GO ?= go
ORACLE_WORK ?= $(HOME)/.cache/hallmark-oracle

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk 'BEGIN{FS=":.*## "}{printf "  %-12s %s\n", $$1, $$2}'

build: ## build ./hallmark
	$(GO) build -trimpath -o hallmark ./cmd/hallmark

test: ## the tests that need nothing but Go
	$(GO) test ./...

race: ## the same under the race detector
	$(GO) test -race ./...

lint: ## vet, format, static analysis, stale generated files
	@test -z "$$(gofmt -l . | grep -v node_modules)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) run ./internal/tools/rulelist -check
	$(GO) run ./internal/tools/docgen -check

generate: ## rewrite what is derived: lists of rules, docs
	$(GO) run ./internal/tools/rulelist
	$(GO) run ./internal/tools/docgen

new-rule: ## new-rule GROUP=tools ID=tools_something: write the two files of a rule
	$(GO) run ./internal/tools/newrule $(GROUP) $(ID)

update: ## rewrite goldens with what the code says now; read the difference before committing
	$(GO) test ./internal/rules/... -update
	$(GO) test ./internal/render -update
	$(GO) test ./internal/audit -run TestRecordings -update-reports
	$(GO) test ./docs -update
	$(GO) test ./internal/cli -run TestPages -update-pages
	$(GO) test ./internal/arch -run Design -update

cross: ## build for every supported system, vet for each
	@for os in linux darwin windows; do \
		for arch in amd64 arm64; do echo "build $$os/$$arch"; GOOS=$$os GOARCH=$$arch CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/hallmark || exit 1; done; \
		echo "vet $$os"; GOOS=$$os CGO_ENABLED=0 $(GO) vet ./... || exit 1; done

integration: ## audit real servers (installs them once, some minutes)
	HALLMARK_INTEGRATION=1 ORACLE_WORK=$(ORACLE_WORK) $(GO) test -count=1 -v ./internal/integration ./docs/improve

parity: ## compare with the peer's recorded verdicts on real servers
	$(GO) run ./bench/parity -work $(ORACLE_WORK)

bench: ## time and memory of hallmark and the peer, side by side
	bash bench/run.sh

conformance: ## run the client scenarios of the MCP conformance suite (needs npm and curl)
	bash bench/conformance/run.sh

check: lint test cross ## everything that must hold before a commit

.PHONY: help build test race lint generate new-rule update cross integration parity bench conformance check
