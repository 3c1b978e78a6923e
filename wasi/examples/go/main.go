// Reads a chunk of a .cpb file with cpb-core.wasm in wazero, in a fixed memory.
//
//	cpb-pager cpb-core.wasm MODEL.cpb CHUNK [PAGES] > chunk
//
// PAGES is how many pages of 64 KiB the module's whole memory may have; 4 by default.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const (
	page = 65536

	stepDone = 0
	stepNeed = 1
	stepData = 3

	needSize = 2
)

var errMemory = errors.New("out of memory")

// Pager has the chunks of an open file.
type Pager struct {
	ctx                 context.Context
	module              api.Module
	file                io.ReaderAt
	size                uint64
	pager, need, window uint32
	readSize            uint32
}

// Open opens a file of so many bytes.
func Open(ctx context.Context, wasm []byte, file io.ReaderAt, size uint64, pages uint32) (*Pager, error) {
	config := wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(pages)
	module, err := wazero.NewRuntimeWithConfig(ctx, config).Instantiate(ctx, wasm)
	if err != nil {
		return nil, err
	}
	heap := uint32(module.ExportedGlobal("__heap_base").Get())
	memory := pages*page - heap - 4096
	p := &Pager{ctx: ctx, module: module, file: file, size: size, readSize: memory / 16}
	return p, p.begin(memory)
}

func (p *Pager) begin(memory uint32) (err error) {
	options, err := p.allocate(20)
	if err != nil {
		return err
	}
	for i, value := range []uint32{20, 0, memory, 0, 0} {
		p.module.Memory().WriteUint32Le(options+4*uint32(i), value)
	}
	if p.pager, err = p.call("cpb_pager_new", 0, uint64(options)); err != nil {
		return err
	}
	if p.pager == 0 {
		return errMemory
	}
	if _, err = p.call("free", uint64(options)); err != nil {
		return err
	}
	if p.need, err = p.allocate(32); err != nil {
		return err
	}
	if p.window, err = p.allocate(p.readSize); err != nil {
		return err
	}
	return p.run(io.Discard)
}

func (p *Pager) call(name string, arguments ...uint64) (uint32, error) {
	results, err := p.module.ExportedFunction(name).Call(p.ctx, arguments...)
	if err != nil || len(results) == 0 {
		return 0, err
	}
	return uint32(results[0]), nil
}

func (p *Pager) allocate(size uint32) (uint32, error) {
	at, err := p.call("malloc", uint64(size))
	if err == nil && at == 0 {
		err = errMemory
	}
	return at, err
}

// answer lends the bytes that the pager asks for.
func (p *Pager) answer() error {
	input, err := p.call("cpb_pager_input", uint64(p.pager))
	if err != nil {
		return err
	}
	if _, err = p.call("cpb_input_need", uint64(input), uint64(p.need)); err != nil {
		return err
	}
	memory := p.module.Memory()
	kind, _ := memory.ReadUint32Le(p.need)
	offset, _ := memory.ReadUint64Le(p.need + 8)
	length, _ := memory.ReadUint32Le(p.need + 16)
	if kind == needSize || offset >= p.size {
		_, err = p.call("cpb_input_end", uint64(input), p.size)
		return err
	}
	into, _ := memory.Read(p.window, min(length, p.readSize))
	got, err := p.file.ReadAt(into, int64(offset))
	if err != nil && err != io.EOF {
		return err
	}
	_, err = p.call("cpb_input_supply", uint64(input), offset, uint64(p.window), uint64(got))
	return err
}

// run writes what the pager gives to out, until it is done.
func (p *Pager) run(out io.Writer) error {
	for {
		step, err := p.call("cpb_pager_step", uint64(p.pager))
		if err != nil {
			return err
		}
		switch step {
		case stepDone:
			return nil
		case stepNeed:
			err = p.answer()
		case stepData:
			err = p.give(out)
		default:
			err = p.failure()
		}
		if err != nil {
			return err
		}
	}
}

func (p *Pager) give(out io.Writer) error {
	at, err := p.call("cpb_pager_data", uint64(p.pager), uint64(p.need))
	if err != nil {
		return err
	}
	length, _ := p.module.Memory().ReadUint32Le(p.need)
	data, _ := p.module.Memory().Read(at, length)
	_, err = out.Write(data)
	return err
}

func (p *Pager) failure() error {
	at, err := p.call("cpb_pager_error", uint64(p.pager))
	if err != nil {
		return err
	}
	text, _ := p.module.Memory().Read(at+16, 256)
	text, _, _ = bytes.Cut(text, []byte{0})
	return errors.New(string(text))
}

// Read writes a chunk to out.
func (p *Pager) Read(chunk uint64, out io.Writer) error {
	code, err := p.call("cpb_pager_read", uint64(p.pager), chunk, 0, ^uint64(0))
	if err == nil && code != 0 {
		err = fmt.Errorf("chunk %d cannot be read", chunk)
	}
	if err != nil {
		return err
	}
	return p.run(out)
}

func run(words []string) error {
	if len(words) < 4 {
		return errors.New("usage: cpb-pager cpb-core.wasm MODEL.cpb CHUNK [PAGES]")
	}
	wasm, err := os.ReadFile(words[1])
	if err != nil {
		return err
	}
	file, err := os.Open(words[2])
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	chunk, err := strconv.ParseUint(words[3], 10, 64)
	if err != nil {
		return err
	}
	pages := uint64(4)
	if len(words) > 4 {
		if pages, err = strconv.ParseUint(words[4], 10, 16); err != nil {
			return err
		}
	}
	pager, err := Open(context.Background(), wasm, file, uint64(info.Size()), uint32(pages))
	if err != nil {
		return err
	}
	return pager.Read(chunk, os.Stdout)
}

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
