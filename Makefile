# Depot: `make help` lists what can be made.

SHELL := /bin/bash
PREFIX ?= /usr/local
SWIFT ?= swift
# What debuggers need takes a fifth of the time of a build, and so does reading each module a second time for
# its interface; `swift build` alone makes both. The modules of the toolchain are compiled once for tests and
# programs.
BUILD_FLAGS := --explicit-target-dependency-import-check error -Xswiftc -gnone \
  -Xswiftc -no-emit-module-separately-wmo -Xswiftc -module-cache-path -Xswiftc $(CURDIR)/.build/modules
# Tests are built by the module, in three quarters of the time; `make test WHOLE=` builds anew only the files
# that a small change needs.
WHOLE := -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2
DEBUG := $(BUILD_FLAGS) $(WHOLE)
# The compiler's memory comes in large pages, of which it takes a twelfth less time.
export LARGE_PAGES := GLIBC_TUNABLES=glibc.malloc.hugetlb=1
# The modules in which tests spend half of their time are optimized for them.
test test-release test-long test-cluster: export DEPOT_OPTIMIZED := DepotProtocol DepotSQLite DepotLinux
# Programs without functions that nothing calls or that are equal, with the C++ library inside, and with
# relocations in the short form if this machine's C library reads it: small files that start with few pages.
SMALL := -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic \
  -Xlinker --icf=all -Xswiftc -L$(CURDIR)/.build/static \
  $(shell printf '%s\n' 2.36 $$(getconf GNU_LIBC_VERSION | tr -d 'a-z ') | sort -CV \
    && echo -Xlinker -z -Xlinker pack-relative-relocs)
# That nothing is changed while somebody else uses it is checked in the builds of the tests, at run time too.
UNCHECKED := -Xswiftc -enforce-exclusivity=unchecked
RELEASE := -c release --static-swift-stdlib $(BUILD_FLAGS) $(UNCHECKED) $(SMALL)
# The commit that programs tell; empty without git or outside of a clone.
COMMIT = $(if $(wildcard $(CURDIR)/.git),$(shell git -C $(CURDIR) rev-parse --short=12 HEAD 2>/dev/null))
BIN := .build/release
PLAYED := release
TOOLCHAIN := $(dir $(realpath $(shell command -v $(SWIFT))))
ifneq ($(SWIFT),swift)
export SWIFT_EXEC := $(TOOLCHAIN)swiftc
endif
DOCC ?= $(TOOLCHAIN)docc
DOCS := .build/docs
# Where the website will be, as in /depot; empty: at the root of its host.
DOCS_BASE ?=
AT_BASE = $(if $(DOCS_BASE),--hosting-base-path $(DOCS_BASE))
CATALOGS := SwiftData DepotClient DepotProtocol
comma := ,
MODULES = $(BIN)/Modules
PACKAGES := libsqlite3-dev libjson-c-dev
# Node and tsc may be there without packages of Debian, and Node with npm.
NODE_PACKAGES := $(if $(shell command -v node),,nodejs) $(if $(shell command -v tsc),,node-typescript)
TEST_PACKAGES := python3 strace socat
COUNT_PACKAGES := valgrind
DEB_PACKAGES := debhelper dpkg-dev lintian
PACKAGING := Sources/depotd/Packaging
CLUSTER_PACKAGES := postgresql
PEER_PACKAGES := $(CLUSTER_PACKAGES) postgresql-client redis-server
BROWSER_PACKAGES := chromium chromium-driver python3-selenium
EXAMPLES := example-users example-repository example-trips example-to-do example-library
SOURCES = git ls-files -z "*.swift"

# The pages of the manual and completions, and where they are put.
INSTALLED := man/depotd.8 man/depot.1 man/depot-predicates.7 man/depot-schema.7 \
  completions/bash/depot completions/zsh/_depot completions/fish/depot.fish
place = $(patsubst completions/fish/%,share/fish/vendor_completions.d/%,$(patsubst \
  completions/zsh/%,share/zsh/site-functions/%,$(patsubst \
  completions/bash/%,share/bash-completion/completions/%,$(foreach f,$(1),$(if \
  $(filter man/%,$(f)),share/man/man$(subst .,,$(suffix $(f)))/$(notdir $(f)),$(f))))))

# Runs a shell command, tells how far it is, and shows what it printed only if it fails.
define quietly
	@.ci/progress $(1) .build/make.log bash -c $(2)
endef

# Puts the archive of the C++ library where the linker looks for the shared one.
define link_static_library
	@mkdir -p .build/static; archive=$$($(TOOLCHAIN)clang -print-file-name=libstdc++.a); \
	  [ "$$archive" = libstdc++.a ] || ln -sf $$archive .build/static/libstdc++.so
