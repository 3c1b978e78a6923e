/** Zstd with a window of more than 32 MiB, in the module with SIMD and the one without. */
// runtimes: node, bun
import { readFile } from 'node:fs/promises';
import { noise, riegeli } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { sha256 } from './support/sha256.js';
import { assert, test } from './support/test.js';

const { init, openRecords } = libcpb;

test('Zstd refers back further than fits into 25 bits, with SIMD and without', async () => {
  const FAR = 2 ** 25 + 2 ** 20;
  const part = noise(100_000, 1);
  const record = new Uint8Array(FAR + part.length);
  record.set(part);
  for (let at = part.length; at < FAR; at += 4096) record[at] = at >> 12;
  record.set(part, FAR);
  const pieces = await riegeli(0, [record], { codec: 3, level: 3, window_log: 27 });
  const size = Math.max(...pieces.map(({ offset, bytes }) => offset + bytes.length));
  assert.ok(size < 2 * part.length, `${size} bytes: it does not refer back`);
  const file = new Uint8Array(size);
  for (const { offset, bytes } of pieces) file.set(bytes, offset);
  await init(await readFile(new URL('../../build/web/reader.wasm', import.meta.url)));
  const records = await openRecords(file, { limits: { window: 2 ** 28 } });
  const last = await records.last();
  assert.equal(await sha256(last?.bytes ?? part), await sha256(record));
  records.close();
});
