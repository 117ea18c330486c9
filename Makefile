# Every task of the project. `make` alone lists them.

.DEFAULT_GOAL := help
SHELL := bash
TOOLS := target/tools

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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
lint-proto: $(TOOLS)/bin/buf ## Check the contract
	$(TOOLS)/bin/buf lint

.PHONY: audit
audit: $(TOOLS)/bin/cargo-deny ## Check the dependencies: licences, bans, sources
	$(TOOLS)/bin/cargo-deny check bans licenses sources

.PHONY: docs-check
docs-check: $(TOOLS)/bin/grpcurl ## Run every documented grpcurl call against a real server
	cargo build
	python3 tests/docs.py $(TOOLS)/bin/grpcurl target/debug/arbiter

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

$(TOOLS)/bin/buf:
	python3 -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/pip install --quiet buf-bin==1.75.0
	mkdir -p $(TOOLS)/bin && ln -sf ../python/bin/buf $@

$(TOOLS)/bin/cargo-deny:
	cargo install --quiet --locked --root $(TOOLS) cargo-deny@0.20.2

$(TOOLS)/bin/grpcurl:
	GOBIN=$(abspath $(TOOLS)/bin) go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4
