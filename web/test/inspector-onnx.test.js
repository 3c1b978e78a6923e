/** ONNX models on the page, in browsers: every panel, values in other files, a damaged one. */
// runtimes: chromium, firefox, webkit
import { page, visit } from './support/inspector-frame.js';
import { all, choose, named, textOf, until } from './support/inside.js';
import { external, graph, holding, model, node, onnxModels, small, tensor, value } from './support/onnx.js';
import { assert, base, test } from './support/test.js';

/** One with 2 MB of initializers, which are not read at first. */
function many() {
  const names = Array.from({ length: 40 }, (_, i) => `w${i}`);
  return model(
    graph('many', {
      nodes: names.map((name, i) => node('MatMul', [`v${i}`, name], [`v${i + 1}`])),
      initializers: names.map((name, i) => tensor(name, 'float32', [10_000 + i], new Uint8Array(4 * (10_000 + i)))),
      inputs: [value('v0', 'float32', [1])],
      outputs: [value('v40', 'float32', [1])],
    }),
  );
}

const [, [, rich = new Uint8Array()] = []] = onnxModels();
const floats = (/** @type {number[]} */ ...values) => new Uint8Array(new Float32Array(values).buffer);

/** @type {Record<string, Uint8Array<ArrayBuffer>>} */
const files = {
  'small.onnx': small(),
  'many.onnx': many(),
  'rich.onnx': rich,
  'bytes.onnx': holding(tensor('t', 'uint8', [2], Uint8Array.of(1, 2))),
  'cut.onnx': small().slice(0, 400),
  'folder/m.onnx': holding(external('t', 'float32', [2, 3], { location: 'w/data.bin', offset: '4' })),
  'folder/w/data.bin': floats(9, 1, 2, 3, 4, 5, 6),
  'folder/other.onnx': holding(external('t', 'float32', [2, 3], { location: 'other.bin' })),
  'folder/other.bin': floats(1, 2, 3, 4, 5, 7),
  'folder/missing.onnx': holding(external('t', 'float32', [2, 3], { location: 'none.bin' })),
};
const kept = `${base}/-/kept/${crypto.randomUUID()}`;
let isKept = false;

/** @param {string} name @param {Record<string, string>} place */
const addressOf = (name, place) => `${page}?url=${encodeURIComponent(`${kept}/${name}`)}#${new URLSearchParams(place)}`;

/**
 * Goes to a place of a model, and waits until the page says all of the words.
 *
 * @param {string} name
 * @param {Record<string, string>} place
 * @param {string[]} words
 * @param {(frame: import('./support/inspector-frame.js').Frame) => unknown} [then]
 */
async function look(name, place, words, then) {
  if (!isKept)
    for (const [path, body] of Object.entries(files)) await fetch(`${kept}/${path}`, { method: 'PUT', body });
  isKept = true;
  await visit(addressOf(name, place), async (frame) => {
    await frame.says(...words);
    await then?.(frame);
  });
}

/** The cells of tables. @param {Document} document @returns {string[][]} */
const rowsOf = (document) =>
  all(document, 'tbody tr').map((row) => [...row.children].map((cell) => cell.innerText.replace(/\s+/g, ' ').trim()));

/** What the boxes are called, once they are drawn. @param {Document} document @returns {Promise<string[]>} */
async function boxesOf(document) {
  const boxes = () => all(document, 'svg.window g.box');
  await until(
    () => boxes().length,
    () => 'boxes',
  );
  return boxes().map((one) => one.getAttribute('aria-label'));
}

test('the overview names what goes in and out, and leads to every panel', () =>
  look('small.onnx', {}, ['opset 17', 'by by hand 1.0', 'f32[batch,3,?]'], async ({ document, says }) => {
    await says('1 in 1 function, 2 in 2 subgraphs', '1 tensor', 'layer.0.weight', 'none custom');
    assert.deepEqual(
      all(document, '[role=tab]').map((one) => one.textContent.trim()),
      ['Overview', 'Graph', 'Layers', 'Weights', 'Operations', 'Functions', 'Bytes', 'File', 'Compare', 'Search'],
    );
  }));