endef

# Builds some release programs, which the first argument calls by a name, into .build/release at once.
define build_programs
	$(call link_static_library)
	@DEPOT_ONLY="$(2)" DEPOT_COMMIT="$(COMMIT)" .ci/progress "Building $(1)" .build/make.log \
	  env $(LARGE_PAGES) $(SWIFT) build $(RELEASE)
endef

# Writes the documentation of a module, whose symbols are read with further options.
define document
	@mkdir -p $(DOCS)/symbols
	$(call quietly,"Reading the symbols of $(1)",'$(SWIFT) symbolgraph-extract -module-name $(1) $(2) \
	  -target $(shell uname -m)-unknown-linux-gnu -I $(MODULES) -I Sources/CDepotLinux -I Sources/CDepotSQLite -I Sources/CDepotVersion/include \
	  -I Sources/CDepotProtocol/include -minimum-access-level public -skip-synthesized-members -output-dir $(DOCS)/symbols')
	$(call quietly,"Writing the documentation of $(1)",'$(DOCC) convert Sources/$(1)/$(1).docc --warnings-as-errors \
	  --additional-symbol-graph-dir $(DOCS)/symbols --fallback-display-name $(1) \
	  --fallback-bundle-identifier depot.$(1) $(AT_BASE) --output-path $(DOCS)/$(1).doccarchive')
	@rm -r $(DOCS)/symbols
endef

# Installs the Debian packages that are missing, and says so.
define install_packages
	@missing=$$(echo $$(for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null \
	  | grep -q 'install ok installed' || echo $$p; done)); \
	if [ -n "$$missing" ]; then \
	  echo "Installing Debian packages:" $$missing; \
	  .ci/progress "Installing them" .build/apt.log .ci/install-packages $$missing 3>&1 || exit 1; \
	fi
endef

.DEFAULT_GOAL := help
.PHONY: help deps test-deps node-deps tested-programs build test test-quick test-release test-long test-cluster test-browser pictures demo demo-cluster bench bench-peers count lint format docs docs-check play-cluster \
  install uninstall deb deb-check clean

help:  ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

deps:  ## Install the Debian packages that the build needs
	@command -v $(SWIFT) >/dev/null || { echo "A Swift 6.3 toolchain is needed: see swift.org/install"; exit 1; }
	$(call install_packages,$(PACKAGES))

test-deps: deps
	$(call install_packages,$(TEST_PACKAGES))
	@$(MAKE) --no-print-directory node-deps || echo "What needs them of the JavaScript client isn't tried."

# The client for JavaScript is tried as far as Node and tsc are there.
node-deps:
	$(call install_packages,$(NODE_PACKAGES))

build: deps  ## Build all programs into .build/release
	$(call build_programs,all programs,depotd depot depot-demo depot-bench $(EXAMPLES))

test: test-deps  ## Run all tests, also those over real processes
	@Tests/supervise Tests/run-tests debug $(SWIFT) $(DEBUG)

# Only the test modules with such a suite or test are built, file by file, in a folder of their own.
QUICK := .build/quick
test-quick: test-deps  ## Build what changed and run the tests that match FILTER, as FILTER=WatchTests
	@modules=$$(grep -rlE --include='*.swift' '(struct|class|enum|func) .*$(FILTER)' Tests | cut -d / -f 2 \
	  | sort -u | grep 'Tests$$' | tr '\n' ' '); \
	[ -n "$$modules" ] || { echo "No suite or test matches $(FILTER)."; exit 1; }; \
	DEPOT_ONLY="$$modules depotd depot" .ci/progress "Building $$modules" .build/make.log \
	  env $(LARGE_PAGES) $(SWIFT) build --build-tests --scratch-path $(QUICK) $(BUILD_FLAGS) && \
	DEPOT_EMBEDDED=1 DEPOT_PROGRAMS=$(CURDIR)/$(QUICK)/debug .ci/progress "Testing" .build/test.log Tests/supervise \
	  $(QUICK)/debug/depotPackageTests.xctest --testing-library swift-testing --filter '$(FILTER)' && \
	tail -n 1 .build/test.log

# The release programs that tests run.
tested-programs: deps
	$(call build_programs,the programs and examples,depotd depot depot-demo $(EXAMPLES))

test-release: test-deps tested-programs  ## Run the tests over real processes with the release programs
	@Tests/supervise Tests/run-tests release $(SWIFT) $(DEBUG)

