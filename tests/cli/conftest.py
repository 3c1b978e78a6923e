"""Files that the tests of the command work on."""

import shutil

import pytest

from conftest import DATA

FROZEN = DATA / "cpb" / "real_frozen_conv"
KERAS = DATA / "cpb" / "real_tf_keras_functional"


@pytest.fixture
def graph(tmp_path):
    """A GraphDef of 14 KiB."""
    return shutil.copy(FROZEN / "orig.pb", tmp_path / "graph.pb")


@pytest.fixture
def chunked(tmp_path):
    """The same, split by TensorFlow: six chunks and the index in one Riegeli chunk each or more."""
    return shutil.copy(FROZEN / "max1000_none.cpb", tmp_path / "graph.cpb")


@pytest.fixture
def riegeli(tmp_path):
    """A Riegeli file that is no .cpb: 1000 bytes a record, several blocks."""
    return shutil.copy(DATA / "corrupt" / "base_blocks.riegeli", tmp_path / "blocks.riegeli")


@pytest.fixture(scope="session")
def keras(tmp_path_factory):
    """A Keras model of 6 layers, as TensorFlow saves it; only to be read."""
    folder = tmp_path_factory.mktemp("keras") / "model"
    shutil.copytree(KERAS / "model", folder)
    shutil.copy(KERAS / "orig.pb", folder / "saved_model.pb")
    return folder


def parts(folder):
    """Names in a folder, to see that nothing was left behind."""
    return sorted(path.name for path in folder.iterdir())
