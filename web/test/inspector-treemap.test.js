/** The map of bytes: which names make a group, and areas as large as their bytes. */
// runtimes: node
import { GROUPS, grouped, squares } from '../inspector/src/panels/treemap.js';
import { assert, test } from './support/test.js';

/** @param {[name: string, size: number][]} list */
const itemsOf = (list) =>
  list.map(([name, size]) => ({ one: name, size, parts: name.split(/(?<=[/.])/) })).sort((a, b) => b.size - a.size);

const layers = Array.from({ length: 12 }, (_, i) => `bert.encoder.layer.${i}`);
const bert = itemsOf([
  ['bert.embeddings.word.weight', 500],
  ['bert.embeddings.position.weight', 128],
  ...layers.flatMap(
    (name) =>
      /** @type {[string, number][]} */ ([
        [`${name}.query.weight`, 100],
        [`${name}.output.dense.weight`, 90],
      ]),
  ),
]);

test('names make groups where they first differ, and a group that has most is divided again', () => {
  const groups = grouped(bert);
  assert.deepEqual(
    groups.map(({ name }) => name),
    ['embeddings', ...Array.from({ length: 12 }, (_, i) => `layer.${i}`)],
  );
  const [first, second] = groups;
  assert.equal(first?.size, 628);
  assert.deepEqual(
    second?.items.map(({ parts }) => parts.slice(second.depth).join('')),
    ['query.weight', 'output.dense.weight'],
  );
});

test('of more groups than there are colours, those whose names begin alike are one', () => {
  const blocks = itemsOf(Array.from({ length: 60 }, (_, i) => [`net/block_${i % 15}_conv_${i}/kernel`, 10 + i]));
  const names = grouped(blocks).map(({ name }) => name);
  assert.ok(names.length <= GROUPS);
  assert.ok(names.includes('block_14') && names.includes('block_0'), String(names));
});

test('areas are as large as their bytes, within the whole, and do not overlap', () => {
  const places = squares(bert, { x: 5, y: 7, width: 600, height: 300 });
  assert.equal(places.length, bert.length);
  const all = bert.reduce((sum, { size }) => sum + size, 0);
  for (const [i, { x, y, width, height, of }] of places.entries()) {
    assert.ok(Math.abs((width * height) / (600 * 300) - of.size / all) < 1e-9);
    assert.ok(x >= 5 && y >= 7 && x + width <= 605.001 && y + height <= 307.001);
    for (const other of places.slice(i + 1)) {
      const beside = x + width <= other.x + 1e-6 || other.x + other.width <= x + 1e-6;
      const below = y + height <= other.y + 1e-6 || other.y + other.height <= y + 1e-6;
      assert.ok(beside || below, `${of.one} and ${other.of.one}`);
    }
  }
});
