"""A plugin of pytest: what exceptions.txt lists is expected to fail in the runtime that
CPB_RUNTIME names, and an error if it does not. It is counted as xfailed."""

import os
import pathlib

import pytest

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


def pytest_collection_modifyitems(items):
    for test, reason in listed(os.environ["CPB_RUNTIME"]):
        matching = [item for item in items if is_of(item, test)]
        if not matching and any(item.nodeid.startswith(test.split("::")[0]) for item in items):
            raise pytest.UsageError(f"{LIST.name}: there is no test {test}")
        for item in matching:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
