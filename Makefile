# SPDX-License-Identifier: Apache-2.0
# A thin wrapper: CMakePresets.json and tools/ do the work. Each target brings what it needs first (tools/deps.sh).
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30
PYTHON ?= python3
VENV := build/venv

.DEFAULT_GOAL := all
.PHONY: all lib venv demo test test-full unit golden pytest asan tsan clang fuzz cov abi lint format bench docs install clean \
    wheel help data s3 peers pythons tidy-all

all: lib venv ## build: build/bin/gristmill, build/lib/libgristmill.so, build/venv

lib:
	@tools/deps.sh build
	@tools/build.sh release -j $(JOBS)

venv: lib
	@PYTHON=$(PYTHON) tools/venv.sh

data:
	@tools/fetch_flights.sh

demo: all data ## train on the flights of 2013, show plan, metrics, report, predictions
	@examples/flights/run.sh

test: unit golden pytest ## unit, conformance, golden and Python tests

unit: all ## C tests: unit, conformance, fuzz corpora, examples
	@tools/deps.sh test
	@tools/ctest.sh release -j $(JOBS)

golden: all ## command transcripts and messages
	@tools/pytest.sh tests/golden

pytest: all ## tests of the Python package
	@tools/pytest.sh tests/python

test-full: test tidy-all pythons s3 peers asan tsan clang fuzz abi cov ## everything: sanitizers, both compilers, fuzzing, ABI, coverage

pythons: all ## tests of the Python package on every CPython from 3.10 on that is here, and PYTHONS="FILE ..."
	@PYTHONS="$(PYTHONS)" tools/pythons.sh

s3: all ## files on a storage service that checks signatures
	@PYTHON=$(PYTHON) tools/s3.sh

peers: all ## every stage beside Spark's, row by row (Java needed)
	@PYTHON=$(PYTHON) tools/peers.sh

asan: ## C tests and transcripts of the command under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/deps.sh build test
	@tools/ctest.sh dev -j $(JOBS)
	@GRISTMILL_BIN=$(CURDIR)/build/dev/bin/gristmill ASAN_OPTIONS=strict_string_checks=1 \
	    tools/pytest.sh tests/golden -k 'test_cli or test_secrets'

tsan: ## pool, stages, whole fits and learners under ThreadSanitizer
	@tools/deps.sh build test
	@tools/ctest.sh tsan -j $(JOBS) -R '^(conform_(kernels|features|races)|test_(pool|store|dict|l[a-z]*_regression|linear_svc))$$'

clang: ## build and C tests with Clang
	@tools/deps.sh build test fuzz
	@tools/ctest.sh clang -j $(JOBS)

fuzz: ## every fuzz target for FUZZ_SECONDS (30)
	@tools/deps.sh build fuzz
	@tools/fuzz.sh $(FUZZ_SECONDS)

cov: ## line coverage of the C tests, with a floor
	@tools/deps.sh build test cov
	@tools/cov.sh

abi: ## compare the library's ABI with abi/gristmill.abi
	@tools/deps.sh build abi
	@tools/abi.sh

lint: ## layout, layers, banned calls, sizes, lists, spelling, static checks
	@tools/deps.sh build lint
	@tools/lint.sh

tidy-all: lib ## clang-tidy over all files
	@tools/deps.sh build lint
	@tools/lint.sh --tidy-all

format: ## lay out the C sources by .clang-format
	@tools/deps.sh lint
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

bench: all ## timings against the peers
	@tools/build.sh release -j $(JOBS) --target benches
	@if [ -x bench/run.sh ]; then bench/run.sh; else echo "bench: there is no bench/run.sh"; fi

docs: all ## the manual, with reference pages printed from the tables
	@tools/deps.sh docs
	@tools/docs.sh

install: lib ## install under PREFIX (/usr/local)
	@cmake --install build/release --prefix "$(PREFIX)"

wheel: lib ## dist/gristmill-*.whl with the library inside
	@PYTHON=$(PYTHON) tools/wheel.sh

clean: ## remove build/ and dist/ (.deps and .data stay)
	@rm -rf build dist

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
