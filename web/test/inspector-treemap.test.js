/** Which names make a group: in the map of bytes, whose areas are as large as their bytes, and among layers. */
// runtimes: node
import { folded } from '../inspector/src/panels/folded.js';
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

test('more groups than colours: those whose names begin alike share one', () => {
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

/** @param {string[]} names @param {(name: string) => number} [parameters] */
const foldedNames = (names, parameters = () => 100) => {
  const items = names.map((name, index) => ({ name, index, parent: null, parameters: parameters(name) }));
  return folded(items).map(({ first, last, layers, blocks, stem, end }) =>
    blocks > 1 ? `${blocks} x ${stem}-${end}` : layers > 1 ? `${first.name}-${last.name}` : first.name,
  );
};

test('blocks of layers that differ only by their number are one line; another size or number begins a new one', () => {
  const parts = (/** @type {string} */ block) => ['query', 'key', 'dense'].map((part) => `${block}/${part}`);
  const blocks = layers.flatMap(parts);
  const all = `12 x ${layers[0]}-${layers[11]}`;
  assert.deepEqual(foldedNames(blocks), [all]);
  assert.deepEqual(foldedNames(['words', ...blocks, 'pooler']), ['words', all, 'pooler']);
  assert.deepEqual(foldedNames(['words', ...layers, 'pooler']), ['words', all, 'pooler']);
  assert.deepEqual(
    foldedNames(blocks, (name) => (name === `${layers[5]}/key` ? 50 : 100)),
    [`5 x ${layers[0]}-${layers[4]}`, `${layers[5]}/query-${layers[5]}/dense`, `6 x ${layers[6]}-${layers[11]}`],
  );
  const gap = [...blocks.slice(0, 18), ...blocks.slice(21)];
  assert.deepEqual(foldedNames(gap), [`6 x ${layers[0]}-${layers[5]}`, `5 x ${layers[7]}-${layers[11]}`]);
  assert.deepEqual(foldedNames(blocks.slice(0, 12)), blocks.slice(0, 12));
});
