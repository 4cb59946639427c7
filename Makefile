# Two commands do everything on a fresh machine with Python, pip, a C++ compiler and make:
#   make demo    build into .venv and run the tour
#   make test    build into .venv and run the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD_TOOLS := cmake ninja nanobind scikit-build-core
NATIVE := CMakeLists.txt pyproject.toml $(wildcard native/*)
SANITIZED := .venv-sanitize
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE  # to compile all modules anew takes most commands longer than their work

.PHONY: demo test test-slow check format gallery docs docs-serve sanitize fuzz fuzz-bytes fuzz-estimators fuzz-models bench bench-quick bench-models clean

demo: $(VENV)/built
	$(BIN)/rosenblatt demo
	$(BIN)/python examples/tour.py

# Half of the tests for each process, in order, so that what a file sets up is set up once; who is done takes from others.
IN_PARALLEL := -n auto --dist worksteal -rfEs

# Tests in a browser run where one is installed; what was skipped is said at the end, with the reason.
test: $(VENV)/test
	$(BIN)/python -m pytest -q $(IN_PARALLEL)

# Exhaustive tests, large real data, and the tests of properties with other, and more, random examples each time.
test-slow: $(VENV)/test
	$(BIN)/python -m pytest -q $(IN_PARALLEL) -m "slow or hypothesis" --hypothesis-profile=thorough

# Formatting, linting, strict types, import layers, tests.
check: $(VENV)/test $(VENV)/lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror native/* tests/fuzz/*.cpp
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

format: $(VENV)/lint
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i native/* tests/fuzz/*.cpp

# docs/how-to/gallery.md and its pictures.
gallery: $(VENV)/test
	$(BIN)/python scripts/gallery.py

# The site, into build/site: pages and reference by Sphinx, the playground as static files beside them, then every link
# followed. Nothing is fetched but, once, what the playground runs on. The code of the pages is run by `make test`.
SITE := build/site
docs: $(VENV)/docs
	rm -rf $(SITE) build/doctrees docs/reference/api
	$(BIN)/python -m sphinx -q -W --keep-going -d build/doctrees docs $(SITE)
	$(BIN)/python scripts/static_playground.py --out $(SITE)/playground
	$(BIN)/python scripts/check_site.py $(SITE)

docs-serve: docs
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(SITE) 8000

# Everything measured beside the peers (about 40 minutes), then docs/reference/benchmarks.md, its plots and the README's table.
bench: $(VENV)/bench
	$(BIN)/python benchmarks/bench.py --json benchmarks/results.json
	$(BIN)/python benchmarks/report.py benchmarks/results.json

# The essential ratios in less than two minutes; two commits are compared by benchmarks/compare.py A.json B.json.
bench-quick: $(VENV)/bench
	$(BIN)/python benchmarks/bench.py --quick --json build/bench/$$(git rev-parse --short=10 HEAD 2>/dev/null || echo now).json

# Our commands and their peers from files to models: accuracy and time (most of an hour; RECIPES=ours measures ours again).
bench-models: $(VENV)/bench
	$(BIN)/python benchmarks/models_of_files.py $(if $(RECIPES),--recipes $(RECIPES)) --json benchmarks/results_models.json
	$(BIN)/python benchmarks/report.py benchmarks/results.json

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/built: $(BIN)/python $(NATIVE)
	$(BIN)/python -m pip install -q $(BUILD_TOOLS)
	$(BIN)/python -m pip install -q --no-build-isolation -C build-dir=build/release -e .
	touch $@

# seqeval has no wheel: pip builds it with tools of its own, which the line after it would forbid.
$(VENV)/test: $(VENV)/seqeval
$(VENV)/seqeval: $(BIN)/python
	$(BIN)/python -m pip install -q seqeval
	touch $@

$(VENV)/test $(VENV)/lint $(VENV)/bench $(VENV)/docs: $(VENV)/built
	$(BIN)/python -m pip install -q --no-build-isolation -C build-dir=build/release -e ".[$(notdir $@)]"
	touch $@

# The tests that drive the native core, under the address and undefined-behaviour sanitizers (GCC or Clang on Linux).
SANITIZED_PYTHON := LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 $(SANITIZED)/bin/python
sanitize: $(SANITIZED)/built
	$(SANITIZED_PYTHON) -m pytest -q -p no:cacheprovider tests/test_native_equals_reference.py \
	    tests/test_border.py tests/test_threads.py tests/test_sequences_equal_reference.py tests/test_sequence_features.py \
	    tests/test_tagger.py tests/test_tagger_threads.py \
	    tests/test_containers.py tests/test_bad_input.py tests/test_edges.py tests/test_text.py \
	    tests/test_data_svmlight.py tests/test_data_vw.py tests/test_data_fuzz.py tests/test_data_tables.py

$(SANITIZED)/built: $(NATIVE)
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/python -m pip install -q $(BUILD_TOOLS) seqeval
	$(SANITIZED)/bin/python -m pip install -q --no-build-isolation -C build-dir=build/sanitize \
	    -C cmake.define.ROSENBLATT_SANITIZE=ON -C install.strip=false -e ".[test]"
	touch $@

# Three attacks under the sanitizers, each for so long (`make fuzz SECONDS_OF_FUZZING=600` for longer), from another seed
# each time: any bytes through the native readers of files, text and sentences; damaged sparse matrices, odd rows and
# threads; and forged model files. Bytes come from libFuzzer where the compiler is Clang, else a plain driver changes the corpus.
SECONDS_OF_FUZZING ?= 60
fuzz: fuzz-bytes fuzz-estimators fuzz-models
fuzz-estimators: $(SANITIZED)/built
	$(SANITIZED_PYTHON) tests/fuzz/abuse_estimators.py $(SECONDS_OF_FUZZING) $$$$
fuzz-models: $(SANITIZED)/built
	$(SANITIZED_PYTHON) tests/fuzz/forge_models.py $(SECONDS_OF_FUZZING) $$$$

FUZZ_FLAGS := -std=c++20 -O1 -g -ffp-contract=off -Wno-psabi -fsanitize=address,undefined -fno-sanitize-recover=all -pthread
fuzz-bytes: build/fuzz/lines
	cd build/fuzz && if ./lines -help=1 2>&1 | grep -q libFuzzer; \
	    then mkdir -p found && ./lines -max_len=4096 -max_total_time=$(SECONDS_OF_FUZZING) found ../../tests/fuzz/corpus; \
	    else ASAN_OPTIONS=abort_on_error=1 ./lines $(SECONDS_OF_FUZZING) $$$$ ../../tests/fuzz/corpus/*; fi

build/fuzz/lines: $(wildcard tests/fuzz/*.cpp) $(wildcard native/*.hpp)
	mkdir -p build/fuzz
	if $(CXX) --version | grep -qi clang; \
	    then $(CXX) $(FUZZ_FLAGS) -fsanitize=fuzzer tests/fuzz/lines.cpp tests/fuzz/text.cpp tests/fuzz/sentences.cpp -o $@; \
	    else $(CXX) $(FUZZ_FLAGS) tests/fuzz/*.cpp -o $@; fi

clean:
	rm -rf $(VENV) $(SANITIZED) build dist
