# One verb a target. Every target that runs Go does so in each module.

SHELL   := /bin/sh
MODULES := . $(patsubst %/go.mod,%,$(shell find . -mindepth 2 -name go.mod -not -path './internal/tools/*' | sort))
TOOLS   := internal/tools
TOOL    := go tool -modfile=$(CURDIR)/$(TOOLS)/go.mod
ADDR    ?= 127.0.0.1:8080
FUZZTIME ?= 10s

# A clone owned by somebody else, or unpacked from an archive, has no version to
# stamp; a workspace file would test versions that no user gets.
export GOFLAGS := $(strip -buildvcs=false $(GOFLAGS))
export GOWORK  := off
# Nothing here needs a C compiler, except the race detector, which asks for it
# below. Not ?=: an exported CGO_ENABLED=1 would break all else without one.
export CGO_ENABLED := 0

# each runs $(1) in every module, and in the folders $(2), and fails if it failed
# in any.
define each
@status=0; for module in $(MODULES) $(2); do \
	echo "== $$module: $(1)"; ( cd $$module && $(1) ) || status=1; \
done; exit $$status
endef

.DEFAULT_GOAL := help
.PHONY: help build programs test race test-system soak fuzz lint fmt tidy tidy-check api api-update examples demo demo-serve pair e2e-alert e2e-cluster e2e-pair e2e-storm e2e-adapter gates ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## compile everything
	$(call each,go build -o /dev/null ./...)

# What the rules are tried on takes minutes to compile, which must not count
# against the time limit of a test. Built as promtest.Build does, and not run, the
# programs are in the build cache for it.
programs: PIN := CGO_ENABLED=0 go run -exec true
programs:
	@echo "compiling Prometheus, promtool and Alertmanager (many minutes the first time)"
	@cd otelbridge/mixin/promtest && $(PIN) -tags remove_all_sd github.com/prometheus/prometheus/cmd/prometheus
	@cd otelbridge/mixin/promtest && $(PIN) -tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool
	@cd internal/tools/alertmanager && $(PIN) github.com/prometheus/alertmanager/cmd/alertmanager

test: programs
test: ## run every test that needs only Go (5 to 9 minutes once compiled)
	$(call each,go test -timeout 10m ./...)
	go test -timeout 10m -tags loopvitals_yield ./board

race: export CGO_ENABLED := 1
race: MODULES := $(filter-out . ./otelbridge/mixin/dash ./otelbridge/mixin/promtest ./tiers/adapter/observation/schematest,$(MODULES))
race: ## the same under the race detector, but for what reads files or the answers of others; needs a C compiler
	go test -race -timeout 20m $$(go list ./... | grep -v loopvitals/internal/)
	$(call each,go test -race -timeout 20m ./...)
	go test -race -timeout 20m -tags loopvitals_yield ./board
	go test -race -timeout 20m -count=100 -run ConcurrentSafe ./...

test-system: ## tests that need root, the kernel or other packages
	@test "$$(id -u)" = 0 || { echo "make test-system needs root, for control groups and a clone of another owner"; exit 1; }
	$(call each,go test -timeout 15m -count=1 -tags system -run System ./...)

soak: export LOOPVITALS_SOAK := 1
soak: ## the long forms of the tests, for hours; needs a C compiler and root
	go test -timeout 12h -count=1 -tags loopvitals_yield ./board
	$(call each,go test -timeout 12h -count=1 ./...)
	CGO_ENABLED=1 go test -race -timeout 12h -count=1 -tags loopvitals_yield ./board
	go test -timeout 12h -count=1 -tags system -run System ./tiers/adapter/... ./cmd/loopvitals
	cd examples && go run ./pair/e2e

fuzz: ## fuzz each target for FUZZTIME
	@grep -rn --include='*_test.go' -o '^func Fuzz[A-Za-z0-9]*' . | while IFS=: read -r file line match; do \
		name=$${match#func }; echo "== $$name"; \
		( cd "$$(dirname "$$file")" && go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) . ) || exit 1; \
	done

lint: ## formatting, vet, staticcheck, import rules, API listing; golangci-lint where it is installed
	@unformatted=$$($(TOOL) gofumpt -l .); test -z "$$unformatted" || { echo "not formatted, run make fmt: $$unformatted"; exit 1; }
	$(call each,go vet ./...)
	$(call each,$(TOOL) staticcheck ./...)
	go test -count=1 ./internal/...
	@if command -v golangci-lint >/dev/null; then golangci-lint run ./...; fi

fmt: ## format all files
	$(TOOL) gofumpt -w .

tidy: ## bring every go.mod up to date
	$(call each,go mod tidy,$(TOOLS) $(TOOLS)/alertmanager)

tidy-check: ## fail when a go.mod is not up to date
	$(call each,go mod tidy -diff,$(TOOLS) $(TOOLS)/alertmanager)

api: ## compare the public API with api/
	go test -count=1 ./internal/apitest

api-update: ## rewrite api/ from the code
	go test -count=1 -run TestAPI ./internal/apitest -update

examples: ## build the example programs
	cd examples && go vet ./... && go build -o /dev/null ./...

demo: ## watch a consumer wedge, turn ready to 503, and recover (45 s)
	@echo "compiling the consumer with its server and database (a few minutes the first time)"
	@cd examples && go run ./consumer -demo

demo-serve: ## the same consumer on ADDR until interrupted
	@cd examples && go run ./consumer -serve $(ADDR)

pair: ## watch three nodes of which one is active: it is killed, and another takes over (30 s)
	@echo "compiling the nodes and their engine (a few minutes the first time)"
	@cd examples && go run ./pair

e2e-alert: ## see a wedge and a death get from a real Prometheus to a webhook (2 minutes once compiled)
	@echo "compiling Prometheus, Alertmanager and the consumer (many minutes the first time)"
	@cd otelbridge/mixin/promtest && go run ./cmd/e2e-alert

e2e-cluster: ## kill, stop and cut off the active node of three, on NATS and etcd; ROUNDS of each, 6 unless told (8 minutes)
	@echo "compiling three nodes with a NATS and an etcd (a few minutes the first time)"
	@cd examples && go run ./pair/e2e $(if $(ROUNDS),-rounds $(ROUNDS))

e2e-pair: ## walk a warm pair through all service levels and faults; needs Linux and PostgreSQL's server (2 minutes)
	@echo "compiling the pair with its NATS (a few minutes the first time)"
	@cd examples && go run ./pair/e2epair

e2e-storm: ## two consumers on a slow gateway, with a retry timer and with the guard (1 minute once compiled)
	@cd examples && go run ./gateway/storm

e2e-adapter: ## a node behind the loopback adapter, with every fault in real processes; needs Linux (2 minutes)
	@cd examples && go run ./adapter

gates: ## the performance gates; run them alone
	@cd bench && go run ./cmd/gates

# One round of each fault is enough to see that nothing is broken.
ci: ROUNDS := 1
ci: tidy-check lint build test race test-system demo e2e-alert e2e-cluster e2e-pair e2e-storm e2e-adapter ## all that a change must pass