test-long: test-deps  ## Run all points of faults, an hour of clients, ten to 250 times the seeds, a million queries
	$(call build_programs,the programs,depotd depot depot-demo)
	@DEPOT_SOAK=1 DEPOT_PROGRAMS=$(CURDIR)/$(BIN) Tests/supervise $(SWIFT) test $(DEBUG) --filter FaultTests
	@DEPOT_PROOF_SECONDS=3600 DEPOT_PROGRAMS=$(CURDIR)/$(BIN) Tests/supervise $(SWIFT) test $(DEBUG) --filter ProofTests
	@DEPOT_PROOF_SECONDS=3600 DEPOT_PROGRAMS=$(CURDIR)/$(BIN) Tests/supervise $(SWIFT) test $(DEBUG) --filter '^ServiceTests[.]ClusterTests/'
	@DEPOT_SEEDS=10x DEPOT_EMBEDDED=1 Tests/supervise $(SWIFT) test --no-parallel $(DEBUG) --skip '^(Service|Fault|Rules)Tests[.]'
	@DEPOT_SEEDS=100x DEPOT_EMBEDDED=1 Tests/supervise $(SWIFT) test --no-parallel $(DEBUG) \
	  --filter 'Evolution of structures|Forms of a property|Contexts whose steps come in any order'
	@DEPOT_SEEDS=250x $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build/long \
	  $(BUILD_FLAGS) --filter QueryDifferentialTests
	@DEPOT_LONG=1 DEPOT_PROGRAMS=$(CURDIR)/$(BIN) $(SWIFT) test $(DEBUG) --filter 'PackageTests|LongFileTests'

test-cluster: test-deps  ## Run the tests with PostgreSQL, and those of services with their stores in it
	$(call install_packages,$(CLUSTER_PACKAGES))
	@.ci/progress "Building the tests" .build/tests.log env $(LARGE_PAGES) \
	  $(SWIFT) build --build-tests $(DEBUG)
	@DEPOT_EMBEDDED=1 .ci/progress "Testing with PostgreSQL" .build/test.log Tests/supervise \
	  Tests/run-groups .build/debug/depotPackageTests.xctest \
	  "--filter '^DepotEngineTests[.](Address|Postgres)Tests/|^ServiceTests[.]ClusterTests/|(DatabaseStore|ClusterGuide)Tests'"
	@DEPOT_EMBEDDED=1 DEPOT_PROGRAMS=$(CURDIR)/.build/debug .ci/progress "Testing services on a cluster" .build/test.log \
	  Tests/supervise Tests/cluster/run Tests/cluster/check .build/debug/depotPackageTests.xctest \
	  ServiceTests DepotClientTests SwiftDataTests
	@$(MAKE) --no-print-directory play-cluster PLAYED=debug

# The browser is Debian's, and so is the Python that has Selenium.
test-browser: tested-programs  ## Try the page of depot studio in a real browser, headless
	$(call install_packages,$(BROWSER_PACKAGES))
	@$(MAKE) --no-print-directory node-deps || echo "The parts of the page aren't tried without a browser."
	@DEPOT_ROWS=$${DEPOT_ROWS:-200000} DEPOT_PROGRAMS=$(CURDIR)/$(BIN) .ci/progress "Trying the page in a browser" .build/browser.log \
	  Tests/supervise /usr/bin/python3 -m unittest discover -v -s Tests/browser -p 'test_*.py'
	@grep -E '^Ran ' .build/browser.log
	$(call quietly,"Trying the parts of the page",'! command -v node || node --test Tests/browser/*.test.mjs')