test('the other panels', async () => {
  await look('small.onnx', { panel: 'layers' }, ['/layer.0'], ({ document }) =>
    assert.deepEqual(rowsOf(document)[0]?.slice(0, 4), ['/layer.0', '', '2', '48']),
  );
  const weight = { panel: 'variables', at: 'layer.0.weight' };
  await look('small.onnx', weight, ['Standard deviation', '2.9375'], ({ document }) =>
    assert.deepEqual(rowsOf(document)[0]?.slice(0, 4), ['layer.0.weight', 'layer.0', 'float32', '[4,3,4]']),
  );
  await look('small.onnx', { panel: 'operations' }, ['ONNX has all of them, or they are functions', 'my.lib']);
  await look('small.onnx', { panel: 'functions' }, ['3 functions and subgraphs', 'check:then_branch', 'subgraph']);
  const twice = { panel: 'functions', at: 'my.lib.Twice' };
  await look('small.onnx', twice, ['1 node', 'ai.onnx 17', 'the main graph']);
  await look('small.onnx', { panel: 'bytes' }, ['layer.0.weight', '1, -1']);
  await look('small.onnx', { panel: 'search', at: 'weight' }, ['1 name', 'initializer', 'the main graph']);
});

test('the graph: scopes, weights in the boxes of their users', () =>
  look('small.onnx', { panel: 'graph' }, ['5 nodes'], async ({ document, says }) => {
    const drawn = await boxesOf(document);
    assert.ok(drawn.includes('input x, f32[batch,3,?]'), String(drawn));
    assert.ok(drawn.includes('output probabilities, f32[batch,4]'), String(drawn));
    assert.ok(drawn.includes('Reshape, shape [1, -1]'), String(drawn));
    assert.ok(drawn.includes('open scope /layer.0, 2 nodes: Conv, Relu, weight 4×3×4'), String(drawn));
    assert.equal(drawn.length, 7, String(drawn));
    await says('then → check:then_branch');
  }));

test('a node, what its branches take, a function, a value, an initializer', async () => {
  const graph = { panel: 'graph' };
  // The branches take it, though the node does not.
  await look('small.onnx', { ...graph, node: 'check' }, ['If', 'then_branch', '#3', 'Used by']);
  await look('small.onnx', { ...graph, node: '#3' }, ['Reshape', 'then_node', 'else_node']);
  // What it does, and the version of the operators.
  await look('small.onnx', { ...graph, node: '/layer.0/Conv' }, ['ai.onnx 17 (since 11)', 'computes the output', 'W']);
  await look(
    'small.onnx',
    { ...graph, at: 'check:else_branch' },
    ['1 node', 'logits', 'in the node'],
    async (frame) => {
      await frame.click('check');
      await frame.says('5 nodes', 'then_branch', 'Used by');
    },
  );
  await look('small.onnx', { ...graph, at: 'my.lib.Twice' }, ['1 node', 'add']);
  // A value leads to the node that makes it, an initializer to its values.
  await look('small.onnx', { ...graph, node: '/layer.0/Conv_out' }, ['/layer.0/Relu', 'f32[batch,4]']);
  await look('small.onnx', { ...graph, node: 'layer.0.weight' }, ['Initializer', 'Standard deviation']);
  await look('small.onnx', { ...graph, node: '/Constant' }, ['1, -1', '#3']);
});

test('the graph finds nodes and initializers while one types', () =>
  look('small.onnx', { panel: 'graph' }, ['5 nodes'], async ({ document, says }) => {
    const field = named(document, 'Find a node, value or initializer', 'input');
    const found = async (/** @type {string} */ text, /** @type {string[]} */ ...words) => {
      field.focus();
      field.value = text;
      field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
      const list = () => all(document, '[role=option]').map((one) => textOf(one).replace(/\s+/g, ' ').trim());
      await until(
        () => words.every((word) => list().includes(word)),
        () => `${words} in ${list().join('; ')}`,
      );
    };
    await found('conv', 'node /layer.0/Conv Conv');
    await found('weight', 'initializer layer.0.weight of this graph');
    await found('x', 'input x of this graph');
    await found('probab', 'output probabilities of this graph');
    await found('add', 'node add my.lib.Twice');
    field.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true, cancelable: true }),
    );
    await says('1 node', 'Add', 'Used by');
  }));

