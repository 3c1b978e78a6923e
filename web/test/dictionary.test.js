/** Brotli's dictionary, which is loaded when something is compressed with Brotli. */
// runtimes: node, bun
import { readFile } from 'node:fs/promises';
import { setUp } from '../src/init.js';
import { fileSource } from '../src/source/file.js';
import { libcpb } from './support/libcpb.js';
import { sha256 } from './support/sha256.js';
import { assert, data, test } from './support/test.js';

const { inspect, open, openInWorker, openRecords } = libcpb;

/** What was loaded. @type {string[]} */
const loaded = [];
let missing = false;
setUp(async (kind) => {
  loaded.push(kind);
  if (missing && kind === 'dictionary') throw new Error('no such module');
  return readFile(new URL(`../../build/web/${kind}.wasm`, import.meta.url));
}, fileSource);

const BROTLI = 'tests/data/cpb/real_keras_export/max3000_brotli.cpb';
const ZSTD = 'tests/data/cpb/real_keras_export/max3000_zstd.cpb';

/** @param {string} path */
async function merged(path, start = open) {
  const message = await start(await data(path));
  const hash = await sha256(await new Response(message.merged()).bytes());
  message.close();
  return hash;
}

test('no file without Brotli loads it, and a module that is missing is tried again', async () => {
  const expected = await merged(ZSTD);
  assert.deepEqual(loaded, ['reader']);
  missing = true;
  await assert.rejects(merged(BROTLI), { code: 'READ', message: 'dictionary.wasm: no such module' });
  missing = false;
  assert.equal(await merged(BROTLI), expected);
  assert.equal(await merged(BROTLI), expected);
  assert.deepEqual(loaded, ['reader', 'dictionary', 'dictionary']);
});

test('a Worker gets the module that the page has loaded', async () => {
  loaded.length = 0;
  assert.equal(await merged(BROTLI, openInWorker), await merged(ZSTD));
  assert.deepEqual(loaded, []);
});

test('concurrent reads wait for it together', async () => {
  const expected = await open(await data(ZSTD));
  const message = await open(await data(BROTLI));
  const all = (/** @type {any} */ of) =>
    Promise.all([...of.chunks()].map(async (chunk) => sha256(await chunk.bytes())));
  assert.deepEqual(await all(message), await all(expected));
  expected.close();
  message.close();
});

test('a model, and records whose hashes are not verified', async () => {
  loaded.length = 0;
  const model = await inspect(await data(BROTLI));
  const { nodes } = await model.overview();
  model.close();
  assert.ok(nodes !== 0);
  assert.deepEqual(loaded, ['inspect']);
  for (const verify of ['first', 'late', 'never']) {
    const records = await openRecords(await data(BROTLI), { verify });
    let size = 0;
    for await (const record of records) size += record.size;
    assert.ok(size > 0);
    records.close();
  }
});
