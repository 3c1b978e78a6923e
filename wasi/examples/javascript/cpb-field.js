// One field of a .cpb file, by its path and the file's URL: node cpb-field.js cpb-core-field.wasm URL PATH > field
import { readFileSync, writeSync } from 'node:fs';

/** The bytes of the field, in pieces. */
export async function* field(module, url, path, memory = 1 << 20) {
  const { exports: c } = await WebAssembly.instantiate(module);
  const view = () => new DataView(c.memory.buffer);
  const bytes = (at, length) => new Uint8Array(c.memory.buffer, at, length);
  const [options, need, window] = [c.malloc(32), c.malloc(32), c.malloc(memory >> 4)];
  new Uint32Array(c.memory.buffer, options, 8).set([32, 2, memory, 0, 0, 0, 0, 0]); // 2: not verified
  const reader = c.cpb_field_reader_new(0, options);
  const { written } = new TextEncoder().encodeInto(path, bytes(window, memory >> 4));
  c.cpb_field_reader_read(reader, window, written, 0n, 2n ** 63n - 1n);
  for (let step; (step = c.cpb_field_reader_step(reader)) !== 0;) {
    if (step === 3) {
      const data = c.cpb_field_reader_data(reader, need);
      yield bytes(data, view().getUint32(need, true)).slice();
    } else if (step === 1) {
      const input = c.cpb_field_reader_input(reader);
      c.cpb_input_need(input, need);
      const [kind, offset] = [view().getUint32(need, true), view().getBigUint64(need + 8, true)];
      const last = offset + BigInt(Math.max(view().getUint32(need + 16, true), 1)) - 1n;
      const answer = await fetch(url, { headers: { Range: kind === 2 ? 'bytes=0-0' : `bytes=${offset}-${last}` } });
      const got = new Uint8Array(await answer.arrayBuffer());
      c.cpb_input_end(input, BigInt(answer.headers.get('Content-Range').split('/')[1]));
      if (kind === 2) continue;
      bytes(window, got.length).set(got);
      c.cpb_input_supply(input, offset, window, got.length);
    } else {
      const text = new TextDecoder().decode(bytes(c.cpb_field_reader_error(reader) + 16, 256));
      throw new Error(text.slice(0, text.indexOf('\0')));
    }
  }
}

const [wasm, url, path] = process.argv.slice(2);
for await (const piece of field(new WebAssembly.Module(readFileSync(wasm)), url, path)) writeSync(1, piece);
