// Decoding in WebAssembly as a share of native:
//
//   node web/bench/throughput.js [--modules DIR] [--native DIR] [--rounds N]
//                                [--module NAME]... [FILE.riegeli ...]
//
// Each file is read from memory to its last record, repeatedly for half a second,
// in turn by the native bench_read (tests/bench) and by each module. Processor time is
// measured, so that other work of the machine does not count. Speeds are medians of the
// rounds, shares medians of the shares of each round. The default files are those that
// bench_records can make, and those of tests/bench/run.py that it cannot.
import { execFileSync, spawnSync } from 'node:child_process';
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
    native: { type: 'string', default: join(root, 'build/tests/bench') },
    rounds: { type: 'string', default: '5' },
    module: { type: 'string', multiple: true, default: ['reader'] },
  },
});

// --- Data --------------------------------------------------------------------

const MEGABYTES = '32';
const folder = join(root, 'build/bench');

/** @param {string} kind @param {string} codec */
function make(kind, codec) {
  const small = join(folder, 'web');
  const records = join(small, `${kind}.lp`);
  const file = join(small, `${kind}-${codec.replace(':', '')}.riegeli`);
  if (existsSync(file)) return file;
  mkdirSync(small, { recursive: true });
  if (!existsSync(records)) {
    const stdio = ['ignore', openSync(records, 'w'), 'inherit'];
    execFileSync(join(options.native, 'bench_records'), ['make', kind, MEGABYTES], { stdio });
  }
  execFileSync(join(options.native, 'bench_records'), ['write', codec, records, file], { stdio: 'ignore' });
  return file;
}

/** Snappy and transposed files are Riegeli's own, made by tests/bench/run.py. */
function defaultFiles() {
  const made = ['uncompressed', 'zstd:3', 'brotli:6'].map((codec) => make('nodes', codec));
  const others = ['snappy', 'transpose-uncompressed', 'transpose-zstd3', 'transpose-brotli6'].map((name) =>
    join(folder, `nodes-${name}.riegeli`),
  );
  return [make('tensors', 'uncompressed'), ...made, ...others.filter((file) => existsSync(file))];
}

// --- Native ------------------------------------------------------------------

const SECONDS = 0.5;

/** Megabytes of decoded data a second. @param {string} file */
function readNatively(file) {
  const program = join(options.native, 'bench_read');
  const timed = 'TIMEFORMAT=%3U; time "$0" read "$1" "$2"';
  const { stdout, stderr } = spawnSync('bash', ['-c', timed, program, file, String(SECONDS)], {
    encoding: 'utf8',
  });
  const runs = stdout
    .trim()
    .split('\n')
    .map((line) => Number(line.split(' ')[1]));
  return runs.reduce((sum, bytes) => sum + bytes, 0) / 1e6 / Number(stderr);
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
  const sizes = wasm.malloc(4 * RUN);
  new Uint8Array(wasm.memory.buffer, data, file.length).set(file);
  let bytes = 0;
  const before = process.cpuUsage();
  for (const end = performance.now() + SECONDS * 1e3; performance.now() < end;)
    bytes += readOnce(wasm, data, file.length, sizes);
  const { user } = process.cpuUsage(before);
  wasm.free(data);
  wasm.free(sizes);
  return bytes / user;
}

/** Records that are taken by one call, as the package does. */
const RUN = 512;

/** @param {any} wasm @param {number} data @param {number} size @param {number} sizes */
function readOnce(wasm, data, size, sizes) {
  let bytes = 0;
  const seen = () => {
    wasm.cpb_record_reader_data(reader, sizes);
    if (view.buffer !== wasm.memory.buffer) view = new DataView(wasm.memory.buffer);
    bytes += view.getUint32(sizes, true);
  };
  const reader = wasm.cpb_record_reader_new(0, 0);
  const input = wasm.cpb_record_reader_input(reader);
  let view = new DataView(wasm.memory.buffer);
  for (let step; (step = wasm.cpb_record_reader_step(reader)) !== 0;) {
    if (step === 1) {
      wasm.cpb_input_supply(input, 0n, data, size);
      wasm.cpb_input_end(input, BigInt(size));
    } else if (step === 3) {
      seen();
      while (wasm.cpb_record_reader_batch(reader, sizes, RUN)) seen();
    } else if (step < 0) {
      const error = new Uint8Array(wasm.memory.buffer, wasm.cpb_record_reader_error(reader) + 16, 256);
      throw new Error(new TextDecoder().decode(error.subarray(0, error.indexOf(0))));
    }
  }
  wasm.cpb_record_reader_free(reader);
  return bytes;
}

// --- Both in turn ----------------------------------------------------------------

const modules = new Map();
for (const name of options.module) modules.set(name, await load(name));
/** @param {number[]} numbers */
const median = (numbers) => Number(numbers.toSorted((a, b) => a - b)[numbers.length >> 1]);

const row = (/** @type {string[]} */ cells) => console.log(`| ${cells.join(' | ')} |`);
row(['file', 'native MB/s', ...modules.keys()]);
row(['---', '---', ...[...modules].map(() => '---')]);
for (const file of positionals.length > 0 ? positionals : defaultFiles()) {
  const data = readFileSync(file);
  const instances = new Map();
  for (const [name, create] of modules) instances.set(name, await create());
  /** @type {Map<string, number[]>} */
  const speeds = new Map(['native', ...modules.keys()].map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    speeds.get('native')?.push(readNatively(file));
    for (const [name, wasm] of instances) speeds.get(name)?.push(readInWasm(wasm, data));
  }
  const native = speeds.get('native') ?? [];
  const shares = [...instances.keys()].map((name) => {
    const all = speeds.get(name) ?? [];
    const share = median(all.map((speed, i) => (100 * speed) / Number(native[i])));
    return `${median(all).toFixed(0)} (${share.toFixed(0)} %)`;
  });
  row([basename(file, '.riegeli'), median(native).toFixed(0), ...shares]);
}
