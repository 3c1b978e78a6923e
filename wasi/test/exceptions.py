"""A plugin of pytest: what exceptions.txt lists is expected to fail in the runtime that
CPB_RUNTIME names, and an error if it does not. It is counted as xfailed. Of files without
exceptions a part is tried, unless all tests are asked for: what they ask is the same C. So it is
for the tests of threads, which WASI does not have."""

import os
import pathlib

import pytest

from support.sweep import one_in

LIST = pathlib.Path(__file__).with_name("exceptions.txt")


def listed(runtime):
    """Tests and why they cannot pass."""
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            runtimes, test, reason = line.split(maxsplit=2)
            if runtime in runtimes.split(","):
                yield test, reason


def is_of(item, test):
    return item.nodeid == test or item.nodeid.startswith(test + "[")


def file_of(test):
    return test.split("::")[0]


def pytest_collection_modifyitems(items):
    exceptions = list(listed(os.environ["CPB_RUNTIME"]))
    special = {file_of(test) for test, _ in exceptions} - {"cli/test_threads.py"}

    def is_special(item):
        return file_of(item.nodeid) in special or any(is_of(item, test) for test, _ in exceptions)

    tried = set(one_in(3, [item for item in items if not is_special(item)]))
    items[:] = [item for item in items if is_special(item) or item in tried]
    for test, reason in exceptions:
        matching = [item for item in items if is_of(item, test)]
        if not matching and any(item.nodeid.startswith(file_of(test)) for item in items):
            raise pytest.UsageError(f"{LIST.name}: there is no test {test}")
        for item in matching:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
