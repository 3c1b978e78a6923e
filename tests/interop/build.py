"""Programs that others wrote, built once into build/interop; all of them at a time by

    python3 tests/interop/build.py
"""

import importlib.util
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("CPB_INTEROP_BUILD", HERE.parent.parent / "build" / "interop"))
sys.path.append(str(HERE.parent))

from support import nd4j as nd4j_process  # noqa: E402
from support.once import once  # noqa: E402


def tf_merger():
    """TensorFlow's Merger as a command."""
    tensorflow = pathlib.Path(importlib.util.find_spec("tensorflow").submodule_search_locations[0])
    source = HERE / "tf_merger" / "tf_merger.cc"

    def build(out):
        subprocess.run(["g++", "-std=c++17", "-O1", source, f"-I{tensorflow}/include", f"-L{tensorflow}",
                        "-l:libtensorflow_framework.so.2", f"-Wl,-rpath,{tensorflow}", "-o", out], check=True)

    return once(BUILD / "tf_merger", build, [source])


def riegeli_rs():
    """The Rust crate `riegeli` as a command. To optimize it takes most of the time, and is for tests/bench, which
    takes what is built with CPB_TEST_ALL."""
    target = BUILD / "cargo"
    settings = {"DEBUG": "0", "DEBUG_ASSERTIONS": "false", "OVERFLOW_CHECKS": "false"}
    environment = os.environ | {f"CARGO_PROFILE_DEV_{name}": value for name, value in settings.items()}
    environment["CARGO_INCREMENTAL"] = "0"
    environment["ZSTD_SYS_USE_PKG_CONFIG"] = "1"  # the system's library instead of one more compiled
    release = bool(os.environ.get("CPB_TEST_ALL"))
    subprocess.run(["cargo", "build", *["--release"] * release, "--quiet", "--locked", "--manifest-path",
                    HERE / "riegeli-rs" / "Cargo.toml", "--target-dir", target], check=True, env=environment)
    return target / ("release" if release else "debug") / "riegeli-rs"


def nd4j():
    """The folder of the program around ND4J."""
    nd4j_process.build(BUILD / "nd4j")
    return BUILD / "nd4j"


if __name__ == "__main__":
    for program in (tf_merger(), riegeli_rs(), nd4j()):
        print(program)
