"""`limits`: the names are C's, each reaches its member of cpb_limits, and everything that takes them
keeps to them."""

import io
import os
import pathlib
import re

import pytest

import libcpb

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHUNKED = ROOT / "tests/data/cpb/real_tf_module/max3000_tr.cpb"
NAMES = list(libcpb.Limits.__annotations__)


def of_c():
    """The members of cpb_limits in their order."""
    header = (ROOT / "include/cpb/base.h").read_text()
    body = header[header.index("typedef struct cpb_limits {") : header.index("} cpb_limits;")]
    for names in re.findall(r"^  uint(?:32|64)_t (.*);", body, re.MULTILINE):
        yield from names.split(", ")


def test_the_names_are_those_of_c():
    assert NAMES == list(of_c())


def asked(limits):
    with libcpb.open_model(CHUNKED, limits=limits) as model:
        model.nodes(count=100000)


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_is_the_one_of_the_command(cpb, name, tmp_path):
    """Where the command is refused, so is Python, with the same sentence; and where it is not."""
    plain, out = tmp_path / "plain.pb", tmp_path / "out"
    libcpb.merge(CHUNKED, plain)
    for call, command in (
        (lambda how: libcpb.merge(CHUNKED, out, limits=how), ["merge", CHUNKED]),
        (lambda how: libcpb.repack(CHUNKED, out, limits=how), ["repack", CHUNKED]),
        (lambda how: libcpb.split(plain, out, limits=how), ["split", plain]),
        (asked, ["inspect", CHUNKED, "nodes", "--json", "-n", 100000]),
    ):
        output = [] if command[0] == "inspect" else ["-o", out, "-f"]
        result = cpb.run(*command, *output, "--limit", f"{name}=1")
        if result.returncode == 0:
            call({name: 1})
            continue
        with pytest.raises(libcpb.CpbError) as raised:
            call({name: 1})
        assert raised.value.code == "LIMIT"
        assert raised.value.args[0] in result.stderr.decode(), command


def test_messages_and_records():
    """What no command does by itself: reading on, after opening."""
    with libcpb.open(CHUNKED) as message:
        most = message.size
    with libcpb.open(CHUNKED, limits={"walked": most, "depth": 20}) as message:
        assert message.field("meta_graphs[0].graph_def").json()
    file = io.BytesIO()
    with libcpb.RecordWriter(file, window_log=22, chunk_size=8 << 20) as writer:
        writer.write_all(os.urandom(1000) for _ in range(6000))
    for limits, what in (
        ({"window": 1 << 18}, "window"),
        ({"records_per_chunk": 5999}, "records_per_chunk is 5999"),
        ({"entries": 1}, "`entries`"),
    ):
        with pytest.raises(libcpb.CpbError, match=what):
            list(libcpb.RecordReader(file.getvalue(), limits=limits))
    lifted = dict.fromkeys(NAMES, 2**64 - 1)
    lifted["depth"] = 2**32 - 1
    assert len(list(libcpb.RecordReader(file.getvalue(), limits=lifted))) == 6000


@pytest.mark.parametrize(
    "limits, what",
    [
        ({"nothing": 1}, r"limits has 'nothing'; expected any of riegeli_chunk, window, .*, index_per_byte"),
        ({"memory": 1}, "limits has 'memory'"),
        ({"riegeliChunk": 1}, "limits has 'riegeliChunk'"),
        ({"depth": 2**32}, r"limits\['depth'\] is 4294967296; expected 1 to 4294967295"),
        ({"held": 2**64}, r"limits\['held'\] is 18446744073709551616; expected 1 to 18446744073709551615"),
        ({"held": 0}, r"limits\['held'\] is 0; expected 1 to"),
        ({"held": -1}, r"limits\['held'\] is -1; expected 1 to"),
        ({"held": 1.5}, r"limits\['held'\] is 1.5; expected an int"),
        ({"held": True}, r"limits\['held'\] is True; expected an int"),
    ],
)
def test_what_is_wrong_is_said(limits, what, tmp_path):
    out = tmp_path / "out"
    for call in (libcpb.open, libcpb.open_model, libcpb.RecordReader):
        with pytest.raises(libcpb.CpbError, match=what) as raised:
            call(CHUNKED, limits=limits)
        assert raised.value.code == "USAGE"
    for call in (libcpb.merge, libcpb.split, libcpb.repack):
        with pytest.raises(libcpb.CpbError, match=what) as raised:
            call(CHUNKED, out, limits=limits)
        assert raised.value.code == "USAGE" and not out.exists()
    with pytest.raises(TypeError, match="limits is list; expected a mapping"):
        libcpb.open(CHUNKED, limits=[1])
