/** What the inspector draws of a large graph, from answers about its open scopes, is what all its nodes make. */
// runtimes: node
import { graphs } from '../inspector/src/model/graphs.js';
import { folded, gathered } from '../inspector/src/model/scopes.js';
import { libcpb } from './support/libcpb.js';
import { large } from './support/savedmodels.js';
import { assert, test } from './support/test.js';

const { signal } = new AbortController();

/** @param {any} model */
const asking = (model) => {
  /** @type {string[]} */
  const asked = [];
  return { asked, ask: (/** @type {any} */ { question, ...options }) => (asked.push(question), model.ask(question, options)) };
};

test('of a large graph only the open scopes are asked for, and make the same picture', async () => {
  const model = await libcpb.inspect(large(50_000, 100));
  const { asked, ask } = asking(model);
  const graph = graphs(ask, 'saved_model');
  const { nodes } = await model.nodes({ count: 1_000_000 });
  const leaf = ['tower_3', 'tower_3/block_0', 'tower_3/block_0/layer_1', 'tower_3/block_0/layer_1/op_10'];
  for (const open of [[], ['tower_3'], leaf, ['tower_3', 'tower_3/block_0', 'tower_3/block_0/layer_1'], ['tower_3/block_0']]) {
    const all = folded(nodes.items, new Set(open));
    const shown = await graph.graph({ open }, signal);
    assert.equal(shown.total, 5000);
    const counts = (/** @type {any} */ { groups }) => groups.map((/** @type {any} */ { id, count, is }) => `${id} ${count} ${is}`).sort();
    assert.deepEqual(counts(shown), counts(all));
    // Edges out of an open scope come from its border there, from a node here.
    const ends = (/** @type {any} */ { edges }) => [...new Set(edges.map((/** @type {any} */ { from, to }) => `${inside(from, open)} ${to}`))].sort();
    assert.deepEqual(ends(shown), ends(all));
  }
  assert.ok(!asked.includes('nodes'));
  assert.equal((await graph.node({ node: 'tower_3/block_0/layer_1/op_10' }, signal)).op, 'AddV2');
  model.close();
});

test('what takes a node of a large graph is found, page by page', async () => {
  const model = await libcpb.inspect(large(50_000, 100));
  const { asked, ask } = asking(model);
  const graph = graphs(ask, 'saved_model');
  const node = 'tower_3/block_0/layer_1/op_10';
  const users = (/** @type {number} */ first) => graph.users({ node, first, count: 1 }, signal);
  const { nodes } = await model.nodes({ count: 1_000_000 });
  const expected = nodes.items.filter((/** @type {any} */ { inputs }) => inputs.includes(node)).map((/** @type {any} */ { name }) => name);
  assert.equal(expected.length, 2);
  assert.deepEqual((await Promise.all([users(0), users(1)])).flatMap(({ items }) => items.map(({ name }) => name)), expected);
  assert.equal((await users(0)).total, 2);
  assert.ok(!asked.includes('nodes'));
  model.close();
});

/** The outermost open scope that this is in. @param {string} path @param {string[]} open */
const inside = (path, open) => open.find((scope) => path.startsWith(`${scope}/`)) ?? path;

test('what is alike is gathered when there is too much to draw, and nothing is lost', () => {
  const node = (/** @type {number} */ i) => ({ id: `n${i}`, label: `n${i}`, scope: '', count: 1, is: /** @type {const} */ ('node'), op: i < 5 ? 'Rare' : `Op${i % 3}` });
  const groups = new Map(Array.from({ length: 500 }, (_, i) => [`n${i}`, node(i)]));
  const into = gathered(groups);
  assert.equal(groups.size, 5 + 3);
  assert.equal([...groups.values()].reduce((sum, { count }) => sum + count, 0), 500);
  assert.equal(into.size, 495);
});
