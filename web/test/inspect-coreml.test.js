/** Core ML models on every runtime: their answers, values in the model and in a file of weights. */
import { assert, test } from './support/test.js';
import { libcpb } from './support/libcpb.js';
import { network, small, weights } from './support/coreml.js';

const { diff, inspect } = libcpb;

test('the kind is recognized, and the overview has inputs and outputs', async () => {
  const model = await inspect(small());
  assert.equal(model.kind, 'coreml');
  const o = await model.overview();
  assert.deepEqual(
    [o.specification_version, o.type, o.opset, o.author, o.doc],
    [8, 'mlProgram', 'CoreML8', 'somebody', 'By hand'],
  );
  assert.deepEqual(o.inputs.items, [
    { name: 'x', dtype: 'float32', shape: [1, 4] },
    { name: 'picture', type: { image: { color: 'rgb', width: 8, height: 8 } } },
  ]);
  assert.deepEqual([o.nodes, o.subgraphs, o.subgraph_nodes, o.functions], [5, 2, 2, 0]);
  assert.deepEqual(o.parameters, { total: 8, trainable: null, tensors: 1, bytes: 32, size: 32 });
  assert.deepEqual(o.external_data, [{ location: 'weights/weight.bin', tensors: 1, bytes: 32 }]);
  assert.deepEqual(o.problems, []);
  model.close();
});

test('operations, blocks, consumers', async () => {
  const model = await inspect(small(), { kind: 'coreml' });
  const { nodes } = await model.nodes();
  assert.deepEqual(
    nodes.items.map((/** @type {any} */ { name, op }) => `${name} ${op}`),
    ['w const', 'axes const', 'head/linear linear', 'head/relu relu', 'y cond'],
  );
  assert.deepEqual(nodes.items[2]?.inputs, ['x', 'w']);
  assert.deepEqual(nodes.items[2]?.parameters, ['x', 'weight']);
  const { functions } = await model.functions();
  assert.deepEqual(
    functions.items.map((/** @type {any} */ { name }) => name),
    ['y:block[0]', 'y:block[1]'],
  );
  assert.equal((await model.nodes({ function: 'y:block[1]' })).nodes.items[0]?.op, 'neg');
  const { consumers } = await model.consumers('head/relu');
  assert.deepEqual(
    consumers.items.map((/** @type {any} */ { function: where, op }) => `${where} ${op}`),
    ['y:block[0] exp', 'y:block[1] neg'],
  );
  const { layers } = await model.layers();
  assert.deepEqual([layers.items[0]?.name, layers.items[0]?.parameters], ['head', 8]);
  assert.equal((await model.ops()).ops.items.find((/** @type {any} */ { op }) => op === 'const')?.count, 2);
  model.close();
});

test('values in the file of weights, and in the model', async () => {
  /** @type {string[]} */
  const asked = [];
  const references = (/** @type {string} */ name) => (asked.push(name), weights());
  const model = await inspect(small(), { kind: 'coreml', references });
  const values = await model.values('w');
  assert.deepEqual([values.dtype, values.shape], ['float32', [2, 4]]);
  assert.deepEqual([...new Float32Array((await values.bytes()).slice().buffer)], [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(asked, ['weights/weight.bin']);
  assert.deepEqual([...(await (await model.values('axes')).bytes())], [1, 0, 0, 0, 2, 0, 0, 0]);
  model.close();
});

test('a file that has other values is refused', async () => {
  const wrong = weights();
  wrong[68] = 1;
  const model = await inspect(small(), { kind: 'coreml', references: () => wrong });
  await assert.rejects(model.values('w'), { code: 'DAMAGED', message: /mil_dtype is 1/ });
  model.close();
});

test('layers of a network, with their weights', async () => {
  const model = await inspect(network(), { kind: 'coreml' });
  const { constants } = await model.constants();
  assert.deepEqual(
    constants.items.map((/** @type {any} */ { node, is, shape, field }) => ({ node, is, shape, field })),
    [{ node: 'dense:weights', is: 'weights', shape: [3, 2], field: 'floatValue' }],
  );
  const values = await model.values('dense:weights');
  assert.deepEqual([...new Float32Array((await values.bytes()).slice().buffer)], [1, 2, 3, 4, 5, 6]);
  assert.deepEqual((await model.ops()).ops.items.map((/** @type {any} */ { op }) => op).sort(), [
    'innerProduct',
    'softmax',
  ]);
  model.close();
});

test('two models are compared', async () => {
  const { equal } = await diff(network(), network());
  assert.equal(equal, true);
});
