"""python component_field.py cpb-component.wasm URL FIELD: writes a field, of which the server is asked for ranges."""
import sys
import urllib.request

import wasmtime
from wasmtime.component import Component, Linker, Record, ResourceHost, ResourceType

wasm, url, path = sys.argv[1:]


def read(first, last):
    request = urllib.request.Request(url, headers={"Range": f"bytes={first}-{last}"})
    with urllib.request.urlopen(request) as response:
        return response.read(), int(response.headers["Content-Range"].rpartition("/")[2])


engine = wasmtime.Engine()
store, linker = wasmtime.Store(engine), Linker(engine)
with linker.root() as root, root.add_instance("libcpb:cpb/source@0.1.0") as source:
    source.add_resource("source", ResourceType.host(1), lambda store, number: None)
    source.add_func("[method]source.size", lambda store, lent: lent.to_host(store) and read(0, 0)[1])
    source.add_func("[method]source.read-at", lambda store, lent, at, size, ahead:
                    lent.to_host(store) and read(at, at + size - 1)[0])
instance = linker.instantiate(store, Component.from_file(engine, wasm))


def call(interface, name, *arguments):
    index = instance.get_export_index(store, f"libcpb:cpb/{interface}@0.1.0")
    function = instance.get_func(store, instance.get_export_index(store, name, index))
    answer = function(store, *arguments)
    function.post_return(store)
    return sys.exit(answer.message) if isinstance(answer, Record) else answer


options = Record()
for name, value in {"form": "guess", "schema": None, "type-name": None, "read-size": None}.items():
    setattr(options, name, value)
field = call("messages", "open-field", ResourceHost.own(0, 1).to_any(store), options, path)
content = call("messages", "[method]field.read", field, 0, None)
while (piece := call("chunked", "[method]content.next", content, 65536)) is not None:
    sys.stdout.buffer.write(bytes(piece))
