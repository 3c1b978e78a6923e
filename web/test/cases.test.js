/** What is right about small models that people met (tests/data/cases/right.json), as the package says it. */
import { libcpb } from './support/libcpb.js';
import { assert, data, each, json, test } from './support/test.js';

const folder = 'tests/data/cases/';

/** @param {any} page */
const shapes = (page) => Object.fromEntries((page?.items ?? []).map((/** @type {any} */ v) => [v.name, v.shape]));

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
}) {
  const model = await libcpb.inspect(await data(folder + file));
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

test('parameters, layers, types', async () => each(await json(`${folder}right.json`), ({ file }) => file, check));
