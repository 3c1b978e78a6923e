/** Where fields lie in a .pb is kept by persist: the next session asks only for what it reads. */
// runtimes by default: node
import { decodeOutline, encodeOutline } from '../src/reader/outline.js';
import { libcpb } from './support/libcpb.js';
import { largeModel, noise } from './support/files.js';
import { assert, runtime, test } from './support/test.js';

const { compose, open, persist } = libcpb;
const SIZE = 1_700_000;
const COUNT = 100;

// There the clock tells only how long I/O takes, and these sources do none.
const skip = runtime === 'workerd' && 'the clock stands still';

/** A store in memory. */
function memory() {
  /** @type {Map<string, Uint8Array>} */
  const all = new Map();
  return {
    all,
    /** @param {string} key */
    get: async (key) => all.get(key),
    /** @param {string} key @param {Uint8Array} bytes */
    put: async (key, bytes) => void all.set(key, bytes.slice()),
    /** @param {string} key */
    delete: async (key) => void all.delete(key),
    list: async () => [...all].map(([key, bytes]) => ({ key, size: bytes.length })),
  };
}

/** @typedef {ReturnType<typeof memory>} Store */

const model = largeModel(COUNT, SIZE, (i) => noise(64, i + 1));

/**
 * One session: finds and reads the weight of the n-th of 100 nodes. Answers take 20 ms, so that one
 * reads on.
 *
 * @param {Store} store
 * @param {{ node?: number, etag?: string }} [how]
 */
async function session(store, { node = 95, etag = '"one"' } = {}) {
  const cost = { requests: 0, bytes: 0 };
  const wait = () => new Promise((go) => setTimeout(go, 20));
  /** @param {number} offset @param {number} length */
  async function read(offset, length) {
    cost.requests++;
    await wait();
    const bytes = await model.source.read(offset, length);
    cost.bytes += bytes.length;
    return bytes;
  }
  /** @param {number} offset @param {number} length */
  function stream(offset, length) {
    cost.requests++;
    return /** @type {any} */ (model.source).stream(offset, length);
  }
  const { size } = await model.source.stat();
  const below = {
    ...{ name: 'saved_model.pb', key: ['https://host/saved_model.pb'], remote: true },
    ...{ read, stream, stat: async () => ({ size, etag }) },
  };
  const message = await open(compose(below, persist({ store })), { type: 'tensorflow.SavedModel' });
  const path = `meta_graphs[0].graph_def.node[${node}]`;
  const weight = await message.field(`${path}.attr["value"].tensor.tensor_content`);
  const search = { ...cost };
  const bytes = await weight.bytes();
  assert.deepEqual(bytes.slice(0, 64), noise(64, node + 1));
  message.close();
  await new Promise((go) => setTimeout(go, 20));
  return { search: search.requests, all: cost.requests };
}

/** Its entry. @param {Store} store */
const entry = (store) => [...store.all].filter(([key]) => key.endsWith(' outline'));

/** Without the ranges, which persist keeps, too. @param {Store} store */
function withoutRanges(store) {
  for (const key of store.all.keys()) if (!key.endsWith(' outline')) store.all.delete(key);
}

/** @param {Uint8Array} bytes @param {number} at */
const flipped = (bytes, at) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));

test('the second session asks for the weight alone', { skip }, async () => {
  const store = memory();
  const first = await session(store);
  assert.ok(first.search >= 5, `${first.search}`);
  withoutRanges(store);
  const [[, kept]] = /** @type {[[string, Uint8Array]]} */ (entry(store));
  assert.ok(kept.length < 2 ** 21, `${kept.length}`);
  assert.deepEqual(await session(store), { search: 0, all: 1 });
  withoutRanges(store);
  const other = await session(store, { node: 50 });
  console.log(`# ${first.search} requests for the first search, then none; for another node ${other.search}`);
  assert.ok(other.search <= 1, `${other.search}`);
});

test('an index with another ETag, or a damaged one, is not used and is removed', { skip }, async () => {
  const store = memory();
  await session(store);
  withoutRanges(store);
  const [[key, kept]] = /** @type {[[string, Uint8Array]]} */ (entry(store));
  for (const damage of [kept.subarray(0, -1), flipped(kept, kept.length - 1), flipped(kept, 4), new Uint8Array(3)]) {
    store.all.set(key, damage);
    assert.ok((await session(store)).search >= 5);
    assert.deepEqual(store.all.get(key)?.length, kept.length, 'it was made anew');
    withoutRanges(store);
  }
  assert.ok((await session(store, { etag: '"two"' })).search >= 5);
  withoutRanges(store);
  assert.equal((await session(store, { etag: '"two"' })).search, 0);
  withoutRanges(store);
  const before = entry(store);
  assert.ok((await session(store, { etag: 'W/"two"' })).search >= 5);
  assert.deepEqual(entry(store), before, 'nothing is kept of a weak ETag');
});

test('an entry is read as it was written; every changed byte is noticed', () => {
  const pieces = [
    { offset: 2 ** 40, bytes: Uint8Array.of(1, 2, 3) },
    { offset: 0, bytes: Uint8Array.of(10, 10) },
  ];
  const bytes = encodeOutline('9 "x"', pieces);
  assert.deepEqual(decodeOutline('9 "x"', bytes), pieces);
  assert.equal(decodeOutline('9 "y"', bytes), undefined);
  for (let i = 0; i < bytes.length; i++) {
    assert.equal(decodeOutline('9 "x"', flipped(bytes, i)), undefined, `${i}`);
    assert.equal(decodeOutline('9 "x"', bytes.slice(0, i)), undefined, `${i}`);
  }
});
