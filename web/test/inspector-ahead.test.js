/** The inspector reads a graph that is not large by one request, and no more of a larger one than is asked for. */
// runtimes: node
import { assert, test } from './support/test.js';

const { readingAhead } = await import(String(new URL('../inspector/src/model/ahead.js', import.meta.url)));
const { signal } = new AbortController();

/** A file whose bytes count up, and what was read of it. */
function counting({ fails = false } = {}) {
  /** @type {number[][]} */
  const reads = [];
  const read = async (/** @type {number} */ offset, /** @type {number} */ length) => {
    reads.push([offset, length]);
    if (fails && length > 100) throw new Error('no');
    return Uint8Array.from({ length }, (_, i) => offset + i);
  };
  return { reads, inner: { read, stat: async () => ({ size: 1000 }) } };
}

const overview = (/** @type {number} */ size) => ({ meta_graphs: { items: [{ graph: { offset: 100, size } }] } });

test('from the first question about the graph on, it is read as a whole', async () => {
  const { reads, inner } = counting();
  const { source, before, after } = readingAhead(inner);
  before('scopes', signal);
  await source.read(100, 4);
  after(overview(500));
  before('variables', signal);
  assert.deepEqual([...(await source.read(100, 4))], [100, 101, 102, 103]);
  before('scopes', signal);
  before('nodes', signal);
  assert.deepEqual([...(await source.read(110, 2))], [110, 111]);
  assert.deepEqual([...(await source.read(598, 2))], [86, 87]);
  await source.read(599, 2); // beyond its end
  assert.deepEqual(reads, [
    [100, 4],
    [100, 4],
    [100, 500],
    [599, 2],
  ]);
});

test('a large graph, or one that cannot be read at once, is read bit by bit', async () => {
  const large = counting();
  const one = readingAhead(large.inner);
  one.after(overview(5 * 2 ** 20));
  one.before('scopes', signal);
  await one.source.read(110, 2);
  assert.deepEqual(large.reads, [[110, 2]]);
  const failing = counting({ fails: true });
  const other = readingAhead(failing.inner);
  other.after(overview(500));
  other.before('scopes', signal);
  assert.deepEqual([...(await other.source.read(110, 2))], [110, 111]);
});
