"""The programs that play a tape: PROGRAM TAPE MODULE."""

import dataclasses
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parent.parent / "build" / "tools"


def build_wasm3():
    out, wasm3 = TOOLS / "play-wasm3", TOOLS / "wasm3"
    if not out.exists() or out.stat().st_mtime < (HERE / "play.c").stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-w", f"-I{wasm3}", HERE / "play.c", *wasm3.glob("*.c"), "-lm", "-o", out],
                       check=True)
    return [out]


def build_wazero():
    out = TOOLS / "play-wazero"
    subprocess.run(["go", "build", "-o", out, "."], cwd=HERE / "go", check=True)
    return [out]


def build_wasmi():
    target = TOOLS.parent / "rust"  # with the example's, whose crates are the same
    subprocess.run(["cargo", "build", "--quiet", "--release", "--locked", "--target-dir", target],
                   cwd=HERE / "rust", check=True)
    return [target / "release" / "cpb-play"]


@dataclasses.dataclass
class Player:
    program: callable  # makes it, and gives the words of its command
    without: tuple = ()  # modules that the runtime cannot run


PLAYERS = {
    "wazero": Player(build_wazero),
    "wasmi": Player(build_wasmi, without=("-simd",)),
    "wasm3": Player(build_wasm3, without=("-simd",)),
    "node": Player(lambda: ["node", HERE / "play.js"]),
}

# To build wasmi takes longer than all that the others play; wasm3 interprets, too.
DEFAULT = [name for name in PLAYERS if name != "wasmi" or os.environ.get("CPB_TEST_ALL")]
