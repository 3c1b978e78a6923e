/** What the inspector draws of a graph with some of its name scopes open. */
// runtimes: node
import { gathered } from '../inspector/src/model/gather.js';
import { graphs } from '../inspector/src/model/graphs.js';
import { libcpb } from './support/libcpb.js';
import { small as smallOnnx } from './support/onnx.js';
import { large, savedModel } from './support/savedmodels.js';
import { assert, data, test } from './support/test.js';

const how = { signal: new AbortController().signal };

/** @param {any} model */
const asking = (model) => {
  /** @type {string[]} */
  const asked = [];
  return {
    asked,
    ask: (/** @type {any} */ { question, ...options }) => (asked.push(question), model.ask(question, options)),
  };
};

/** The main graph, with all its edges. */
const everything = { at: '/', control: true };

/** What is drawn, as text. @param {any} drawn */
const text = ({ groups, edges }) => ({
  boxes: groups.map((/** @type {any} */ { id, scope, count, is }) => `${id} in '${scope}': ${is}, ${count}`).sort(),
  edges: edges.map((/** @type {any} */ { from, to, control }) => `${from} ${control ? '..' : '->'} ${to}`).sort(),
});

/** A name as far as it is seen. @param {string} name @param {string[]} open */
function seen(name, open) {
  const parts = name.split('/');
  const paths = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  return String(paths.find((path) => !open.includes(path)));
}

test('a large graph: only the open scopes are requested', async () => {
  const model = await libcpb.inspect(large(50_000, 100));
  const { asked, ask } = asking(model);
  const graph = graphs(ask, 'saved_model');
  const { nodes } = await model.nodes({ count: 1_000_000 });
  // Constants are lines of the boxes that take them.
  const taken = new Set(nodes.items.flatMap((/** @type {any} */ { inputs }) => inputs));
  const isHeld = (/** @type {any} */ { op, name }) => op === 'Const' && taken.has(name);
  const drawn = nodes.items.filter((/** @type {any} */ node) => !isHeld(node));
  const constants = new Set(nodes.items.filter(isHeld).map((/** @type {any} */ { name }) => name));
  const layer = ['tower_3', 'tower_3/block_0', 'tower_3/block_0/layer_1'];
  for (const open of [[], ['tower_3'], layer, ['tower_3/block_0']]) {
    const { groups, edges, total } = await graph.graph({ ...everything, open }, how);
    assert.equal(total, 5000);
    // A scope is not open where those around it are not.
    const shown = open.includes('tower_3') ? open : [];
    /** @type {Map<string, string[]>} */
    const paths = new Map();
    for (const { name } of drawn) paths.set(seen(name, shown), [...(paths.get(seen(name, shown)) ?? []), name]);
    // A scope with a single node is drawn as that.
    const boxes = new Map([...paths].map(([path, all]) => [path, all.length === 1 ? String(all[0]) : path]));
    const box = (/** @type {string} */ name) => boxes.get(seen(name, shown));
    assert.deepEqual(
      Object.fromEntries(groups.map(({ id, count }) => [id, count])),
      Object.fromEntries([...paths].map(([path, all]) => [boxes.get(path), all.length])),
    );
    // From box to box, also out of open scopes.
    const expected = new Set(
      drawn.flatMap((/** @type {any} */ { name, inputs }) =>
        inputs.flatMap((/** @type {string} */ from) => (constants.has(from) ? [] : [`${box(from)} ${box(name)}`])),
      ),
    );
    const between = [...expected].filter((one) => new Set(one.split(' ')).size > 1);
    assert.deepEqual(edges.map(({ from, to }) => `${from} ${to}`).sort(), between.sort());
  }
  assert.equal(asked.filter((one) => one === 'nodes').length, 1); // how many there are
  assert.equal(
    /** @type {any} */ (await graph.node({ at: '/', node: 'tower_3/block_0/layer_1/op_10' }, how)).op,
    'AddV2',
  );
  model.close();
});

/** @type {[name: string, op: string, inputs?: string[]][]} */
const small = [
  ['x', 'Placeholder'],
  ['a', 'Const'],
  ['a/b/one', 'Add', ['x', 'a']],
  ['a/b/two', 'Split', ['a/b/one', '^x']],
  ['a/c', 'Neg', ['a/b/two:1', '^a/b/one']],
  ['y', 'Add', ['a/c', 'a/b/two', 'not_here']],
];

