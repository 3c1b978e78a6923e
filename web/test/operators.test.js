/** What is known of operators, which is loaded when a question needs it. */
import { operatorsFor } from '../src/inspect/operators.js';
import { libcpb } from './support/libcpb.js';
import { small as coremlModel } from './support/coreml.js';
import { small } from './support/onnx.js';
import { assert, data, runtime, test } from './support/test.js';

const { inspect, inspectInWorker } = libcpb;
const TENSORFLOW = 'tests/data/cpb/real_tf_module/orig.pb';

/** @param {any} answer */
const rolesOf = ({ from }) => from.map((/** @type {any} */ one) => one.role);

/** Of ONNX, TensorFlow and Core ML. @param {(input: any) => Promise<any>} open */
async function ask(open) {
  const onnx = await open(small());
  const conv = await onnx.node('/layer.0/Conv');
  assert.deepEqual(rolesOf(conv).slice(0, 2), ['X', 'W']);
  assert.equal(conv.operation.domain, '');
  assert.match(conv.operation.summary, /^The convolution operator consumes an input tensor and a filter/);
  assert.deepEqual((await onnx.nodes({ count: 1 })).nodes.items[0].parameters.slice(0, 2), ['X', 'W']);
  assert.deepEqual(rolesOf(await onnx.node('twice')), ['a']); // as the function calls it
  onnx.close();

  const tensorflow = await open(await data(TENSORFLOW));
  const { functions } = await tensorflow.functions({ count: 1000 });
  let seen = 0;
  for (const { name } of functions.items) {
    const { items } = (await tensorflow.nodes({ function: name, count: 1000 })).nodes;
    for (const { name: matmul, parameters } of items.filter((/** @type {any} */ { op }) => op === 'MatMul')) {
      assert.deepEqual(parameters, ['a', 'b']);
      const node = await tensorflow.node(matmul, { function: name });
      assert.deepEqual([rolesOf(node), node.operation.summary.slice(0, 12)], [['a', 'b'], 'Multiply the']);
      seen++;
    }
  }
  assert.ok(seen > 0);
  tensorflow.close();

  const coreml = await open(coremlModel());
  const { name } = (await coreml.nodes()).nodes.items.find((/** @type {any} */ { op }) => op === 'linear');
  assert.match((await coreml.node(name)).operation.summary, /^Perform `x \* weight\.T \+ bias`/);
  coreml.close();
}

test('roles and sentences', () => ask(inspect));

test('the same in a Worker', { skip: runtime === 'workerd' && 'no Worker can be started there' }, () =>
  ask(inspectInWorker),
);

/** A model that is given tables, and what it was given. */
function model() {
  /** @type {string[]} */
  const given = [];
  /** @type {any} */
  const instance = { scope: (/** @type {any} */ use) => use({ bytes: (/** @type {Uint8Array} */ bytes) => bytes }) };
  /** @type {any} */
  const engine = {
    /** @param {string} name @param {Uint8Array} bytes */
    call: (name, bytes) => (given.push(`${name} ${new TextDecoder().decode(bytes)}`), 1),
  };
  return { instance, engine, given };
}

test('a table is loaded once, and only for a question that it is for', async () => {
  const { instance, engine, given } = model();
  let loaded = 0;
  const load = async () => ({ default: `${++loaded}` });
  const before = operatorsFor(instance, engine, 'onnx', load);
  for (const question of /** @type {const} */ (['overview', 'layers', 'ops', 'scopes']))
    await before(question, () => {});
  assert.equal(loaded, 0);
  for (const question of /** @type {const} */ (['nodes', 'node', 'node'])) await before(question, () => {});
  assert.deepEqual([loaded, given], [1, ['set_operators 1']]);
});

test('other kinds of models have none', async () => {
  const { instance, engine, given } = model();
  for (const kind of /** @type {const} */ (['samediff_zip', 'keras_metadata', 'checkpoint']))
    await operatorsFor(instance, engine, kind)('node', () => {});
  assert.deepEqual(given, []);
});

test('a table that cannot be loaded: the question is answered, and the next one tries again', async () => {
  const { instance, engine, given } = model();
  let tries = 0;
  const load = async () => {
    if (++tries === 1) throw new TypeError('Failed to fetch dynamically imported module');
    return { default: 'table' };
  };
  const before = operatorsFor(instance, engine, 'graph_def', load);
  await before('node', () => {});
  assert.deepEqual([tries, given], [1, []]);
  await before('node', () => {});
  assert.deepEqual([tries, given], [2, ['set_operators table']]);
});

test('a model that was closed in the meantime gets no table', async () => {
  const { instance, engine, given } = model();
  const closed = () => {
    throw new Error('it was closed');
  };
  const before = operatorsFor(instance, engine, 'onnx', async () => ({ default: 'table' }));
  await assert.rejects(before('node', closed), /it was closed/);
  assert.deepEqual(given, []);
});
