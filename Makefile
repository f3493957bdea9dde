# Depot: `make help` lists what can be made.

SHELL := /bin/bash
PREFIX ?= /usr/local
SWIFT ?= swift
BUILD_FLAGS := --explicit-target-dependency-import-check error
RELEASE := -c release --static-swift-stdlib $(BUILD_FLAGS)
BIN := .build/release
DOCC ?= $(dir $(realpath $(shell command -v $(SWIFT))))docc
DOCS := .build/docs
PACKAGES := libsqlite3-dev libjson-c-dev
TEST_PACKAGES := python3 strace socat
PEER_PACKAGES := postgresql postgresql-client redis-server
SOURCES = git ls-files -z '*.swift'

# Runs a command, and shows what it printed only if it fails.
define quietly
	@mkdir -p .build; $(1) >.build/make.log 2>&1 || { cat .build/make.log; exit 1; }
endef

# Installs the Debian packages that are missing, and says so.
define install_packages
	@missing=$$(for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null \
	  | grep -q 'install ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	  echo "Installing Debian packages:" $$missing; \
	  root=$$([ $$(id -u) = 0 ] || echo sudo); \
	  { $$root apt-get update -qq; DEBIAN_FRONTEND=noninteractive $$root apt-get install -y -qq $$missing; } \
	    >/tmp/depot-apt.log 2>&1 || { cat /tmp/depot-apt.log; exit 1; }; \
	fi
endef

.DEFAULT_GOAL := help
.PHONY: help deps test-deps build test test-release test-long demo bench bench-peers lint format docs docs-check \
  install clean

help:  ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

deps:  ## Install the Debian packages that the build needs
	@command -v $(SWIFT) >/dev/null || { echo "A Swift 6.3 toolchain is needed: see swift.org/install"; exit 1; }
	$(call install_packages,$(PACKAGES))

test-deps: deps
	$(call install_packages,$(TEST_PACKAGES))

build: deps  ## Build the release programs into .build/release
	$(call quietly,$(SWIFT) build $(RELEASE))

test: test-deps  ## Run all tests, also those over real processes
	@Tests/supervise Tests/run-tests debug $(SWIFT) $(BUILD_FLAGS)

test-release: test-deps build  ## Run the tests over real processes with the release programs
	@Tests/supervise Tests/run-tests release $(SWIFT) $(BUILD_FLAGS) \
	  --filter '^(ServiceTests|FaultTests|RulesTests)[.]'

test-long: test-deps build  ## Run the fault tests at every point, an hour of clients, and a million queries
	@DEPOT_SOAK=1 DEPOT_PROGRAMS=$(CURDIR)/$(BIN) Tests/supervise $(SWIFT) test $(BUILD_FLAGS) --filter FaultTests
	@DEPOT_PROOF_SECONDS=3600 DEPOT_PROGRAMS=$(CURDIR)/$(BIN) Tests/supervise $(SWIFT) test $(BUILD_FLAGS) --filter ProofTests
	@DEPOT_LONG=1 $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build/long \
	  $(BUILD_FLAGS) --filter QueryDifferentialTests

demo: build  ## Import this machine's Debian catalogue and query it
	@$(BIN)/depot-demo

bench: build  ## Measure Depot beside its floor and its peers
	@$(BIN)/depot-bench --output .build/bench

bench-peers: deps  ## Install the peers that the benchmark compares with
	$(call install_packages,$(PEER_PACKAGES))

lint: test-deps  ## Check the formatting and that generated documents are up to date
	$(call quietly,$(SOURCES) | xargs -0 $(SWIFT) format lint --strict --parallel)
	@$(MAKE) --no-print-directory docs-check

format:  ## Format the sources
	$(call quietly,$(SOURCES) | xargs -0 $(SWIFT) format --in-place --parallel)

docs: build  ## Write the generated part of proto-docs, and the documentation of SwiftData
	@$(BIN)/depotd --print-protocol > proto-docs/protocol.json
	@python3 proto-docs/generate.py
	@rm -rf $(DOCS) && mkdir -p $(DOCS)/symbols
	$(call quietly,$(SWIFT) symbolgraph-extract -module-name SwiftData -target $(shell uname -m)-unknown-linux-gnu \
	  -I $(BIN)/Modules -I Sources/CDepotLinux -minimum-access-level public -skip-synthesized-members \
	  -output-dir $(DOCS)/symbols)
	$(call quietly,$(DOCC) convert Sources/SwiftData/SwiftData.docc --warnings-as-errors \
	  --additional-symbol-graph-dir $(DOCS)/symbols --fallback-display-name SwiftData \
	  --fallback-bundle-identifier depot.SwiftData --output-path $(DOCS)/SwiftData.doccarchive)
	@rm -r $(DOCS)/symbols

docs-check:
	@python3 proto-docs/generate.py --check

install: build  ## Install depotd and depot into PREFIX (/usr/local)
	@install -d $(DESTDIR)$(PREFIX)/bin
	@install -s -m 755 $(BIN)/depotd $(BIN)/depot $(DESTDIR)$(PREFIX)/bin
	@echo "Installed depotd and depot in $(DESTDIR)$(PREFIX)/bin"

clean:  ## Remove what was built
	@rm -rf .build
