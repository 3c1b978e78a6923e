import pytest

from component_support import FOLDER, transpiled


@pytest.fixture(scope="session")
def javascript(tmp_path_factory):
    return transpiled(str(FOLDER / "cpb-component.wasm"), tmp_path_factory.mktemp("jco"))
