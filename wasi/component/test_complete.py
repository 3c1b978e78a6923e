"""cpb-complete.wasm: questions about models, and messages that are split, through wasmtime and through jco in Node,
against the native command; and that it has all of cpb-component.wasm."""

import collections
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import zipfile

import pytest

from component_support import CPB, DATA, EXIT, FOLDER, Watched, error_of, fail, sha, through_jco, transpiled, whole
from cpb_component import (CHUNKED, ENGINE, FOLDER as FOLDERS, MESSAGES, MODELS, RECORDS, SOURCE, SPLITS, CpbError,
                           Folder, Instance, Path, load)
from support.wire import field, varint

WASM = str(FOLDER / "cpb-complete.wasm")
CASES = DATA / "cases"
MODULE = DATA / "cpb" / "real_tf_module"
QUESTIONS = ("overview", "functions", "nodes", "ops", "layers", "constants", "scopes", "variables", "search", "objects",
             "signature", "tag")


# --- What it is made of -----------------------------------------------------------------------

def test_the_component_imports_what_the_host_lends_and_nothing_else():
    kind = load(WASM).type
    assert set(kind.imports(ENGINE)) == {SOURCE, FOLDERS}
    assert set(kind.exports(ENGINE)) == {CHUNKED, MESSAGES, RECORDS, MODELS, SPLITS}


def test_its_size():
    size = os.path.getsize(WASM)
    print(f"\ncpb-complete.wasm: {size} bytes")
    assert size <= 1_627_000


def test_it_reads_as_the_small_one():
    path = DATA / "cpb" / "graph_mixed-large" / "max1000_zstd.cpb"
    with Instance(WASM).open_message(Path(path)) as message, message.field("node[0].name") as found:
        wanted = subprocess.run([CPB, "cat", path, "--field", "node[0].name"], capture_output=True, check=True).stdout
        assert whole(found.read()) == wanted


# --- Models ---------------------------------------------------------------------------------------

