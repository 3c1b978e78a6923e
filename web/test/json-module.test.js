/** The module that makes JSON for `inspect`, which cannot: it is loaded when it is needed. */
// runtimes: node, bun
import { readFile } from 'node:fs/promises';
import { setUp } from '../src/init.js';
import { fileSource } from '../src/source/file.js';
import { libcpb } from './support/libcpb.js';
import { assert, data, test } from './support/test.js';

const { init, open } = libcpb;

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
  await init({ reader: await wasm('inspect') });
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
