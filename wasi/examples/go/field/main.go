// field cpb-core-field.wasm URL PATH > field: one field of a .cpb file, of which the server is asked for ranges.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/tetratelabs/wazero"
)

func main() {
	c, url, path, size := context.Background(), os.Args[2], os.Args[3], uint64(0)
	wasm, _ := os.ReadFile(os.Args[1])
	module, _ := wazero.NewRuntime(c).Instantiate(c, wasm)
	find, memory := module.ExportedFunction, module.Memory()
	call := func(f string, v ...uint64) uint64 { r, _ := find(f).Call(c, v...); return append(r, 0)[0] }
	view := func(at, n uint64) []byte { b, _ := memory.Read(uint32(at), uint32(n)); return b }
	u32 := func(at uint64) uint64 { n, _ := memory.ReadUint32Le(uint32(at)); return uint64(n) }

	at := call("malloc", 36+65536) // for cpb_field_reader_options (not verified, 1 MiB of memory), then the window
	copy(view(at, 36+65536), append([]byte{0: 36, 4: 2, 10: 16, 35: 0}, path...))
	reader := call("cpb_field_reader_new", 0, at)
	call("cpb_field_reader_read", reader, at+36, uint64(len(path)), 0, 1<<63)
	for step := call("cpb_field_reader_step", reader); step != 0; step = call("cpb_field_reader_step", reader) {
		if step == 3 { // bytes of the field
			os.Stdout.Write(view(call("cpb_field_reader_data", reader, at), u32(at)))
		} else if step == 1 { // cpb_need: offset and length
			input := call("cpb_field_reader_input", reader)
			call("cpb_input_need", input, at)
			offset, length := u32(at+8)|u32(at+12)<<32, max(u32(at+16), 1)
			request, _ := http.NewRequest("GET", url, nil)
			request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
			response, _ := http.DefaultClient.Do(request)
			got, _ := io.ReadFull(response.Body, view(at+36, length))
			fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-%d/%d", new(int), new(int), &size)
			call("cpb_input_end", input, size)
			call("cpb_input_supply", input, offset, at+36, uint64(got))
		} else {
			panic(string(view(call("cpb_field_reader_error", reader)+16, 256)))
		}
	}
}