PICTURES = Sources/Manual/Depot.docc/Resources
pictures: tested-programs  ## Make the pictures of the documents in a real browser
	$(call install_packages,$(BROWSER_PACKAGES) pngquant)
	@DEPOT_PROGRAMS=$(CURDIR)/$(BIN) .ci/progress "Making the pictures" .build/browser.log \
	  Tests/supervise /usr/bin/python3 Tests/browser/pictures.py $(PICTURES)
	@pngquant --force --skip-if-larger --ext .png --speed 1 64 $(PICTURES)/*.png

demo-cluster: deps  ## Use two services on a PostgreSQL cluster whose primary is killed
	$(call install_packages,$(CLUSTER_PACKAGES))
	$(call build_programs,the programs,depotd depot)
	@Sources/Examples/Cluster/cluster.sh $(BIN)

# Plays the transcripts to services with their stores in a cluster; what those lack must be lacking.
play-cluster:
	$(call install_packages,$(CLUSTER_PACKAGES))
	@DEPOT_PROGRAMS=$(CURDIR)/.build/$(PLAYED) .ci/progress "Playing the transcripts on a cluster" .build/cluster.log \
	  Tests/supervise Tests/cluster/run python3 proto-docs/conformance/run.py server \
	  --lacking L1/migration-stage --lacking L1/migration-backup \
	  --start "$(CURDIR)/Tests/cluster/depotd --socket {socket} --store {store}"
	@tail -n 1 .build/cluster.log

demo: deps  ## Import this machine's Debian catalogue and query it
	$(call build_programs,the programs,depotd depot depot-demo)
	@$(BIN)/depot-demo

bench: deps  ## Measure Depot beside its floor and its peers
	$(call build_programs,the benchmark,depot-bench depotd depot depot-demo)
	@$(BIN)/depot-bench --output .build/bench

bench-peers: deps  ## Install the peers that the benchmark compares with
	$(call install_packages,$(PEER_PACKAGES))

count: deps  ## Count the instructions of calls and objects, which may not grow
	$(call install_packages,$(COUNT_PACKAGES))
	$(call build_programs,the benchmark,depot-bench depotd)
	@$(BIN)/depot-bench --count Sources/depot-bench/Counts.md

lint: test-deps  ## Check the formatting and that generated documents are up to date
	$(call quietly,"Checking the formatting",'$(SOURCES) | xargs -0 $(SWIFT) format lint --strict --parallel')
	@$(MAKE) --no-print-directory docs-check

format:  ## Format the sources
	$(call quietly,"Formatting",'$(SOURCES) | xargs -0 $(SWIFT) format --in-place --parallel')

docs: build  ## Write the generated part of proto-docs, and the manual with the libraries into .build/docs/site
	@python3 proto-docs/generate.py
	@Sources/Manual/draw-speed
	@rm -rf $(DOCS)
	$(call document,SwiftData,)
	$(call document,DepotClient,-experimental-allowed-reexported-modules=DepotClientCore$(comma)DepotProtocol)
	$(call document,DepotProtocol,)
	@Sources/Manual/assemble $(DOCS)/Depot.docc $(DOCS_BASE)
	$(call quietly,"Writing the manual",'$(DOCC) convert $(DOCS)/Depot.docc --warnings-as-errors \
	  --fallback-display-name Depot --fallback-bundle-identifier depot.Manual $(AT_BASE) \
	  --output-path $(DOCS)/Depot.doccarchive')
	$(call quietly,"Merging the catalogs",'$(DOCC) merge $(foreach c,Depot $(CATALOGS),$(DOCS)/$(c).doccarchive) \
	  --synthesized-landing-page-name Depot --output-path $(DOCS)/site')

docs-check:
	@python3 proto-docs/generate.py --check
	@Sources/Manual/draw-speed --check

install: deps  ## Install depotd and depot into PREFIX (/usr/local)
	$(call build_programs,the programs,depotd depot)
	@$(PACKAGING)/assemble files $(BIN) .build/files
	@install -d $(DESTDIR)$(PREFIX)/bin
	@install -s -m 755 $(BIN)/depotd $(BIN)/depot $(DESTDIR)$(PREFIX)/bin
	@$(foreach f,$(INSTALLED),install -D -m 644 .build/files/$(f) $(DESTDIR)$(PREFIX)/$(call place,$(f)) &&) true
	@echo "Installed depotd and depot in $(DESTDIR)$(PREFIX)/bin, with their pages of the manual and completions"

uninstall:  ## Remove what was installed into PREFIX; stores stay
	@rm -f $(foreach f,$(INSTALLED),$(DESTDIR)$(PREFIX)/$(call place,$(f))) \
	  $(DESTDIR)$(PREFIX)/bin/depotd $(DESTDIR)$(PREFIX)/bin/depot
	@echo "Removed depotd and depot from $(DESTDIR)$(PREFIX)"

deb: deps  ## Build Debian packages of depotd and depot into .build/deb
	$(call install_packages,$(DEB_PACKAGES))
	$(call build_programs,the programs,depotd depot)
	@$(MAKE) --no-print-directory deb-packages

# Packs programs that are built: those of BIN.
deb-packages:
	@rm -rf .build/deb && $(PACKAGING)/assemble debian $(BIN) .build/deb/depot
	$(call quietly,"Packing",'cd .build/deb/depot && dpkg-buildpackage -b -us -uc')
	@ls .build/deb/*.deb

deb-check: deb  ## Have lintian look at the packages, and install, use, upgrade, and remove them in an overlay, as root
	@lintian --allow-root --fail-on error,warning .build/deb/*.changes
	@Tests/try-packages .build/deb

clean:  ## Remove what was built
	@rm -rf .build
