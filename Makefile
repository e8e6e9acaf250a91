# The door. CMake is the build; these are the words people type.
#
#   make                build the ashlar program; says what is missing
#   make demo           compile, build and run the examples
#   make test           run all tests (at most 20 minutes on two cores)
#   make bench          measure speed and memory of the compiler
#   make lint           layers, assertions, formatting, static analysis
#   make fuzz           fuzz the readers (FUZZ_TIME=60 seconds each)
#   make install        install (PREFIX=/usr/local, DESTDIR=)
#   make uninstall      remove what `make install` put there
#   make clean          remove builds
#
#   make wheel          Python wheels and source distribution, in dist/
#   make test-wheel     the same, installed into fresh environments and used
#   make release        programs for Linux on x86-64 and aarch64, in dist/: .tar.gz,
#                       .deb, SHA256SUMS
#   make test-release   the same, unpacked and used, built twice and compared
#   make site           the documentation with search and the playground inside,
#                       in build-site
#   make pictures       the pictures of the documents, in docs/
#   make playground     the program for browsers, in build-playground/site
#   make vscode         the extension for Visual Studio Code (.vsix), in dist/
#   make test-fresh     demo and test in a bare Debian, with data and without
#   make test-long      the sweeps below, one after the other (hours)
#   make test-browser   only the tests of the report in Chromium
#   make test-devices   models on all emulated boards, 10000 layers by every
#                       kernel, and each layer against CMSIS-NN's
#   make test-tiles     Deeploy's networks, tiled, at its budgets, also under
#                       sanitizers
#   make test-random    thousands of random models of one operator against ONNX
#                       Runtime and LiteRT (RANDOM_MODELS=5000 of each, SEED=1),
#                       RANDOM_NETWORKS=1000 networks, each planned in four ways,
#                       against the interpreter
#   make coverage       lines and branches of src that the tests run; writes the
#                       table in docs/trust.md
#   make mutate         mutants of the checkers' source against their tests
#                       (MUTANTS=200 of them, 0: all; SEED=1); writes the table
#   make conformance    the ONNX project's node tests; writes the table in docs
#   make bench-packing, bench-certificates, bench-tiles, bench-rows, bench-devices
#
# `make` alone installs nothing. The others install the packages that they need,
# as root or with a sudo that asks nothing, and say so; ASHLAR_INSTALL=no
# prevents it, and what is missing is then named or its tests are skipped.

BUILD     ?= build
PREFIX    ?= /usr/local
FUZZ_TIME ?= 60
RANDOM_MODELS ?= 5000
RANDOM_NETWORKS ?= 1000
SEED      ?= 1
MUTANTS   ?= 200
CMAKE     ?= cmake
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)

PLAYGROUND ?= build-playground
# A Python with numpy and the oracles (a virtual environment in build-oracle).
ORACLE     = $$(tools/oracle-python numpy onnxruntime)

.PHONY: all program test-deps demo test test-fresh test-long test-browser test-devices test-tiles test-random coverage mutate conformance playground bench bench-packing bench-certificates bench-tiles bench-rows bench-devices lint fuzz install clean

all:
	@tools/install-deps --check build
	@$(MAKE) --no-print-directory program

# The build alone; whoever comes here has seen to what it needs.
program:
	@$(CMAKE) -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DASHLAR_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@$(CMAKE) --build $(BUILD) -j $(JOBS)
	@rm -f $(BUILD).log

test-deps:
	@tools/install-deps build test playground

demo:
	@tools/install-deps build demo
	@$(MAKE) --no-print-directory program
	@examples/digits/demo.sh $(BUILD)/bin/ashlar
	@examples/wake_words/demo.sh $(BUILD)/bin/ashlar

test: test-deps
	@tests/run

test-fresh:
	@tools/fresh-machine
	@tools/fresh-machine --no-data

test-long: test-wheel test-release test-devices conformance test-tiles test-random

test-browser: test-deps
	@tests/run browser playground

test-devices: test-deps
	@ASHLAR_BOARDS=all ASHLAR_LAYERS=10000 tests/run devices kernel_variants vectors
	@bench/compare build-test/bin/ashlar

