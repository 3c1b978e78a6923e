// Reads chunks of a .cpb file with cpb-core.wasm, in a fixed memory. Runs in Node as it
// is; elsewhere only `source` (size and read) is to be replaced.
//
//     node cpb-pager.js cpb-core.wasm MODEL.cpb CHUNK [PAGES] > chunk
//
// PAGES is how many pages of 64 KiB the module's whole memory may have; 4 by default.
import { openSync, fstatSync, readFileSync, readSync, writeSync } from 'node:fs';

const [STEP_ERROR, STEP_DONE, STEP_NEED, STEP_DATA] = [-1, 0, 1, 3];
const NEED_SIZE = 2;

/**
 * The chunks of a file. `source` has `size`, and `read(offset, into)`, which fills the
 * Uint8Array `into` from there on and returns how many bytes it wrote.
 */
export function openPager(module, source, { pages = 4, verify = 0 } = {}) {
  const { exports } = new WebAssembly.Instance(module);
  const view = () => new DataView(exports.memory.buffer); // memory may have grown
  const bytes = (at, length) => new Uint8Array(exports.memory.buffer, at >>> 0, length);

  exports.cpb_memory_limit(pages);
  const memory = pages * 65536 - exports.__heap_base.value - 4096;
  const readSize = Math.max(memory >> 4, 256);
  const allocate = (size) => exports.malloc(size) >>> 0 || fail('out of memory');
  const options = allocate(20);
  new Uint32Array(exports.memory.buffer, options, 5).set([20, verify, memory, 0, 0]);
  const pager = exports.cpb_pager_new(0, options) || fail('out of memory');
  exports.free(options);
  const [need, window] = [allocate(32), allocate(readSize)];

  function fail(message, code, offset) {
    throw Object.assign(new Error(message), { code, offset });
  }

  function failed() {
    const at = exports.cpb_pager_error(pager) >>> 0;
    const text = new TextDecoder().decode(bytes(at + 16, 256));
    fail(text.slice(0, text.indexOf('\0')), view().getInt32(at, true), view().getBigUint64(at + 8, true));
  }

  /** Lends the bytes that the pager asks for. */
  function answer() {
    const input = exports.cpb_pager_input(pager);
    exports.cpb_input_need(input, need);
    const offset = view().getBigUint64(need + 8, true);
    if (view().getInt32(need, true) === NEED_SIZE || offset >= BigInt(source.size)) {
      exports.cpb_input_end(input, BigInt(source.size));
      return;
    }
    const length = Math.min(view().getUint32(need + 16, true), readSize);
    const got = source.read(Number(offset), bytes(window, length));
    exports.cpb_input_supply(input, offset, window, got);
  }

  /** The pager's pieces until it is done; each is valid until the next. */
  function* steps() {
    for (;;) {
      const step = exports.cpb_pager_step(pager);
      if (step === STEP_DONE) return;
      if (step === STEP_ERROR) failed();
      if (step === STEP_NEED) answer();
      if (step !== STEP_DATA) continue;
      const data = exports.cpb_pager_data(pager, need);
      yield bytes(data, view().getUint32(need, true));
    }
  }

  for (const _ of steps()); // opens the file
  return {
    numChunks: Number(exports.cpb_pager_num_chunks(pager)),
    /** The bytes [offset, offset + length) of a chunk. */
    read(chunk, offset = 0, length = Number.MAX_SAFE_INTEGER) {
      const code = exports.cpb_pager_read(pager, BigInt(chunk), BigInt(offset), BigInt(length));
      if (code !== 0) fail(`chunk ${chunk} cannot be read`, code);
      return steps();
    },
  };
}

function fileSource(path) {
  const file = openSync(path);
  return {
    size: fstatSync(file).size,
    read: (offset, into) => readSync(file, into, 0, into.length, offset),
  };
}

const [wasm, path, chunk, pages = 4] = process.argv.slice(2);
try {
  const module = new WebAssembly.Module(readFileSync(wasm));
  for (const piece of openPager(module, fileSource(path), { pages: Number(pages) }).read(Number(chunk))) {
    for (let at = 0; at < piece.length;) at += writeSync(1, piece, at);
  }
} catch (error) {
  console.error(`${path}: ${error.message}`);
  process.exitCode = 1;
}