/** Boxes and edges with the scope a open. @type {[boxes: string[], edges: string[]]} */
const opened = [
  [
    "a/b in 'a': scope, 2",
    "a/c in 'a': node, 1",
    "not_here in '': argument, 1",
    "x in '': argument, 1",
    "y in '': node, 1",
  ],
  ['a/b -> a/c', 'a/b -> y', 'a/c -> y', 'not_here -> y', 'x -> a/b'],
];

/** @type {[options: object, boxes: string[], edges: string[]][]} */
const views = [
  [
    { open: [] },
    ["a in '': scope, 3", "not_here in '': argument, 1", "x in '': argument, 1", "y in '': node, 1"],
    ['a -> y', 'not_here -> y', 'x -> a'],
  ],
  [{ open: ['a'] }, ...opened],
  [
    { open: ['a', 'a/b'], control: true },
    [
      "a/b/one in 'a/b': node, 1",
      "a/b/two in 'a/b': node, 1",
      "a/c in 'a': node, 1",
      "not_here in '': argument, 1",
      "x in '': argument, 1",
      "y in '': node, 1",
    ],
    [
      'a/b/one -> a/b/two',
      'a/b/one .. a/c',
      'a/b/two -> a/c',
      'a/b/two -> y',
      'a/c -> y',
      'not_here -> y',
      'x -> a/b/one',
      'x .. a/b/two',
    ],
  ],
  [{ open: ['a'], all: true }, ...opened],
];

test('a small graph: edges go from node to node, out of open scopes too', async () => {
  const model = await libcpb.inspect(savedModel(small));
  const graph = graphs(asking(model).ask, 'saved_model');
  for (const [options, boxes, edges] of views)
    assert.deepEqual(text(await graph.graph({ at: '/', ...options }, how)), { boxes, edges: edges.sort() });
  // Scopes that are not there, and what is only a node, are not opened.
  const [, boxes, edges] = /** @type {typeof views[0]} */ (views[0]);
  assert.deepEqual(text(await graph.graph({ at: '/', open: ['none', 'a/b', 'y'] }, how)), { boxes, edges });
  // What holds most of the graph is open at first, and what is to be shown is in open scopes.
  assert.deepEqual((await graph.graph({ at: '/' }, how)).open, ['a']);
  assert.deepEqual((await graph.graph({ at: '/', open: [], show: 'a/b/two' }, how)).open, ['a', 'a/b']);
  assert.equal((await graph.graph({ at: '/', open: ['a', 'a/b'], show: 'a' }, how)).shown, 'a/b/one');
  assert.equal(/** @type {any} */ (await graph.node({ at: '/', node: 'a/c' }, how)).op, 'Neg');
  assert.equal(await graph.node({ at: '/', node: 'none' }, how), undefined);
  // A constant is a line of the node that takes it.
  const { groups } = await graph.graph({ at: '/', open: ['a', 'a/b'] }, how);
  assert.deepEqual(
    groups.filter(({ attached }) => attached.length).map(({ id, attached }) => [id, attached[0]?.id]),
    [['a/b/one', 'a']],
  );
  model.close();
});

test('a graph without scopes, of more nodes than can be drawn, is drawn in parts that open as scopes', async () => {
  const model = await libcpb.inspect(
    savedModel(
      Array.from({ length: 3000 }, (_, i) => [`n${i}`, ['Relu', 'MatMul'][i % 2] ?? '', i ? [`n${i - 1}`] : []]),
    ),
  );
  const graph = graphs(asking(model).ask, 'saved_model');
  const { groups, edges } = await graph.graph({ at: '/', open: [] }, how);
  const parts = groups.filter(({ is }) => is === 'scope');
  assert.deepEqual(
    [parts.length, parts[1]?.id, parts[1]?.label, parts[1]?.op, parts[1]?.count],
    [60, '51–100', 'nodes 51–100', 'MatMul, Relu', 50],
  );
  assert.ok(edges.some(({ from, to }) => from === '1–50' && to === '51–100'));
  // The part of what is shown is open; a part is folded as a scope is.
  const shown = await graph.graph({ at: '/', open: [], show: 'n60' }, how);
  assert.deepEqual([shown.open, shown.shown, shown.groups.length], [['51–100'], 'n60', 59 + 50]);
  assert.deepEqual(shown.groups.find(({ id }) => id === 'n60')?.frames, ['51–100']);
  assert.ok(shown.edges.some(({ from, to }) => from === '1–50' && to === 'n50'));
  model.close();
});