test-tiles: test-deps
	@$(MAKE) --no-print-directory program
	@$(ORACLE) tools/oracle/tile-sweep --ashlar $(BUILD)/bin/ashlar
	@$(ORACLE) tools/oracle/tile-sweep --ashlar $(BUILD)/bin/ashlar --sanitize address,undefined
	@$(ORACLE) tools/oracle/tile-sweep --ashlar $(BUILD)/bin/ashlar --sanitize thread

test-random:
	@tools/install-deps build oracle
	@$(MAKE) --no-print-directory program
	@$(ORACLE) tools/oracle/random-models --ashlar $(BUILD)/bin/ashlar --count $(RANDOM_MODELS) --seed $(SEED)
	@tools/oracle/random-networks --ashlar $(BUILD)/bin/ashlar --count $(RANDOM_NETWORKS) --seed $(SEED)

coverage: test-deps
	@tools/coverage --write

mutate: test-deps
	@tests/run unit/check/plan > /dev/null
	@tools/mutate --count $(MUTANTS) --seed $(SEED) --write

# The ONNX project's node tests through generated C; writes the table.
conformance:
	@tools/install-deps build oracle conformance
	@$(MAKE) --no-print-directory program
	@$(ORACLE) tools/oracle/conformance --ashlar $(BUILD)/bin/ashlar --write docs/onnx-conformance.md

# The library as WebAssembly and a page: models are planned in the browser.
playground:
	@tools/install-deps build playground
	@$(MAKE) --no-print-directory program
	@tools/playground --build $(BUILD) --out $(PLAYGROUND)

# The extension for Visual Studio Code, with the playground inside.
.PHONY: vscode
vscode: playground
	@tools/make/vscode --playground $(PLAYGROUND)/site

# The documentation as a site that needs no server.
.PHONY: site
site: playground
	@tools/site/build --playground $(PLAYGROUND)/site

# Photographs of report and playground, as the documents show them.
.PHONY: pictures
pictures: playground test-deps
	@tools/make/pictures --ashlar $(BUILD)/bin/ashlar --playground $(PLAYGROUND)/site --docs

bench:
	@tools/install-deps build bench
	@$(MAKE) --no-print-directory program
	@bench/run $(BUILD)
	@bench/host $(BUILD)

bench-tiles:
	@tools/install-deps build oracle
	@$(MAKE) --no-print-directory program
	@$(ORACLE) bench/tiles $(BUILD)

bench-rows:
	@tools/install-deps build oracle test
	@$(MAKE) --no-print-directory program
	@bench/rows $(BUILD)
	@bench/devices --rows $(BUILD)/bin/ashlar
	@tools/gate/gen-docs --ashlar $(BUILD)/bin/ashlar

bench-packing:
	@tools/install-deps build bench
	@$(MAKE) --no-print-directory program
	@bench/packing.sh $(BUILD)

bench-certificates:
	@tools/install-deps build
	@$(MAKE) --no-print-directory program
	@bench/certificates $(BUILD)
	@tools/gate/gen-docs --ashlar $(BUILD)/bin/ashlar

bench-devices: test-deps
	@$(MAKE) --no-print-directory program
	@bench/devices $(BUILD)/bin/ashlar

lint:
	@tools/install-deps build lint
	@tools/gate/lint

fuzz:
	@tools/install-deps build fuzz
	@tools/fuzz $(FUZZ_TIME)

install: all
	@tools/uninstall --before $(BUILD) $(DESTDIR)$(PREFIX)
	@$(CMAKE) --install $(BUILD) --prefix $(PREFIX)
	@tools/uninstall --after $(BUILD)

.PHONY: uninstall wheel test-wheel
uninstall:
	@tools/uninstall $(BUILD) $(DESTDIR)

# Wheels for Linux on x86_64 and aarch64, a source distribution for the rest.
wheel:
	@tools/install-deps build wheel
	@tools/make/wheel

test-wheel: wheel test-deps
	@ASHLAR_WHEELS=$(CURDIR)/dist tests/run wheel

# Programs, man pages, completions and licences, to unpack or to install.
.PHONY: release test-release
release:
	@tools/install-deps build wheel
	@tools/make/release

test-release: release test-deps
	@ASHLAR_RELEASE=$(CURDIR)/dist tests/run release

clean:
	rm -rf build build-* dist
