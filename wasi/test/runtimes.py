"""The runtimes that the command is tested in, and how each is started with every directory open.
wasi/test/setup.sh installs them. The interpreters run cpb-cli-plain.wasm, all others cpb-cli.wasm,
which has SIMD.

runtimes.py NAME: prints the command that runs it in the runtime."""

import dataclasses
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def module_path(name):
    return pathlib.Path(os.environ.get("CPB_WASI", ROOT / "build" / "wasi")) / f"{name}.wasm"


MODULE, PLAIN = str(module_path("cpb-cli")), str(module_path("cpb-cli-plain"))
TOOLS = ROOT / "build" / "tools"

# wasi-libc takes "/" and "." for the same, so what is in "/" is opened by name.
FOLDERS = [".", *sorted(str(path) for path in pathlib.Path("/").iterdir() if path.is_dir())]


@dataclasses.dataclass
class Runtime:
    name: str
    program: list
    each: list = None  # runs several commands, as each.h says


# V8's fast calls into Node 20's WASI go on with the old memory once it has grown, and crash.
NODE = ["node", "--no-warnings", "--no-turbo-fast-api-calls"]

RUNTIMES = {runtime.name: runtime for runtime in [
    Runtime("wasmtime", [TOOLS / "wasi-wasmtime", MODULE],
            each=[TOOLS / "wasi-wasmtime", "--each", MODULE]),
    Runtime("wazero", [TOOLS / "wazero", "run", f"-cachedir={TOOLS / '.wazero'}", "-env-inherit",
                       *(f"-mount={folder}:{folder}" for folder in FOLDERS), MODULE],
            each=[TOOLS / "wazero-each", MODULE, TOOLS / ".wazero"]),
    Runtime("wasmi", [TOOLS / "bin" / "wasmi", *(f"--dir={folder}" for folder in FOLDERS), PLAIN]),
    Runtime("wasm3", [TOOLS / "wasi-wasm3", PLAIN], each=[TOOLS / "wasi-wasm3", "--each", PLAIN]),
    Runtime("node", [*NODE, ROOT / "wasi" / "test" / "node.js", MODULE],
            each=[*NODE, ROOT / "wasi" / "test" / "node-each.js", MODULE]),
]}

# To build wasmi takes longer than all that the others are asked; wasm3 interprets the same module.
DEFAULT = [name for name in RUNTIMES if name != "wasmi" or os.environ.get("CPB_TEST_ALL")]

if __name__ == "__main__":
    print(*RUNTIMES[sys.argv[1]].program)