test('a SameDiff graph is drawn from scopes, as ONNX is: of the tag that is looked at', async () => {
  const model = await libcpb.inspect(await data('tests/data/samediff_small/minimal.zip'));
  const { asked, ask } = asking(model);
  const graph = graphs(ask, 'samediff_zip');
  for (const which of [{}, { tag: 'FP32' }]) {
    const drawn = await graph.graph({ ...which, open: [] }, how);
    assert.deepEqual([drawn.total, drawn.problems], [2, []]);
    assert.deepEqual(text(drawn), {
      boxes: ["add in '': node, 1", "matmul in '': node, 1", "return:y in '': result, 1", "x in '': argument, 1"],
      edges: ['add -> return:y', 'matmul -> add', 'x -> matmul'],
    });
    assert.deepEqual(
      drawn.groups.flatMap(({ id, attached }) => attached.map(({ name, text: said }) => [id, name, said])),
      [
        ['matmul', 'weights', '2×2'],
        ['add', 'shared', '[2]'],
      ],
    );
  }
  assert.deepEqual(new Set(asked), new Set(['overview', 'scopes']));
  const users = await graph.users({ node: 'weights', tag: 'FP32', first: 0, count: 9 }, how);
  assert.deepEqual(
    users.items.map(({ name }) => name),
    ['matmul'],
  );
  /** @type {any} */
  const node = await graph.node({ node: 'matmul', tag: 'FP32' }, how);
  assert.deepEqual(
    node.attributes.map((/** @type {any} */ one) => one.name),
    ['transposeB', 'transposeA', 'transposeResult', 'integers', 'doubles'],
  );
  assert.deepEqual(
    node.from.map((/** @type {any} */ one) => one.name),
    ['x', 'weights'],
  );
  model.close();
});

test('an ONNX graph is drawn from few answers: edges into a branch, tensors, calls, roles of inputs', async () => {
  const model = await libcpb.inspect(smallOnnx());
  const { asked, ask } = asking(model);
  const graph = graphs(ask, 'onnx');
  const drawn = await graph.graph({ at: '/', open: [] }, how);
  assert.deepEqual(new Set(asked), new Set(['overview', 'scopes', 'nodes']));
  const [layer, reshape, check] = ['/layer.0', '#3', 'check'].map((id) => drawn.groups.find((one) => one.id === id));
  assert.deepEqual([layer?.op, layer?.count, layer?.parameters], ['Conv, Relu', 2, 48]);
  assert.deepEqual(
    [layer, reshape].map((one) => one?.attached.map(({ name, text: said }) => `${name} ${said}`)),
    [['weight 4×3×4'], ['shape [1, -1]']],
  );
  assert.deepEqual(
    check?.calls.map(({ name }) => name),
    ['then_branch', 'else_branch'],
  );
  const { edges } = text(drawn);
  for (const edge of ['x -> /layer.0', '/layer.0 -> #3', '#3 -> check', 'training -> check'])
    assert.ok(edges.includes(edge), `${edge} in ${edges}`);
  const shape = drawn.edges.find(({ from }) => from === 'x')?.shape;
  assert.equal(shape, 'batch×3×?');
  // The operation is the name of a node that has none of its own; what a tensor is for is that of a line.
  const { groups: inner } = await graph.graph({ at: '/', open: ['/layer.0'] }, how);
  assert.deepEqual(
    ['/layer.0/Conv', '#3', 'twice'].map((id) => inner.find((one) => one.id === id)?.label),
    ['Conv', 'Reshape', 'Twice'],
  );
  assert.equal(inner.find(({ id }) => id === '/layer.0/Conv')?.attached[0]?.name, 'W');
  // Out of an open scope from box to box; a tensor may be a box, too.
  const open = text(await graph.graph({ at: '/', open: ['/layer.0'], all: true }, how));
  for (const edge of ['/layer.0/Conv -> /layer.0/Relu', '/layer.0/Relu -> #3', 'layer.0.weight -> /layer.0/Conv'])
    assert.ok(open.edges.includes(edge), `${edge} in ${open.edges}`);
  // A value leads to its maker, a tensor to the first that takes it.
  const shown = async (/** @type {string} */ show) => (await graph.graph({ at: '/', open: [], show }, how)).shown;
  assert.deepEqual(
    [await shown('/layer.0/Conv_out'), await shown('shape'), await shown('x'), await shown('return:probabilities')],
    ['/layer.0/Conv', '#3', 'x', 'return:probabilities'],
  );
  model.close();
});

