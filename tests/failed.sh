#!/bin/sh
# What tests/failed.awk finds in a log.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/log" <<'LOG'
model/test_x.py .F
FAILED model/test_x.py::test_y[a b] - AssertionError: no
FAILED model/test_x.py::test_y[a b] - AssertionError: no
ERROR model/test_z.py
SKIPPED [1] model/test_x.py:3: why
The following tests FAILED:
    4 - pins (Failed)
Errors while running CTest
    5 - other (Skipped)
FAILED  amalgamation: no warning of emcc
riegeli FAILED
riegeli 12
node      ok      web/test/a.test.js      1 passed, 0 failed, 0 skipped  8 ms
    not ok 1 - of no file that failed
node      FAILED  web/test/b.test.js      1 passed, 1 failed, 0 skipped  8 ms
    ok 1 - this
    not ok 2 - that
deno      FAILED  web/test/b.test.js      1 passed, 1 failed, 0 skipped  8 ms
    that ... FAILED (7ms)
bun       FAILED  web/test/b.test.js      1 passed, 1 failed, 0 skipped  8 ms
    (fail) that [7 ms]
firefox   FAILED  web/test/b.test.js      0 passed, 1 failed, 0 skipped  8 ms
webkit    FAILED  web/test/b.test.js      1 passed, 1 failed, 0 skipped  8 ms
    not ok - passes when alone: 1 clicks
chromium  FAILED  Error: it is not installed

webkit web/test/b.test.js: 1 passed, 1 failed, 0 skipped; once more, alone. At first:
    not ok - passes when alone: 1 clicks
webkit    ok      web/test/b.test.js      2 passed, 0 failed, 0 skipped  8 ms
again: webkit web/test/b.test.js
wasmtime: 7 passed (0 excused), 1 failed in 1.0s
not the same verdicts: wasmtime
LOG
cat >"$work/right" <<'RIGHT'
  here: model/test_x.py::test_y[a b] - AssertionError: no
  here: model/test_z.py
  here: pins (Failed)
  here: amalgamation: no warning of emcc
  here: riegeli
  here: node web/test/b.test.js: that
  here: deno web/test/b.test.js: that
  here: bun web/test/b.test.js: that [7 ms]
  here: chromium  FAILED  Error: it is not installed
  here: not the same verdicts: wasmtime
  here: firefox web/test/b.test.js
RIGHT
awk -v stage=here -f failed.awk "$work/log" | diff "$work/right" -