test('rare content: attributes of each kind, equal names, other types', async () => {
  const types = ['sequence(map(i64 → f32[*]))', 'optional(string[])', 'lib.thing'];
  await look('rich.onnx', {}, ['ONNX Runtime’s: Same', '1 custom one', 'Mix', ...types]);
  await look('rich.onnx', { panel: 'operations' }, ['1 operation of ONNX Runtime', '1 custom operation']);
  await look('rich.onnx', { panel: 'graph' }, ['3 nodes'], async ({ document }) => {
    const drawn = await boxesOf(document);
    assert.ok(drawn.includes('Same × 2'), String(drawn));
    assert.ok(
      drawn.some((one) => one.startsWith('Mix, w f8_e4m3fn[2]')),
      String(drawn),
    );
  });
  const kinds = ['of custom', '3,000 bytes', 'inner, 1 node', 'strings', "that of the function's attribute"];
  await look('rich.onnx', { panel: 'graph', node: '#0' }, kinds);
  // A weight that is quantized says so, in its box, too; 2^-9.
  await look('rich.onnx', { panel: 'variables', at: 'w' }, ['0.0019', 'SCALE_TENSOR', 'w_scale']);
  await look('rich.onnx', { panel: 'variables', at: 'sparse' }, ['f32[9]']);
  await look('bytes.onnx', {}, [' u8[2]']);
});

test('values in another file beside it are read once they are looked at; a missing one is named', async () => {
  const read = async () => (await (await fetch(`${kept}/log`)).json()).map((/** @type {string} */ one) => base + one);
  await look('folder/m.onnx', {}, ['Values in 1 other file', 'w/data.bin']);
  assert.ok(!(await read()).includes(`${kept}/folder/w/data.bin`));
  await look('folder/m.onnx', { panel: 'variables', at: 't' }, ['Standard deviation', '3.5']);
  assert.ok((await read()).includes(`${kept}/folder/w/data.bin`));
  await look('folder/missing.onnx', { panel: 'variables', at: 't' }, ['none.bin']);
  const against = `${kept}/folder/other.onnx`;
  const words = ['They differ', '1 of 6 differ'];
  await look('folder/m.onnx', { panel: 'compare', at: against, values: 'yes' }, words);
});

test('a folder from a disk: the values beside the model', () =>
  visit(page, async ({ document, says, click }) => {
    const data = new File([floats(9, 1, 2, 3, 4, 5, 6)], 'data.bin');
    const where = { location: 'data.bin', offset: '4' };
    const model = new File([holding(external('t', 'float32', [2, 3], where))], 'm.onnx');
    choose(named(document, 'Open a folder', 'input'), [model, data]);
    await says('Values in 1 other file');
    await click('Weights');
    await click('t');
    await says('Standard deviation', '3.5');
  }));

test('one that is cut off is shown as far as it can be read', async () => {
  await look('cut.onnx', {}, ['damaged', 'missing']);
  await look('cut.onnx', { panel: 'graph' }, ['Conv']);
});

test('initializers come after the graph', async () => {
  await look('many.onnx', { panel: 'overview' }, ['many', 'f32[1]', '400,780', '40 tensors']);
  await look('many.onnx', { panel: 'graph' }, ['40 nodes'], async ({ document }) => {
    const isKnown = (/** @type {any} */ one) => one.getAttribute('aria-label').endsWith('[10007]');
    await until(
      () => all(document, 'svg.window g.box').some(isKnown),
      () => 'the shape of an initializer',
    );
  });
});