@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Files of all kinds, some with others beside them."""
    folder = tmp_path_factory.mktemp("models")
    with zipfile.ZipFile(folder / "package.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((CASES / "flex.mlpackage").rglob("*")):
            archive.write(path, path.relative_to(CASES))
    shutil.copy(MODULE / "orig.pb", folder / "saved_model.pb")
    (folder / "fingerprint.pb").write_bytes(varint(1 << 3) + varint(1234))
    subprocess.run([CPB, "split", folder / "saved_model.pb", "--files", "3", "--max-chunk-size", "2K", "-o",
                    folder / "several.cpb"], check=True, capture_output=True)
    made = [folder / "package.zip", folder / "saved_model.pb", folder / "several.cpb", DATA / "samediff_small/minimal.zip",
            DATA / "samediff_small/linear.fb", CASES / "tf2/ck-1.index", CASES / "m.ckpt.meta", CASES / "v1/m.ckpt",
            CASES / "upd.mlmodel", CASES / "b.onnx", CASES / "attrs.onnx", CASES / "if_branch.onnx",
            sorted((DATA / "cpb/real_frozen_conv").glob("*.cpb"))[0]]
    return [path for path in made if path.exists()]


def inspect(path, *words):
    done = subprocess.run([CPB, "inspect", path, *words, "--json"], capture_output=True)
    return json.loads(done.stdout) if done.stdout else {"error": done.returncode}


@pytest.fixture(scope="session")
def native(models):
    return {str(path): {question: inspect(path, question) for question in QUESTIONS} for path in models}


def asked(model, question):
    try:
        return model.ask(question)
    except CpbError as error:
        return {"error": error.code, "text": str(error)}


def through_wasmtime(paths):
    instance, answers = Instance(WASM), {}
    for path in map(pathlib.Path, paths):
        with instance.open_model(Path(path), Folder(path.parent), path.name) as model:
            answers[str(path)] = {question: asked(model, question) for question in QUESTIONS}
    assert instance.sources == {}
    return answers


@pytest.fixture(scope="session")
def complete(tmp_path_factory):
    return transpiled(WASM, tmp_path_factory.mktemp("jco-complete"))


@pytest.fixture(params=["wasmtime", "jco"])
def component(request):
    if request.param == "wasmtime":
        return through_wasmtime
    module = request.getfixturevalue("complete")
    return lambda paths: through_jco(module, models=paths, questions=QUESTIONS)


def test_questions_are_answered_as_natively(component, models, native):
    answers, count = component([str(path) for path in models]), 0
    for path, wanted in native.items():
        for question, answer in wanted.items():
            got = answers[path][question]
            if set(answer) == {"error"}:
                assert EXIT[got["error"]] == answer["error"], (path, question, got)
            else:
                count += 1
                assert got == answer, (path, question)
    assert len(models) == 13 and count > 80


def test_arguments_of_questions(models):
    path, instance = CASES / "attrs.onnx", Instance(WASM)
    nodes = inspect(path, "nodes")["nodes"]["items"]
    with instance.open_model(Path(path)) as model:
        assert model.kind() == "onnx"
        assert model.ask("nodes", first=1, count=2) == inspect(path, "nodes", "--first", "1", "--count", "2")
        name = nodes[0]["name"]
        assert model.ask("node", name=name) == inspect(path, "node", name)
        assert model.ask("downstream", name=name, distance=1) == inspect(path, "downstream", name, "--distance", "1")
        assert error_of(lambda: model.ask("node", name="none"))[0] == "not-found"
        assert error_of(lambda: model.ask("noode")) == ("usage", 'there is no question "noode"')
        assert error_of(lambda: model.ask("tag"))[0] == "unsupported"
        assert model.ask("ops") == inspect(path, "ops")


def test_a_model_without_a_folder_has_no_files_beside_it(models):
    path = models[1]
    with Instance(WASM).open_model(Path(path), name="saved_model.pb") as model:
        got, wanted = model.ask("overview"), inspect(path, "overview")
        assert "fingerprint" in wanted and "fingerprint" not in got
    code, text = error_of(lambda: Instance(WASM).open_model(Path(models[2]), name="several.cpb"))
    assert code == "read" and "the host lends no folder" in text


class Asked(Folder):
    def __init__(self, path, fault=None):
        super().__init__(path)
        self.names, self.fault = [], fault

    def open(self, name):
        self.names.append(name)
        return self.fault() if self.fault else super().open(name)


def test_the_folder_is_asked_for_names_in_it_alone(models, tmp_path):
    folder = Asked(models[1].parent)
    with Instance(WASM).open_model(Path(models[1]), folder, "saved_model.pb") as model:
        model.ask("overview")
    assert folder.names == ["keras_metadata.pb", "variables/variables.index", "fingerprint.pb"]


def test_names_that_an_index_has_lead_nowhere_else():
    instance, read, refused = Instance(WASM), 0, 0
    for path in sorted((DATA / "several_files").glob("*.cpb")):
        if "-of-" in path.name:
            continue
        folder, wanted = Asked(path.parent), inspect(path, "overview")
        try:
            with instance.open_model(Path(path), folder, path.name) as model:
                assert model.ask("overview") == wanted
                read += 1
        except CpbError as error:
            assert wanted == {"error": EXIT[error.code]}, (path, error)
            refused += 1
        for name in folder.names:
            assert not name.startswith("/") and "://" not in name and "\\" not in name, path
            assert not {"", ".", ".."} & set(name.split("/")), path
    assert instance.sources == {} and read >= 2 and refused > 3


def test_a_folder_that_fails_is_an_error_that_names_the_file(models):
    folder = Asked(models[1].parent, lambda: fail("the store is down"))
    with Instance(WASM).open_model(Path(models[1]), folder, "saved_model.pb") as model:
        assert error_of(lambda: model.ask("overview")) == ("read", "keras_metadata.pb: the store is down")
        assert model.ask("functions") == inspect(models[1], "functions")


def test_files_that_are_no_models_are_named_as_what_they_are(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<!DOCTYPE html><html><head>")
    assert error_of(lambda: Instance(WASM).open_model(Path(path)))[0] == "format"
    assert error_of(lambda: Instance(WASM).open_model(Path(path), name="x" * 5000))[0] == "usage"


def test_models_give_their_memory_back(models):
    instance = Instance(WASM, 6 << 20)
    for _ in range(8):
        with instance.open_model(Path(models[1]), Folder(models[1].parent), "saved_model.pb") as model:
            model.ask("overview")
            with pytest.raises(CpbError):
                model.ask("x" * 9000)
    assert instance.sources == {}


# --- Splits ----------------------------------------------------------------------------------------

@pytest.fixture(scope="session")
def message(tmp_path_factory):
    """A graph of 30 constants of 60 KB, some of which compress."""
    path = tmp_path_factory.mktemp("split") / "m.pb"
    with open(path, "wb") as file:
        for i in range(30):
            tensor = varint(1 << 3) + varint(7) + field(4, bytes(range(i % 250 + 1)) * (60_000 // (i % 250 + 1)))
            value = field(5, field(1, b"value") + field(2, field(8, tensor)))
            file.write(field(1, field(1, b"n%d" % i) + field(2, b"Const") + value))
    return path


HOW = [({}, []), ({"codec": "brotli", "level": 3}, ["--codec", "brotli:3"]), ({"codec": "none"}, ["--codec", "none"]),
       ({"codec": "snappy", "max_chunk_size": 20_000}, ["--codec", "snappy", "--max-chunk-size", "20000"]),
       ({"codec": "zstd", "level": 19}, ["--codec", "zstd:19"]), ({"layout": "compat"}, ["--layout", "compat"]),
       ({"for_memory": 256 << 10}, ["--for-memory", "256K"])]


@pytest.fixture(scope="session")
def split_natively(message):
    made = []
    for _, words in HOW:
        out = message.with_name("native.cpb")
        subprocess.run([CPB, "split", message, "-f", "-o", out, *words], check=True, capture_output=True)
        made.append(sha(out.read_bytes()))
    return made


def test_files_are_those_of_the_command(message, split_natively):
    instance = Instance(WASM)
    for (how, words), wanted in zip(HOW, split_natively):
        assert sha(whole(instance.split(Path(message), **how), 100_000)) == wanted, words
    assert instance.sources == {}


def test_files_are_those_of_the_command_through_jco(message, split_natively, complete):
    assert through_jco(complete, split=str(message)) == split_natively[0]


def test_splitting_reads_twice_and_holds_little(message):
    source = Watched(message)
    pieces = Instance(WASM, 5 << 20).split(source, codec="none", type_name="tensorflow.GraphDef", read_size=16384)
    assert sum(map(len, pieces.pieces(50_000))) > source.size()
    assert source.bytes() < 2.2 * source.size()


def test_mistakes_of_a_split_are_reported(message, tmp_path):
    instance = Instance(WASM)
    assert "no.Such" in error_of(lambda: whole(instance.split(Path(message), type_name="no.Such")))[1]
    assert error_of(lambda: whole(instance.split(Path(message), codec="none", buffer=1024)))[0] == "limit"
    assert error_of(lambda: whole(instance.split(Path(message), codec="zstd", level=99)))[0] == "usage"
    assert error_of(lambda: instance.split(Path(message), schema=b"none"))[0] == "damaged"
    cut = tmp_path / "cut.pb"
    cut.write_bytes(message.read_bytes()[:-100])
    assert error_of(lambda: whole(instance.split(Path(cut), type_name="tensorflow.GraphDef")))[0] == "damaged"
    assert instance.sources == {}


# --- Hosts that give little, files that mean harm ----------------------------------------------------

def attempt(call):
    """A result, or an error that is a value: nothing traps."""
    try:
        call()
        return "ok"
    except CpbError as error:
        return error.code


def test_memory_that_may_not_grow_is_an_error_and_never_a_trap(models, message):
    codes = set()
    for kilobytes in range(1024, 4096, 192):
        instance = Instance(WASM, kilobytes << 10)
        for path in (models[0], models[1], models[10]):
            with contextlib.suppress(CpbError):
                with instance.open_model(Path(path), Folder(path.parent), path.name) as model:
                    codes |= {attempt(lambda: model.ask(question)) for question in ("overview", "nodes", "layers")}
        codes.add(attempt(lambda: whole(instance.split(Path(message), codec="zstd"), 60_000)))
        assert instance.sources == {}
    assert codes <= {"ok", "memory", "unsupported", "usage"} and {"ok", "memory"} <= codes


class Bytes:
    def __init__(self, data):
        self.data = bytes(data)

    def size(self):
        return len(self.data)

    def read_at(self, offset, length, _ahead):
        return self.data[offset:offset + length]


def changed(chance, data):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(data))
        data[at:at + chance.choice((0, 1, 1, 30))] = chance.randbytes(chance.choice((0, 1, 1, 9)))
    return data


def test_changed_files_are_read_or_refused(models):
    """Whatever is changed in them, in one instance, which goes on."""
    chance, instance, codes = random.Random(5), Instance(WASM, 64 << 20), collections.Counter()
    files = [MODULE / "orig.pb", DATA / "cpb/graph_mixed-large/max1000_zstd.cpb", CASES / "attrs.onnx"]

    def look(data):
        with instance.open_message(Bytes(data)) as message:
            for path in ("meta_graphs[0].graph_def.library", "graph.node[0]", 'node[0].attr["value"]', "2[0].1"):
                codes[attempt(lambda: whole(message.field(path).read(0, 5000)))] += 1
                codes[attempt(lambda: whole(message.field(path).json(100)))] += 1

    def ask(data, name):
        with instance.open_model(Bytes(data), name=name) as model:
            codes.update(attempt(lambda: model.ask(question)) for question in ("overview", "nodes", "constants"))

    for path in files * 40:
        data = changed(chance, path.read_bytes())
        codes[attempt(lambda: look(data))] += 1
        codes[attempt(lambda: [whole(content) for _, _, content in instance.open_records(Bytes(data))])] += 1
        codes[attempt(lambda: ask(data, path.name))] += 1
        codes[attempt(lambda: whole(instance.split(Bytes(data)), 100_000))] += 1
    assert codes["ok"] > 100 and codes["damaged"] > 100 and "memory" not in codes


@pytest.mark.parametrize("wasm", [WASM, str(FOLDER / "cpb-component.wasm")], ids=["complete", "component"])
def test_messages_that_are_nested_deep_do_not_overflow_the_stack(wasm):
    """Each is an attribute of the function that is the value of the one around it."""
    value = field(3, b"")
    for _ in range(48):
        value = field(10, field(1, b"f") + field(2, field(1, b"a") + field(2, value)))
    graph = field(1, field(1, b"n") + field(5, field(1, b"a") + field(2, value)))
    path = 'node[0].attr["a"]' + '.func.attr["a"]' * 30
    with Instance(wasm).open_message(Bytes(graph), "tensorflow.GraphDef") as message:
        assert whole(message.field(path).read())
        shown = json.loads(whole(message.field(path).json()))
        for _ in range(17):
            shown = shown["func"]["attr"]["a"]
        assert attempt(lambda: whole(message.field("node").json(0))) in ("ok", "limit", "damaged")
        assert attempt(lambda: message.field('node[0].attr["a"]' + '.func.attr["a"]' * 49)) == "not-found"
