# The stages that every change must pass: `NAME: $(call needs,STAGE...)` and what runs it, in bash with the
# functions of stage.sh. Make begins them in this order. docs/testing.md says what each one proves.
SHELL := $(CURDIR)/tests/runner/stage.sh
.SHELLFLAGS = $@
.ONESHELL:
.SILENT:
.PHONY: $(ALL)
# With --only those of the needed stages that were named.
needs = $(if $(ONLY),$(filter $(ONLY),$1),$1)

setup-python:
	bash tests/setup.sh python
setup-debian:
	bash tests/setup.sh debian
setup-npm: $(call needs,setup-debian)
	sh web/test/setup.sh npm
setup-interop: $(call needs,setup-debian setup-python)
	$$python tests/interop/build.py
setup-servers: $(call needs,setup-npm)
	sh web/test/setup.sh servers
setup-devices: $(call needs,setup-debian setup-python)
	bash wasi/devices/setup.sh
setup-wasi: $(call needs,setup-debian setup-python setup-npm)
	sh wasi/test/setup.sh

# No warning is let through, of gcc here and of clang in the stage `sanitize`.
build:
	configure build -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCPB_BUILD_PYTHON=ON

# What TensorFlow makes, for several stages; beside other work, so in one process.
models: $(call needs,setup-python)
	$$python tests/support/models.py

web-build: $(call needs,setup-debian setup-npm)
	CCACHE_DEPEND=1 bash web/build.sh
	printf '%s\n' 'web --noEmit' web/test web/inspector | xargs -P3 -L1 web/node_modules/.bin/tsc -p

# A build whose verdicts are those of all others but for the system's libzstd. Its folder lies beside
# `build` and its options are those of the stage `build`: ccache then takes nine of ten objects from there.
verdicts: $(call needs,build setup-debian setup-python)
	configure build-source -DCPB_DEPENDENCIES=source -DCPB_BUILD_TESTS=OFF -DCPB_BUILD_EXAMPLES=OFF \
	  -DCPB_FOREIGN_OPTIONS=-O1 -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
	$$python tests/verdicts.py system

unit: $(call needs,build setup-python setup-npm)
	ctests build

# The compiler's checks for memory and undefined behaviour, where they are most likely to find something: a
# part of what the unit tests and the sweeps of faults try (stride.h), hostile files, and damaged ones, with
# recovery, which reads as far as one does without it. Then the Python extension, in an interpreter that is
# not sanitized itself: what that leaks is not ours. Nor is TensorFlow, which some tests of models need.
sanitize: $(call needs,setup-debian setup-python)
	export ASAN_OPTIONS=quarantine_size_mb=8 # more takes most of the time
	CCACHE_DEPEND=1 bash tests/sanitized.sh # whose objects are no other build's: no preprocessing to compare them
	ctests build/asan
	CPB=$$PWD/build/asan/cpb pytests fault/test_hostile.py model/test_hostile.py corpus/test_records.py -k 'not test_damaged_file'
	export ASAN_OPTIONS+=:detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc
	export LD_PRELOAD=$$(clang-19 -print-file-name="libclang_rt.asan-$$(uname -m).so")
	python_tests build/asan python/tests/test_{records,messages,models,behaviour}.py \
	  -k 'not references and not variables and not constants and not tensorflow'

interop: $(call needs,build models setup-interop)
	pytests interop

web-node: $(call needs,build verdicts web-build models setup-servers)
	node web/test/corpus/native.js
	node web/test/runtimes/run.js node

model: $(call needs,build models web-build)
	pytests model

urls: $(call needs,build models setup-servers)
	pytests urls

web-runtimes: $(call needs,web-node)
	node web/inspector/build.js
	node web/test/runtimes/run.js deno bun workerd chromium firefox webkit

wasi-build: $(call needs,setup-wasi)
	bash wasi/build.sh

# The command for WASI: what it needs; its tests in one runtime (but those of locks, modes and descriptors,
# which WASI does not have, and by default those of texts, which are printed alike), and those that it cannot
# pass in another; the corpus in all, and some of it in a browser. Then the reactor, with the corpus in all,
# and the components, and their hosts.
wasi: $(call needs,build verdicts wasi-build setup-servers)
	export PYTHONPATH=$$PWD/wasi/test
	texts=(--ignore=cli/test_{completion,errors,help,questions,schema,summary,tutorial}.py)
	[ -z "$${CPB_TEST_ALL:-}" ] || texts=()
	pytests -rfEPR ../wasi/test/test_{artefact,core,brotli,access,publish}.py
	wasi_tests wasmtime cli --ignore cli/test_files.py "$${texts[@]}"
	wasi_tests node cli/test_output.py cli/test_pipes.py
	$$python tests/verdicts.py
	node wasi/test/browser.js build/wasi/cpb-cli.wasm "$$PWD/build/cpb"
	$$python wasi/conformance/run.py
	pytests ../wasi/reactor ../wasi/component ../wasi/http

fault: $(call needs,build setup-python)
	pytests fault

fuzz: $(call needs,sanitize)
	bash tests/fuzz/run.sh

corpus: $(call needs,build setup-python)
	pytests corpus

complexity: $(call needs,build setup-python)
	pytests complexity

cli: $(call needs,build setup-debian setup-python)
	pytests cli

# The build finds what makes the types of answers once that is installed.
python: $(call needs,build setup-python setup-servers)
	configure build
	python_tests build python/tests

install: $(call needs,build setup-debian)
	bash tests/install/run.sh

# On boards with little memory, in QEMU.
devices: $(call needs,wasi-build setup-devices build)
	bash wasi/devices/run.sh
