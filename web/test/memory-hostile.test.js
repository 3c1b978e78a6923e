/** Hostile files in a thread of Node that may have 128 MiB: refused, and by which limit, or read. */
import { Worker } from 'node:worker_threads';
import { message } from './support/protobuf.js';
import { assert, data, each, test } from './support/test.js';

const MiB = 2 ** 20;
const heap = { maxOldGenerationSizeMb: 56, maxYoungGenerationSizeMb: 8 };

/**
 * How it ended there: what was read, or an error; and the bytes of WebAssembly's memory.
 *
 * @param {object} workerData
 * @returns {Promise<{size?: number, code?: string, message?: string, wasm: number}>}
 */
async function inThread(workerData) {
  const url = new URL('./memory/thread.js', import.meta.url);
  const worker = new Worker(url, { workerData, resourceLimits: heap });
  try {
    return await new Promise((done, fail) => worker.once('message', done).once('error', fail));
  } finally {
    await worker.terminate();
  }
}

/** @param {object} workerData @param {string | undefined} limit that is to be named */
async function check(workerData, limit) {
  const { size, code, message: text, wasm } = await inThread(workerData);
  if (limit) {
    assert.equal(code, 'LIMIT', text);
    const exceeded = limit === 'window' ? 'the window is larger than the limit' : `limit \`${limit}\`: at least`;
    assert.ok(text?.includes(exceeded), text);
  } else {
    assert.ok(Number(size) > 0, `${code}: ${text}`);
  }
  assert.ok(wasm > 0 && wasm <= 64 * MiB, `WebAssembly has ${wasm} bytes`);
}

// Those of tests/complexity/families_chunked.py.
/** @type {[name: string, use: string, limit?: string][]} */
const files = [
  ['index_bomb', 'merged', 'index'],
  ['index_bomb', 'records', 'window'],
  ['record_bomb', 'merged', 'index'],
  ['one_chunk_often', 'merged', 'decoded'],
  ['one_chunk_often', 'chunk'],
  ['chunks_in_turns', 'merged', 'decoded'],
  ['chunks_in_turns', 'records'],
  ['colliding_keys', 'merged'],
  ['many_numbers', 'merged'],
];

test('hostile files end at a limit, or are read', async () =>
  each(
    files,
    (row) => row.join(', '),
    async ([name, use, limit]) => check({ input: await data(`tests/data/hostile/${name}.cpb`), use }, limit),
  ));

/** A field that is a message. @type {(number: number, ...fields: any[]) => any} */
const of = (number, ...fields) => [number, fields];

/**
 * A SavedModel.
 *
 * @param {any[][]} objects the fields of each
 * @param {any[]} functions
 */
function model(objects, functions = []) {
  const nodes = objects.map((object) => of(1, ...object));
  const library = of(2, of(1, of(1, [1, 'f'])));
  const version = /** @type {any} */ ([1, 1]);
  return message([version, of(2, of(2, library), of(7, ...nodes, ...functions))]);
}

/** n objects, each the only child of the one before. @param {number} n */
const chain = (n) => Array.from({ length: n }, (_, i) => (i < n - 1 ? [of(1, [1, i + 1], [2, 'c'])] : []));

/** A function that captures n times an object with n children. @param {number} n */
function captures(n) {
  const wide = Array.from({ length: n }, () => of(1, [2, 'c']));
  const captured = new Uint8Array(n).fill(1);
  return model([[], wide], [of(2, [1, 'f'], of(2, [2, captured]))]);
}

/** @type {[name: string, input: Uint8Array, question: [string, object], limit?: string][]} */
const models = [
  ['captures', captures(15_000), ['function', { name: 'f' }], 'walked'],
  ['search', model(chain(7000)), ['search', { name: 'c', count: 1e6 }]],
  ['objects', model(chain(5000)), ['objects', { name: '#4999' }]],
];

test('questions about hostile models end at a limit, or are answered', async () =>
  each(
    models,
    ([name]) => name,
    ([, input, question, limit]) => check({ input, question, options: { kind: 'saved_model' }, use: 'inspect' }, limit),
  ));
