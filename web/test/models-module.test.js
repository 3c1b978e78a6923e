/** Which modules are loaded to look inside models: a small one for a first look, another once it is needed. */
// runtimes: node, bun
import { readFile } from 'node:fs/promises';
import { setUp } from '../src/init.js';
import { fileSource } from '../src/source/file.js';
import { libcpb } from './support/libcpb.js';
import { assert, data, test } from './support/test.js';

const { diff, inspect, inspectInWorker } = libcpb;

const SAVED_MODEL = 'tests/data/cpb/real_keras_export/max3000_none.cpb';
const ONNX = 'tests/data/cases/a.onnx';
const COREML = 'tests/data/cases/upd.mlmodel';

/** What was loaded. @type {string[]} */
const loaded = [];

setUp(async (kind) => {
  loaded.push(kind);
  return readFile(new URL(`../../build/web/${kind}.wasm`, import.meta.url));
}, fileSource);

test('a first look at a model loads the small module alone', async () => {
  for (const path of [SAVED_MODEL, ONNX, 'tests/data/cases/tf1.meta']) {
    const model = await inspect(await data(path));
    await model.overview();
    await model.scopes();
    const { nodes } = await model.nodes({ count: 1 });
    const [{ name }] = nodes.items;
    await model.node(name);
    await model.upstream(name);
    await model.constants();
    await model.search('a');
    await model.layers();
    model.close();
  }
  assert.deepEqual(loaded, ['inspect']);
});

test('a question that needs the large module loads it once', async () => {
  const coreml = await inspect(await data(COREML), { kind: 'coreml' });
  assert.ok((await coreml.overview()).kind);
  coreml.close();
  assert.deepEqual(loaded, ['inspect', 'models']);
  const guessed = await inspect(await data(COREML));
  assert.equal(guessed.kind, 'coreml');
  assert.deepEqual(await guessed.nodes(), await guessed.nodes());
  guessed.close();
  assert.equal((await diff(await data(ONNX), await data(ONNX), { skipValues: true })).equal, true);
  const model = await inspect(await data(SAVED_MODEL));
  const whole = await inspect(await data(SAVED_MODEL));
  const { report } = await model.cut(['root']);
  assert.ok(report.size > 0);
  assert.deepEqual(await model.overview(), await whole.overview());
  await assert.rejects(model.cut(['root.nothing']), { code: 'NOT_FOUND' });
  model.close();
  whole.close();
  await assert.rejects(model.cut(['root']), { code: 'CLOSED' });
  await assert.rejects(inspect(new TextEncoder().encode('<!doctype html><p>')), { code: 'FORMAT' });
  assert.deepEqual(loaded, ['inspect', 'models']);
});

test('a Worker gets the module that the page has loaded', async () => {
  loaded.length = 0;
  const model = await inspectInWorker(await data(COREML));
  assert.ok((await model.overview()).kind);
  model.close();
  assert.deepEqual(loaded, []);
});
