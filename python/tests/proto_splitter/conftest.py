"""Messages for these tests, of the types in tests/data/schema."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))

from support.messages import schema  # noqa: E402


@pytest.fixture(autouse=True)
def max_size():
    """Sets max_size() for one test."""
    from libcpb.proto_splitter import constants

    before = constants.max_size()
    yield constants.debug_set_max_size
    constants.debug_set_max_size(before)


@pytest.fixture(scope="session")
def type_of():
    """The class of a message type by its name, in a pool of its own."""
    return lambda name: schema(name).cls


class Testdata:
    """Message classes of TensorFlow's tests."""

    def __getattr__(self, name):
        return schema(f"tensorflow.proto_splitter_testdata.{name}").cls


@pytest.fixture(scope="session")
def testdata():
    return Testdata()
