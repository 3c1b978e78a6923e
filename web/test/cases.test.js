/** What is right about small models that people met (tests/data/cases.json), as the package says it. */
import { libcpb } from './support/libcpb.js';
import { assert, data, each, json, test } from './support/test.js';

const folder = 'tests/data/cases/';

/** @param {any} page */
const shapes = (page) => Object.fromEntries((page?.items ?? []).map((/** @type {any} */ v) => [v.name, v.shape]));

/** @param {Uint8Array<ArrayBuffer>} bytes */
const digest = async (bytes) =>
  [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/**
 * Those of a checkpoint, and their values.
 *
 * @param {any} model
 * @param {Record<string, [string, number[], string]>} tensors
 */
async function checkTensors(model, tensors) {
  const { items } = (await model.variables({ count: 'all' })).variables;
  const told = Object.entries(tensors).map(([key, [dtype, shape]]) => [key, dtype, shape]);
  assert.deepEqual(
    items.map((/** @type {any} */ one) => [one.key, one.dtype, one.shape]),
    told,
  );
  for (const [key, [, , expected]] of Object.entries(tensors))
    assert.equal(await digest(await (await model.values(key)).bytes()), expected, key);
}

/** @param {any} right */
async function check({
  file,
  parameters,
  layers = {},
  inputs = {},
  outputs = {},
  training_inputs = {},
  values = {},
  node,
  tensors,
}) {
  const beside = file.includes('/') ? folder + file.replace(/[^/]*$/, '') : folder;
  const prefix = file.replace(/^.*\/|\.index$/g, '');
  const dataOf = (/** @type {string} */ name) => data(beside + name.replace(/^variables/, prefix));
  const model = await libcpb.inspect(await data(folder + file), tensors && { checkpoint: { data: dataOf } });
  try {
    const overview = await model.overview();
    const listed = /** @type {any[]} */ ((await model.layers({ count: 'all' })).layers.items);
    const counts = Object.fromEntries(listed.map((layer) => [layer.name, layer.parameters]));
    const total = listed.reduce((sum, layer) => sum + layer.parameters, 0);
    assert.deepEqual([overview.parameters.total, total], [parameters, parameters]);
    assert.deepEqual({ ...counts, ...layers }, counts);
    for (const [side, wanted] of Object.entries({ inputs, outputs, training_inputs })) {
      const there = shapes(/** @type {any} */ (overview)[side]);
      assert.deepEqual({ ...there, ...wanted }, there);
    }
    for (const [name, shape] of Object.entries(values)) {
      assert.deepEqual((await model.values(name)).shape, shape);
    }
    if (tensors) await checkTensors(model, tensors);
    if (node) {
      const { outputs: given } = /** @type {any} */ (await model.node(node.name));
      assert.deepEqual(
        given.map((/** @type {any} */ one) => one.name),
        node.outputs,
      );
    }
  } finally {
    model.close();
  }
}

test('parameters, layers, types', async () => each(await json('tests/data/cases.json'), ({ file }) => file, check));