test('the inputs and users of a node and the path to another are boxes of the drawing, in folds too', async () => {
  const model = await libcpb.inspect(smallOnnx());
  const graph = graphs(asking(model).ask, 'onnx');
  const followed = async (/** @type {string[]} */ open, /** @type {any} */ options) => {
    const { items, boxes } = await graph.follow({ at: '/', open, ...options }, how);
    return [boxes, items.map((/** @type {any} */ { name, distance }) => `${name} ${distance}`)];
  };
  assert.deepEqual(await followed([], { node: '#3', follow: 'upstream' }), [
    ['#3', '/layer.0', 'x'],
    ['/layer.0/Relu 1', '/layer.0/Conv 2', 'x 3'],
  ]);
  const [boxes] = await followed(['/layer.0'], { node: '/layer.0/Relu', follow: 'downstream' });
  assert.deepEqual(boxes, ['/layer.0/Relu', '#3', 'check', 'twice', 'return:probabilities']);
  // A path may lead to what is before the selected node.
  const path = ['x', '/layer.0/Conv', '/layer.0/Relu', '#3'];
  for (const [node, to] of [path, [...path].reverse()].map((one) => [one[0], one.at(-1)]))
    assert.deepEqual((await followed(['/layer.0'], { node, follow: 'path', to }))[0], path);
  model.close();
});

test('the consumers of a node of a large graph are found, page by page', async () => {
  const model = await libcpb.inspect(large(50_000, 100));
  const { ask } = asking(model);
  const graph = graphs(ask, 'saved_model');
  const node = 'tower_3/block_0/layer_1/op_10';
  const users = (/** @type {number} */ first) => graph.users({ at: '/', node, first, count: 1 }, how);
  const { nodes } = await model.nodes({ count: 1_000_000 });
  const expected = nodes.items
    .filter((/** @type {any} */ { inputs }) => inputs.includes(node))
    .map((/** @type {any} */ { name }) => name);
  assert.equal(expected.length, 2);
  assert.deepEqual(
    (await Promise.all([users(0), users(1)])).flatMap(({ items }) => items.map(({ name }) => name)),
    expected,
  );
  assert.equal((await users(0)).total, 2);
  model.close();
});

test('equal nodes are grouped when there is too much to draw, and none is lost', () => {
  const node = (/** @type {number} */ i) => ({
    id: `n${i}`,
    label: `n${i}`,
    scope: '',
    count: 1,
    is: /** @type {const} */ ('node'),
    op: i < 5 ? 'Rare' : `Op${i % 3}`,
    frames: [],
    calls: [],
    attached: [],
  });
  const groups = new Map(Array.from({ length: 500 }, (_, i) => [`n${i}`, node(i)]));
  const into = gathered(groups);
  assert.equal(groups.size, 5 + 3);
  assert.equal(
    [...groups.values()].reduce((sum, { count }) => sum + count, 0),
    500,
  );
  assert.equal(into.size, 495);
});

test('equal nodes stay single where there is room', () => {
  const box = (/** @type {string} */ id, /** @type {string} */ op) => ({
    id,
    label: id,
    scope: '',
    frames: [],
    count: 1,
    is: /** @type {const} */ ('node'),
    op,
    calls: [],
    attached: [],
  });
  const many = Array.from({ length: 150 }, (_, i) => box(`a${i}`, 'Add'));
  const few = Array.from({ length: 20 }, (_, i) => box(`b${i}`, 'Mul'));
  const groups = new Map([...many, ...few].map((one) => [one.id, one]));
  gathered(groups);
  assert.equal(groups.size, 1 + 20);
});

test('the weights of a frozen graph have the roles that their operations give them, in folds too', async () => {
  const model = await libcpb.inspect(await data('tests/data/cpb/real_frozen_conv/orig.pb'));
  const graph = graphs(asking(model).ask, 'graph_def');
  const lines = async (/** @type {string[]} */ open) =>
    (await graph.graph({ at: '/', open }, how)).groups.flatMap(({ id, attached }) =>
      attached.map(({ name, text: said }) => `${id}: ${name} ${said}`),
    );
  assert.ok((await lines(['model'])).join().includes('model/conv2d: filter 3×3×1×4,model/conv2d: bias [4]'));
  const opened = (await lines(['model', 'model/conv2d', 'model/a'])).join();
  for (const line of ['conv2d/Conv2D: filter 3×3×1×4', 'conv2d/BiasAdd: bias [4]', 'a/MatMul: weights 400×5'])
    assert.ok(opened.includes(line), `${line} in ${opened}`);
});
