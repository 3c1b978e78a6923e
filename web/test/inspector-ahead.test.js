/** The inspector reads a graph that is not large by one request, and no more of a larger one than is asked for. */
// runtimes: node
import { assert, test } from './support/test.js';

const page = (/** @type {string} */ name) =>
  import(String(new URL(`../inspector/src/model/${name}.js`, import.meta.url)));
const { readingAhead, widening } = await page('ahead');
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

test('the first question about the graph reads all of it', async () => {
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

test('reads after jumps grow with what was read before; no byte is requested twice', async () => {
  const size = 10 ** 7;
  /** @type {number[][]} */
  const reads = [];
  const inner = {
    stat: async () => ({ size }),
    async read(/** @type {number} */ offset, /** @type {number} */ length) {
      reads.push([offset, length]);
      return Uint8Array.from({ length: Math.min(length, size - offset) }, (_, i) => (offset + i) % 251);
    },
  };
  const source = widening(inner, signal);
  const check = async (/** @type {number} */ offset, /** @type {number} */ length, expected = length) => {
    const bytes = await source.read(offset, length);
    assert.deepEqual([bytes.length, bytes[0], bytes.at(-1)], [expected, offset % 251, (offset + expected - 1) % 251]);
  };
  await check(0, 4096);
  await check(60_000, 8192); // over the end of the beginning
  for (const at of [1e6, 2e6, 3e6, 4e6]) {
    await check(at, 4096);
    await check(at + 5000, 8192);
    await check(at + 14_000, 16_384);
  }
  await check(size - 100, 4096, 100);
  assert.deepEqual(reads.slice(0, 2), [
    [0, 65_536],
    [65_536, 2656],
  ]);
  assert.deepEqual(
    reads.filter(([at = 0]) => at >= 1e6 && at < 2e6),
    [
      [1e6, 4096],
      [1_005_000, 8192],
      [1_014_000, 16_384],
    ],
  );
  assert.deepEqual(
    reads.filter(([at = 0]) => at >= 2e6),
    [
      [2e6, 30_384],
      [3e6, 30_384],
      [4e6, 30_384],
      [size - 100, 100],
    ],
  );
});
