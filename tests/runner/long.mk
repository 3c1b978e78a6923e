# The stages of --all, as before a release: see stages.mk.

# A size_t of 32 bits.
bits32: $(call needs,verdicts setup-debian)
	configure build/m32 -DCMAKE_C_FLAGS=-m32 -DCPB_DEPENDENCIES=source -DCPB_BUILD_TESTS=OFF -DCPB_BUILD_EXAMPLES=OFF
	CPB=$$PWD/build/m32/cpb pytests corpus cli model
	$$python tests/verdicts.py bits32

# All other tests but those that preload a library or measure memory.
sanitize-all: $(call needs,sanitize setup-servers)
	export ASAN_OPTIONS=quarantine_size_mb=8
	CPB=$$PWD/build/asan/cpb pytests corpus cli model urls --ignore model/test_hostile.py --ignore urls/test_memory.py

fuzz-long: $(call needs,fuzz)
	bash tests/fuzz/run.sh "$${CPB_FUZZ_SECONDS:-180}"

# All of the corpus in every runtime, and in Wasmtime once more as pytest reads it.
wasi-corpus: $(call needs,wasi)
	export PYTHONPATH=$$PWD/wasi/test
	wasi_tests wasmtime corpus
	$$python tests/verdicts.py --all

# Without the tests that the compiler's own runtime, which writes files at the end, does not pass.
coverage: $(call needs,setup-debian setup-python setup-servers)
	configure build/coverage -DCMAKE_BUILD_TYPE=Debug -DCPB_COVERAGE=ON
	find build/coverage -name '*.gcda' -delete
	ctests build/coverage
	CPB=$$PWD/build/coverage/cpb CPB_FAULT_MOST=300 pytests corpus cli model urls fault interop/test_round_trips.py \
	  interop/test_json.py --ignore fault/test_memory.py -k 'not limit_of_file_sizes'
	bash tests/coverage.sh build/coverage

# All files of a release, made twice.
release: $(call needs,setup-npm setup-wasi)
	bash tests/release/run.sh

# The Python package as it is published.
wheel: $(call needs,python)
	bash tests/install/python.sh

# What users build the JavaScript package into, by tools of hundreds of megabytes; what reads data sets by the
# Python package; and JupyterLab.
recipes: $(call needs,web-runtimes python)
	sh web/test/setup.sh recipes
	node web/test/runtimes/run.js node recipes/recipes
	bash tests/setup.sh recipes
	PYTHONPATH=$$PWD/build/python build/recipes/bin/python -m pytest -rfEsx -p no:cacheprovider \
	  python/tests/test_datasets.py -k recipe
	node web/test/runtimes/run.js node recipes/notebook

# The documentation as a site.
site: $(call needs,web-node)
	node web/test/runtimes/run.js node recipes/site
