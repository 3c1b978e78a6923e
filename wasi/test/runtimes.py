"""The runtimes that the command is tested in, and how each is started with every directory open.
wasi/test/setup.sh installs them. Node runs cpb-cli-simd.wasm, all others cpb-cli.wasm.

runtimes.py NAME: prints the command that runs it in the runtime."""

import dataclasses
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def module_path(name):
    return pathlib.Path(os.environ.get("CPB_WASI", ROOT / "build" / "wasi")) / f"{name}.wasm"


MODULE, SIMD = str(module_path("cpb-cli")), str(module_path("cpb-cli-simd"))
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
    Runtime("wasmi", [TOOLS / "bin" / "wasmi", *(f"--dir={folder}" for folder in FOLDERS), MODULE]),
    Runtime("wasm3", [TOOLS / "wasi-wasm3", MODULE], each=[TOOLS / "wasi-wasm3", "--each", MODULE]),
    Runtime("node", [*NODE, ROOT / "wasi" / "test" / "node.js", SIMD],
            each=[*NODE, ROOT / "wasi" / "test" / "node-each.js", SIMD]),
]}

if __name__ == "__main__":
    print(*RUNTIMES[sys.argv[1]].program)
