/** ONNX models on the page, in Chromium: every panel, values in other files, a damaged one. */
// runtimes: node
import { all, found } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { external, graph, holding, model, node, onnxModels, small, tensor, value } from './support/onnx.js';
import { assert, test } from './support/test.js';

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
const files = {
  '/small.onnx': small(),
  '/many.onnx': many(),
  '/rich.onnx': rich,
  '/cut.onnx': small().slice(0, 400),
  '/folder/m.onnx': holding(external('t', 'float32', [2, 3], { location: 'w/data.bin', offset: '4' })),
  '/folder/w/data.bin': new Uint8Array(new Float32Array([9, 1, 2, 3, 4, 5, 6]).buffer),
  '/folder/other.onnx': holding(external('t', 'float32', [2, 3], { location: 'other.bin' })),
  '/folder/other.bin': new Uint8Array(new Float32Array([1, 2, 3, 4, 5, 7]).buffer),
  '/folder/missing.onnx': holding(external('t', 'float32', [2, 3], { location: 'none.bin' })),
};

const labels = `${all('svg.window g.box')}.map((one) => one.getAttribute('aria-label'))`;

test('the overview, and every other panel', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    await visit('small.onnx', { panel: 'overview' }, 'opset 17', 'by by hand 1.0', 'f32[batch,3,?]');
    await says('1 in 1 function, 2 in 2 subgraphs', '1 initializer', 'layer.0.weight', 'none custom');
    const tabs = await page.evaluate(`${all('[role=tab]')}.map((one) => one.textContent.trim())`);
    assert.deepEqual(tabs, [
      'Overview',
      'Graph',
      'Layers',
      'Initializers',
      'Operations',
      'Functions',
      'Bytes',
      'File',
      'Compare',
      'Search',
    ]);
    await visit('small.onnx', { panel: 'layers' }, '/layer.0');
    assert.deepEqual((await rows())[0]?.slice(0, 4), ['/layer.0', '', '2', '48']);
    await visit('small.onnx', { panel: 'variables', at: 'layer.0.weight' }, 'Standard deviation', '2.9375');
    assert.deepEqual((await rows())[0]?.slice(0, 4), ['layer.0.weight', 'layer.0', 'float32', '[4,3,4]']);
    await visit('small.onnx', { panel: 'operations' }, 'ONNX has all of them', 'my.lib');
    await visit('small.onnx', { panel: 'functions' }, '3 functions and subgraphs', 'check:then_branch', 'subgraph');
    await visit('small.onnx', { panel: 'functions', at: 'my.lib.Twice' }, '1 node', 'ai.onnx 17', 'the main graph');
    await visit('small.onnx', { panel: 'bytes' }, 'layer.0.weight', '1, -1');
    await visit('small.onnx', { panel: 'search', at: 'weight' }, '1 name', 'initializer', 'the main graph');
  }, files));

test('the graph: scopes, weights in the boxes of their users, what a branch takes, a function', () =>
  withInspector(async ({ page, visit, says }) => {
    await visit('small.onnx', { panel: 'graph' }, '6 nodes');
    await page.until(found('svg.window g.box'));
    const drawn = await page.evaluate(labels);
    assert.ok(drawn.includes('argument x, f32[batch,3,?]'), String(drawn));
    assert.ok(drawn.includes('result probabilities, f32[batch,4]'), String(drawn));
    assert.ok(drawn.includes('#3, Reshape, Constant [1, -1]'), String(drawn));
    assert.ok(drawn.includes('open scope /layer.0, 2 nodes: Conv, Relu, weight 4×3×4'), String(drawn));
    assert.equal(drawn.length, 7, String(drawn));
    await says('then → check:then_branch');
    // The branches take it, though the node does not.
    await visit('small.onnx', { panel: 'graph', node: 'check' }, 'If', 'then_branch', '#3', 'Used by');
    await visit('small.onnx', { panel: 'graph', node: '#3' }, 'Reshape', 'then_node', 'else_node');
    await visit('small.onnx', { panel: 'graph', at: 'check:else_branch' }, '1 node', 'logits');
    await visit('small.onnx', { panel: 'graph', at: 'my.lib.Twice' }, '1 node', 'add');
    // A value leads to the node that makes it, an initializer to its values.
    await visit('small.onnx', { panel: 'graph', node: '/layer.0/Conv_out' }, '/layer.0/Relu', 'f32[batch,4]');
    await visit('small.onnx', { panel: 'graph', node: 'layer.0.weight' }, 'Initializer', 'Standard deviation');
    await visit('small.onnx', { panel: 'graph', node: '/Constant' }, '1, -1', '#3');
  }, files));

test('what few models have: attributes of each kind, names twice, other types', () =>
  withInspector(async ({ page, visit, says }) => {
    await visit(
      'rich.onnx',
      { panel: 'overview' },
      '1 custom one',
      'Mix',
      'sequence(map(i64 → f32[*]))',
      'optional(string[])',
      'lib.thing',
    );
    await visit('rich.onnx', { panel: 'graph' }, '3 nodes');
    await page.until(found('svg.window g.box'));
    const drawn = (await page.evaluate(labels)).filter((/** @type {string} */ one) => /same/i.test(one));
    assert.equal(drawn.length, 2, String(drawn));
    await visit('rich.onnx', { panel: 'graph', node: '#0' }, 'of custom', '3,000 bytes', 'inner, 1 node', 'strings');
    await says("that of the function's attribute");
    await visit('rich.onnx', { panel: 'variables', at: 'w' }, '0.0019'); // 2^-9
    await visit('rich.onnx', { panel: 'variables', at: 'sparse' }, 'f32[1]');
  }, files));

test('values in another file beside it are read, and their requests are told; a missing one is named', () =>
  withInspector(async ({ visit, server }) => {
    await visit('folder/m.onnx', { panel: 'overview' }, 'Values in 1 other file', 'w/data.bin');
    assert.ok(!server.log.includes('/folder/w/data.bin'));
    await visit('folder/m.onnx', { panel: 'variables', at: 't' }, 'Standard deviation', '3.5');
    assert.ok(server.log.includes('/folder/w/data.bin'));
    await visit('folder/missing.onnx', { panel: 'variables', at: 't' }, 'none.bin');
    const against = `${server.base}folder/other.onnx`;
    await visit('folder/m.onnx', { panel: 'compare', at: against }, 'They differ', 'w/data.bin', 'other.bin');
  }, files));

test('initializers come after the graph', () =>
  withInspector(async ({ page, visit }) => {
    await visit('many.onnx', { panel: 'overview' }, 'many', 'f32[1]', '400,780', '40 initializers');
    await visit('many.onnx', { panel: 'graph' }, '40 nodes');
    await page.until(found('svg.window g.box'));
    await page.until(`${labels}.some((label) => label.endsWith('w7 [10007]'))`);
  }, files));

test('one that is cut off is shown as far as it can be read', () =>
  withInspector(async ({ visit }) => {
    await visit('cut.onnx', { panel: 'overview' }, 'damaged', 'missing');
    await visit('cut.onnx', { panel: 'graph' }, 'Conv');
  }, files));
