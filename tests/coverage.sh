#!/usr/bin/env bash
# tests/coverage.sh BUILD_DIR: prints what of src/ the tests reached, and fails
# below the floors: 95 % of lines and 90 % of branches over all, and everything
# in the files that hold framing, varints and bounds.
#
# `throw` and `unreachable` branches are the compiler's own, not the code's;
# what nanopb generates lies in the build directory and is not ours.
set -euo pipefail
timeout 600 gcovr --root . --filter 'src/' --exclude '.*\.pb\.[ch]$' \
  --exclude-throw-branches --exclude-unreachable-branches -j "$(nproc)" \
  --json "$1/coverage.json" "$1" >/dev/null
python3 - "$1/coverage.json" <<'PYTHON'
import json, sys
from collections import defaultdict

LINES, BRANCHES = 95, 90
WHOLE = ["base/bytes.h", "base/checked.h", "base/input.c", "proto/wire.c", "riegeli/block.c", "riegeli/block.h",
         "riegeli/highwayhash.c"]

def ranges(numbers):
    numbers, out = sorted(numbers), []
    for n in numbers:
        if out and out[-1][1] == n - 1: out[-1][1] = n
        else: out.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)

def percent(part): return 100 * part[0] / part[1] if part[1] else 100.0

total, folders, files = ([0, 0], [0, 0]), defaultdict(lambda: ([0, 0], [0, 0])), {}
print(f"{'file':32} {'lines':>7} {'branches':>9}  not reached; ~ not both ways")
for file in sorted(json.load(open(sys.argv[1]))["files"], key=lambda f: f["file"]):
    name, lines, branches, missing, half = file["file"].removeprefix("src/"), [0, 0], [0, 0], [], []
    for line in file["lines"]:
        if line.get("gcovr/noncode"): continue
        lines[1] += 1
        lines[0] += line["count"] > 0
        taken = sum(b["count"] > 0 for b in line["branches"])
        branches[0] += taken
        branches[1] += len(line["branches"])
        if line["count"] == 0: missing.append(line["line_number"])
        elif taken < len(line["branches"]): half.append(line["line_number"])
    files[name] = (lines, branches)
    for sums in (total, folders[name.split("/")[0]]):
        for sum_, part in zip(sums, (lines, branches)):
            sum_[0] += part[0]
            sum_[1] += part[1]
    print(f"{name:32} {percent(lines):6.1f}% {percent(branches):8.1f}%  {ranges(missing)}{' ~' + ranges(half) if half else ''}")

print()
for name, (lines, branches) in sorted(folders.items()):
    print(f"{name:32} {percent(lines):6.1f}% {percent(branches):8.1f}%  of {lines[1]} lines, {branches[1]} branches")
failed = [f"{name} is not reached as a whole" for name in WHOLE if files[name][0][0] < files[name][0][1] or files[name][1][0] < files[name][1][1]]
for what, part, floor in (("lines", total[0], LINES), ("branches", total[1], BRANCHES)):
    print(f"{what}: {percent(part):.1f} % (floor {floor} %)")
    if percent(part) < floor: failed.append(f"too few {what} are reached")
print(*failed, sep="\n")
sys.exit(bool(failed))
PYTHON
