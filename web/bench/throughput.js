// Decoding in WebAssembly as a share of native:
//
//   node web/bench/throughput.js [--modules DIR] [--native BENCH_RECORDS] [--rounds N]
//                                [--module NAME]... [FILE.riegeli ...]
//
// Each file is read from memory to its last record, in turn by the native
// bench_records (tests/bench) and by each module; the best round counts. Without
// files: those of build/bench, made by bench_records where it can make them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    modules: { type: 'string', default: join(root, 'build/web') },
    native: { type: 'string', default: join(root, 'build/tests/bench/bench_records') },
    rounds: { type: 'string', default: '5' },
    module: { type: 'string', multiple: true, default: ['reader', 'reader-simd'] },
  },
});

// --- Data --------------------------------------------------------------------

const folder = join(root, 'build/bench');

/** @param {string} kind @param {string} codec */
function make(kind, codec) {
  const records = join(folder, `${kind}.lp`);
  const file = join(folder, `${kind}-${codec.replace(':', '').replace('none', 'uncompressed')}.riegeli`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(records)) {
    const stdio = ['ignore', openSync(records, 'w'), 'inherit'];
    execFileSync(options.native, ['make', kind, '64'], { stdio });
  }
  execFileSync(options.native, ['write', codec, records, file], { stdio: 'ignore' });
  return file;
}

/** Snappy and transposed files are Riegeli's own, made by tests/bench/run.py. */
function defaultFiles() {
  const made = ['none', 'zstd:3', 'brotli:6'].map((codec) => make('nodes', codec));
  const others = ['snappy', 'transpose-zstd3'].map((name) => join(folder, `nodes-${name}.riegeli`));
  return [...made, ...others.filter((file) => existsSync(file))];
}

// --- Native ------------------------------------------------------------------

/** Megabytes of decoded data a second. @param {string} file */
function readNatively(file) {
  const line = execFileSync(options.native, ['read', file], { encoding: 'utf8' });
  const [seconds, bytes] = line.trim().split(' ').map(Number);
  return bytes / 1e6 / seconds;
}

// --- WebAssembly ---------------------------------------------------------------

/** The codecs of a host, for the module that imports them. @param {() => any} exports */
function hostCodecs(exports) {
  return {
    decode(codec, source, size, target, room) {
      const { buffer } = exports().memory;
      const stored = new Uint8Array(buffer, source, size);
      const inflate = codec === 'b'.charCodeAt(0) ? zlib.brotliDecompressSync : zlib.zstdDecompressSync;
      if (inflate === undefined) return -2;
      const bytes = inflate(stored, { maxOutputLength: Math.max(room, 1) });
      new Uint8Array(buffer, target, room).set(bytes);
      return bytes.length;
    },
  };
}

/** @param {string} name */
async function load(name) {
  const module = await WebAssembly.compile(readFileSync(join(options.modules, `${name}.wasm`)));
  return async () => {
    const instance = await WebAssembly.instantiate(module, { codec: hostCodecs(() => instance.exports) });
    instance.exports._initialize?.();
    return instance.exports;
  };
}

/** Megabytes of decoded data a second. @param {any} wasm @param {Uint8Array} file */
function readInWasm(wasm, file) {
  const data = wasm.malloc(file.length);
  const length = wasm.malloc(4);
  new Uint8Array(wasm.memory.buffer, data, file.length).set(file);
  const begin = performance.now();
  let bytes = 0;
  const reader = wasm.cpb_record_reader_new(0, 0);
  const input = wasm.cpb_record_reader_input(reader);
  let view = new DataView(wasm.memory.buffer);
  for (let step; (step = wasm.cpb_record_reader_step(reader)) !== 0;) {
    if (step === 1) {
      wasm.cpb_input_supply(input, 0n, data, file.length);
      wasm.cpb_input_end(input, BigInt(file.length));
    } else if (step === 3) {
      wasm.cpb_record_reader_data(reader, length);
      if (view.buffer !== wasm.memory.buffer) view = new DataView(wasm.memory.buffer);
      bytes += view.getUint32(length, true);
    } else if (step < 0) {
      const error = new Uint8Array(wasm.memory.buffer, wasm.cpb_record_reader_error(reader) + 16, 256);
      throw new Error(new TextDecoder().decode(error.subarray(0, error.indexOf(0))));
    }
  }
  const seconds = (performance.now() - begin) / 1e3;
  wasm.cpb_record_reader_free(reader);
  wasm.free(data);
  wasm.free(length);
  return bytes / 1e6 / seconds;
}

// --- Both in turn ----------------------------------------------------------------

const modules = new Map();
for (const name of options.module) modules.set(name, await load(name));
console.log(['file', 'native MB/s', ...modules.keys()].join(' | '));
for (const file of positionals.length > 0 ? positionals : defaultFiles()) {
  const data = readFileSync(file);
  const instances = new Map();
  for (const [name, create] of modules) instances.set(name, await create());
  const best = new Map();
  const note = (name, speed) => best.set(name, Math.max(best.get(name) ?? 0, speed));
  for (let round = 0; round < Number(options.rounds); round++) {
    note('native', readNatively(file));
    for (const [name, wasm] of instances) note(name, readInWasm(wasm, data));
  }
  const native = best.get('native');
  const shares = [...instances.keys()].map((name) => {
    const speed = best.get(name);
    return `${speed.toFixed(0)} (${((100 * speed) / native).toFixed(0)} %)`;
  });
  console.log([basename(file, '.riegeli'), native.toFixed(0), ...shares].join(' | '));
}
