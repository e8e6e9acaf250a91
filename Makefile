# The door. CMake is the build; these are the words people type.
#
#   make          build the ashlar program            make test    run all tests
#   make demo     compile, build and run the example  make bench   measure
#   make test-devices   models on all emulated boards, 10000 layers by every
#                       kernel, and each layer against CMSIS-NN's
#   make test-tiles     Deeploy's networks, tiled, at its budgets, also under
#                       sanitizers (hours)
#   make lint     layers, formatting, static analysis make fuzz    fuzz the readers
#   make install  install (PREFIX=/usr/local)         make clean   remove builds
#   make test-browser   only the tests of the report in Chromium
#   make playground     the program for browsers, in build-playground/site

BUILD     ?= build
PREFIX    ?= /usr/local
FUZZ_TIME ?= 60
CMAKE     ?= cmake
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)

PLAYGROUND ?= build-playground

.PHONY: all deps test-deps demo test conformance test-browser playground test-devices test-tiles bench bench-packing bench-tiles lint fuzz install clean

all: deps
	@$(CMAKE) -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DASHLAR_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@$(CMAKE) --build $(BUILD) -j $(JOBS)
	@rm -f $(BUILD).log

# What is missing is installed when we may, else the exact line is printed.
deps:
	@tools/install-deps build

test-deps:
	@tools/install-deps build test
	@tools/install-deps browser
	@tools/install-deps playground

demo: all
	@examples/digits/demo.sh $(BUILD)/bin/ashlar

test: test-deps
	@tests/run

test-browser: test-deps
	@tests/run browser playground

# The library as WebAssembly and a page: models are planned in the browser.
playground: all
	@tools/install-deps playground
	@tools/playground --build $(BUILD) --out $(PLAYGROUND)

test-devices: test-deps
	@tools/install-deps devices
	@ASHLAR_BOARDS=all ASHLAR_LAYERS=10000 tests/run --quick devices kernel_variants vectors
	@bench/compare build-test/bin/ashlar

test-tiles: all
	@tools/tile_sweep --ashlar $(BUILD)/bin/ashlar
	@tools/tile_sweep --ashlar $(BUILD)/bin/ashlar --sanitize address,undefined
	@tools/tile_sweep --ashlar $(BUILD)/bin/ashlar --sanitize thread

# The ONNX project's node tests through generated C; writes the table.
conformance: all
	@tools/conformance --ashlar $(BUILD)/bin/ashlar --write docs/onnx-conformance.md

bench: all
	@bench/run $(BUILD)
	@bench/host $(BUILD)

bench-tiles: all
	@bench/tiles $(BUILD)

bench-packing: all
	@bench/packing.sh $(BUILD)

lint: test-deps
	@tools/lint

fuzz: test-deps
	@tools/fuzz $(FUZZ_TIME)

install: all
	@$(CMAKE) --install $(BUILD)

clean:
	rm -rf build build-*
