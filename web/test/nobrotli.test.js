/**
 * The smallest module, reader-nobrotli.wasm, and the one that makes JSON for it, which is
 * loaded when it is needed.
 */
// runtimes: node, bun
import { readFile } from 'node:fs/promises';
import { setUp } from '../src/init.js';
import { fileSource } from '../src/source/file.js';
import { noise, riegeli } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { sha256 } from './support/sha256.js';
import { assert, data, each, json, test } from './support/test.js';

const { init, open, openRecords } = libcpb;

/** @param {string} name */
const wasm = (name) => readFile(new URL(`../../build/web/${name}.wasm`, import.meta.url));

/** What was loaded because it was needed. @type {string[]} */
const loaded = [];
let missing = false;
setUp(async (kind) => {
  loaded.push(kind);
  if (missing) throw new Error('no such module');
  return wasm(kind);
}, fileSource);

/** Records, and the error. @param {Uint8Array} bytes */
async function recordsOf(bytes) {
  const rows = [];
  try {
    const records = await openRecords(bytes);
    for await (const { size, bytes, position } of records) rows.push(`${position} ${size} ${await sha256(bytes)}`);
  } catch (/** @type {any} */ error) {
    rows.push(`${error.code} ${error.offset}`);
  }
  return rows.join('\n');
}

test('all records under Zstd, and none under Brotli', async () => {
  const files = (await json('tests/data/records.manifest.json')).filter((/** @type {{ file: string }} */ { file }) =>
    /zstd|brotli/.test(file),
  );
  let brotli = 0;
  await each(
    files,
    ({ file }) => file,
    async ({ file }) => {
      const bytes = await data(`tests/data/${file}`);
      await init({ reader: await wasm('reader') });
      const expected = await recordsOf(bytes);
      await init({ reader: await wasm('reader-nobrotli') });
      const found = await recordsOf(bytes);
      if (/UNSUPPORTED/.test(found)) brotli++;
      else assert.equal(found, expected);
    },
  );
  assert.ok(brotli > 20 && files.length - brotli > 20, `${brotli} of ${files.length}`);
});

test('damaged Zstd is the same error at the same place', async () => {
  const bytes = await data('tests/data/cpb/real_keras_export/max3000_zstd.cpb');
  for (let i = 64; i < bytes.length; i += 499) {
    const damaged = bytes.slice();
    damaged[i] = Number(damaged[i]) ^ 0x55;
    await init({ reader: await wasm('reader') });
    const expected = await recordsOf(damaged);
    await init({ reader: await wasm('reader-nobrotli') });
    assert.equal(await recordsOf(damaged), expected);
  }
});

const MODEL = 'tests/data/cpb/real_keras_export/max3000_zstd.cpb';
const PATHS = ['saved_model_schema_version', 'meta_graphs[0].meta_info_def', 'meta_graphs[0].signature_def'];

/** @param {import('../src/api.js').OpenOptions} [options] */
async function valuesOf(options) {
  const message = await open(await data(MODEL), options);
  const found = [];
  for (const path of PATHS) {
    const field = await message.field(path);
    found.push(await field.value(), await field.json(), await field.json({ omit: 4 }));
  }
  message.close();
  return found;
}

test('JSON is the same, made by a module that is loaded for it, once', async () => {
  const schema = await data('tests/data/schema/tensorflow.fds');
  const given = { schema, type: 'tensorflow.SavedModel' };
  await init({ reader: await wasm('reader') });
  const expected = [await valuesOf(), await valuesOf(given)];
  await init({ reader: await wasm('reader-nobrotli') });
  const message = await open(await data(MODEL));
  const field = await message.field(String(PATHS[0]));
  loaded.length = 0;
  await field.bytes();
  assert.deepEqual(loaded, []);
  missing = true;
  await assert.rejects(field.value(), { code: 'READ', message: 'json.wasm: no such module' });
  missing = false;
  loaded.length = 0;
  assert.deepEqual([await valuesOf(), await valuesOf(given)], expected);
  assert.equal(await field.value(), expected[0]?.[0]);
  assert.deepEqual(loaded, ['json']);
  message.close();
  await assert.rejects(field.value(), { code: 'CLOSED' });
});

test('Zstd refers back further than fits into 25 bits, in every module', async () => {
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
  for (const name of ['reader', 'reader-simd', 'reader-nobrotli']) {
    await init({ reader: await wasm(name) });
    const records = await openRecords(file, { limits: { window: 2 ** 28 } });
    const last = await records.last();
    assert.equal(await sha256(last?.bytes ?? part), await sha256(record));
    records.close();
  }
});
