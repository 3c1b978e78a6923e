// play TAPE MODULE.wasm plays a tape in wazero. What a tape is: README.md one folder up.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const page = 65536

type function struct {
	name      string
	signature string // result, then parameters: v, i, I
	code      api.Function
}

type player struct {
	ctx             context.Context
	tape            []byte
	at              int
	runtime         wazero.Runtime
	compiled        wazero.CompiledModule
	module          api.Module
	functions       []function
	calls, compared uint64
}

func (p *player) fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "before byte %d of the tape: %s\n", p.at, fmt.Sprintf(format, values...))
	os.Exit(1)
}

func (p *player) take(size uint32) []byte {
	taken := p.tape[p.at : p.at+int(size)]
	p.at += int(size)
	return taken
}

func (p *player) take8() byte      { return p.take(1)[0] }
func (p *player) take32() uint32   { return binary.LittleEndian.Uint32(p.take(4)) }
func (p *player) take64() uint64   { return binary.LittleEndian.Uint64(p.take(8)) }
func (p *player) takeText() string { return string(p.take(uint32(p.take8()))) }

func (p *player) instantiate() {
	if p.module != nil {
		p.module.Close(p.ctx)
	}
	var err error
	if p.module, err = p.runtime.InstantiateModule(p.ctx, p.compiled, wazero.NewModuleConfig()); err != nil {
		p.fail("%v", err)
	}
	for i := range p.functions {
		p.functions[i].code = p.module.ExportedFunction(p.functions[i].name)
	}
}

func (p *player) call() {
	f := p.functions[p.take8()]
	arguments := make([]uint64, len(f.signature)-1)
	for i := range arguments {
		arguments[i] = p.take64()
	}
	results, err := f.code.Call(p.ctx, arguments...)
	if err != nil {
		p.fail("%s: %v", f.name, err)
	}
	p.calls++
	if f.signature[0] == 'v' {
		return
	}
	if wanted := p.take64(); results[0] != wanted {
		p.fail("%s gave %d, not %d", f.name, results[0], wanted)
	}
}

func (p *player) memory(at, size uint32) []byte {
	data, ok := p.module.Memory().Read(at, size)
	if !ok {
		p.fail("memory is too small")
	}
	return data
}

func (p *player) play() {
	switch step := p.take8(); step {
	case 'N':
		p.instantiate()
	case 'C':
		p.call()
	case 'W':
		at, size := p.take32(), p.take32()
		copy(p.memory(at, size), p.take(size))
	case 'R':
		at, size := p.take32(), p.take32()
		if !bytes.Equal(p.memory(at, size), p.take(size)) {
			p.fail("memory holds something else")
		}
		p.compared += uint64(size)
	case 'P':
		if p.module.Memory().Size() != p.take32()*page {
			p.fail("memory is of another size")
		}
	default:
		p.fail("unknown step %d", step)
	}
}

func main() {
	tape, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	wasm, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	p := &player{ctx: context.Background(), tape: tape}
	p.runtime = wazero.NewRuntime(p.ctx)
	if p.compiled, err = p.runtime.CompileModule(p.ctx, wasm); err != nil {
		p.fail("%v", err)
	}
	if string(p.take(8)) != "cpbtape1" {
		p.fail("no tape")
	}
	for range p.take8() {
		p.functions = append(p.functions, function{name: p.takeText(), signature: p.takeText()})
	}
	for p.at < len(p.tape) {
		p.play()
	}
	fmt.Printf("%d calls, %d bytes compared\n", p.calls, p.compared)
}
