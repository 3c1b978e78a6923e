#!/usr/bin/env bash
# tests/coverage.sh BUILD_DIR: prints the coverage of src/ and fails below the
# floors: 95 % of lines and 90 % of branches over all.
set -euo pipefail
gcovr --root . --filter 'src/' --exclude-unreachable-branches --exclude-throw-branches \
  --print-summary --sort-percentage --txt "$1/coverage.txt" "$1"
cat "$1/coverage.txt"
gcovr --root . --filter 'src/' --exclude-unreachable-branches --json-summary "$1/coverage.json" "$1" >/dev/null
python3 - "$1/coverage.json" <<'PYTHON'
import json, sys
summary = json.load(open(sys.argv[1]))
ok = True
for what, floor in (("line", 95), ("branch", 90)):
    percent = summary[f"{what}_percent"]
    print(f"{'branches' if what == 'branch' else 'lines'}: {percent} % (floor {floor} %)")
    ok = ok and percent >= floor
sys.exit(not ok)
PYTHON
