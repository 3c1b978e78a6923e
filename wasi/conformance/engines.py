"""What a host does with the engines of a module: a file's chunks, records and merged
message. `instance` is tape.Instance."""

import hashlib

DONE, NEED, RECORD, DATA, SKIPPED = 0, 1, 2, 3, 4  # cpb_step
FAILED = 0xFFFFFFFF
NEED_SIZE = 2  # cpb_need_kind
REST = 0xFFFFFFFFFFFFFFFF


class EngineError(Exception):
    """`code` is a number, `offset` None where there is none."""

    def __init__(self, code, offset, message):
        super().__init__(message)
        self.code, self.offset = code, offset


class File:
    """A file that engines of an instance read, through a window of its memory."""

    def __init__(self, instance, data, window=65536):
        self.instance, self.data, self.window_size = instance, data, window
        self.need, self.window = self.allocate(32), self.allocate(window)

    def allocate(self, size):
        at = self.instance.call("malloc", size)
        if at == 0:
            raise EngineError(2, None, "out of memory")
        return at

    def close(self):
        for at in (self.need, self.window):
            self.instance.call("free", at)

    def answer(self, source):
        """Lends the bytes that an engine asks for."""
        self.instance.call("cpb_input_need", source, self.need)
        kind, offset, length = self.instance.unpack("<I4xQI", self.need)
        if kind == NEED_SIZE or offset >= len(self.data):
            self.instance.call("cpb_input_end", source, len(self.data))
            return
        data = self.data[offset:offset + min(length, self.window_size)]
        self.instance.write(self.window, data)
        self.instance.call("cpb_input_supply", source, offset, self.window, len(data))

    def text(self, at):
        return self.instance.read(at, 256).split(b"\0")[0].decode()

    def error(self, at):
        code, offset = self.instance.unpack("<i4xQ", at)
        return EngineError(code, None if offset == REST else offset, self.text(at + 16))


class Engine:
    """One of the engines `cpb_KIND_*`, reading a file."""

    def __init__(self, kind, file, *arguments):
        self.kind, self.file = kind, file
        self.pointer = file.instance.call(f"cpb_{kind}_new", *arguments)
        if self.pointer == 0:
            raise EngineError(2, None, "out of memory")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("free")

    def call(self, name, *arguments):
        return self.file.instance.call(f"cpb_{self.kind}_{name}", self.pointer, *arguments)

    def steps(self):
        """What it answers that is for the host, until it is done."""
        while (step := self.call("step")) != DONE:
            if step == NEED:
                self.file.answer(self.call("input"))
            elif step == FAILED:
                raise self.file.error(self.call("error"))
            else:
                yield step

    def finish(self):
        for _ in self.steps():
            pass

    def data(self):
        """The bytes after DATA."""
        at = self.call("data", self.file.need)
        return self.file.instance.read(at, self.file.instance.unpack("<I", self.file.need)[0])

    def read(self, *arguments):
        """The bytes that its `read` asks for."""
        code = self.call("read", *arguments)
        if code != 0:
            raise EngineError(code, None, f"{arguments} cannot be read")
        return b"".join(self.data() for _ in self.steps())


def outcome(work, *arguments):
    """What it gives, or its error."""
    try:
        return work(*arguments)
    except EngineError as error:
        return error


def pager(file, memory):
    options = file.allocate(20)
    file.instance.write(options, b"".join(value.to_bytes(4, "little") for value in (20, 0, memory, 0, 0)))
    engine = Engine("pager", file, 0, options)
    file.instance.call("free", options)
    return engine


def chunk(file, memory, number):
    with pager(file, memory) as engine:
        engine.finish()
        return engine.read(number, 0, REST)


def num_chunks(file, memory):
    with pager(file, memory) as engine:
        engine.finish()
        return engine.call("num_chunks")


def merged(file):
    """The merged message; its middle once more by itself."""
    with Engine("index", file, 0, 0) as index:
        index.finish()
        with Engine("merge", file, 0, index.pointer, 0) as merge:
            merge.finish()
            size = merge.call("size")
            whole = merge.read(0, REST)
            assert len(whole) == size and merge.read(size // 3, size // 3) == whole[size // 3:size // 3 * 2]
            return whole


def records(file, recover):
    """What `cpb records --json --sha256` says: of each record its chunk's begin, index, size and
    SHA-256; of what was left out its begin, end and the reason; the error."""
    options = file.allocate(40)
    file.instance.write(options, b"".join(value.to_bytes(4, "little") for value in (40, recover)) + bytes(32))
    found, row, left = [], None, 0
    with Engine("record_reader", file, 0, options) as reader:
        try:
            for step in reader.steps():
                if step == RECORD:
                    _, *row = file.instance.unpack("<4Q", reader.call("record"))
                    left, digest = row[2], hashlib.sha256()
                elif step == DATA:
                    data = reader.data()
                    digest.update(data)
                    left -= len(data)
                elif step == SKIPPED:  # what is left of a record, too
                    begin, end, reason = file.instance.unpack("<QQI", reader.call("skipped"))
                    found.append((begin, end, file.text(reason)))
                    row = None
                if row and left == 0:
                    found.append((*row, digest.hexdigest()))
                    row = None
        except EngineError as error:
            found.append(error)
    file.instance.call("free", options)
    return found
