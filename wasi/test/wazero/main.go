// each MODULE.wasm CACHE: many commands as ../each.h says, in wazero, whose compiled code is kept
// in CACHE.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// everything opens every directory. wasi-libc takes "/" and "." for the same, so what is in
// "/" is opened by name.
func everything() wazero.FSConfig {
	config := wazero.NewFSConfig().WithDirMount(".", ".")
	entries, err := os.ReadDir("/")
	check(err)
	for _, entry := range entries {
		path := "/" + entry.Name()
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			config = config.WithDirMount(path, path)
		}
	}
	return config
}

func settings() wazero.ModuleConfig {
	config := wazero.NewModuleConfig().WithName("").WithFSConfig(everything()).WithRandSource(rand.Reader).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep()
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		config = config.WithEnv(name, value)
	}
	return config
}

// run writes the exit code, standard output and messages; a trap's are -1 and its own.
func run(ctx context.Context, runtime wazero.Runtime, code wazero.CompiledModule, config wazero.ModuleConfig,
	words []string) {
	var out, messages bytes.Buffer
	config = config.WithArgs(append([]string{"cpb"}, words...)...).WithStdout(&out).WithStderr(&messages)
	status := 0
	module, err := runtime.InstantiateModule(ctx, code, config)
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		status = int(exit.ExitCode())
	} else if err != nil {
		status = -1
		fmt.Fprintln(&messages, err)
	}
	if module != nil {
		check(module.Close(ctx))
	}
	fmt.Printf("%d %d %d\n%s%s", status, out.Len(), messages.Len(), out.Bytes(), messages.Bytes())
}

func main() {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(os.Args[2])
	check(err)
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	wasm, err := os.ReadFile(os.Args[1])
	check(err)
	code, err := runtime.CompileModule(ctx, wasm)
	check(err)
	config := settings()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		run(ctx, runtime, code, config, strings.Split(lines.Text(), "\t"))
	}
}
