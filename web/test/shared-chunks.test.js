/** Chunks that share a Riegeli chunk, as TensorFlow writes them: that is decoded once, and not for each of them. */
// runtimes: node
import { libcpb } from './support/libcpb.js';
import { collect } from './support/stream.js';
import { assert, data, each, test } from './support/test.js';

/** @import { Chunk, Message } from '../src/index.js' */

const { open, split } = libcpb;

/** Bytes of the file that were lent to modules: what is decoded again is lent again. */
let lent = 0;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = /** @type {any} */ (
  async (/** @type {WebAssembly.Module} */ module, /** @type {WebAssembly.Imports} */ imports) => {
    const { exports } = await instantiate(module, imports);
    const supply = /** @type {(...args: any[]) => void} */ (exports.cpb_input_supply);
    const counting = (/** @type {any[]} */ ...args) => ((lent += args[3]), supply(...args));
    return { exports: { ...exports, cpb_input_supply: counting } };
  }
);

/** A file of thousands of chunks in one Riegeli chunk, and the message that it is made of. */
async function made() {
  const message = await data('tests/data/cpb/real_tf_keras_subclassed/orig.pb');
  const file = await split(message, { layout: 'compat', maxChunkSize: 256 }).bytes();
  return { file, message };
}

const files = made();

/** @type {[string, number, (model: Message, message: Uint8Array) => Promise<void>][]} */
const ways = [
  ['bytes() of each', 1, async (model) => void (await lengths(model.chunks(), (chunk) => chunk.bytes()))],
  [
    'bytes() from the last to the first',
    1,
    (model) => lengths([...model.chunks()].reverse(), (chunk) => chunk.bytes()),
  ],
  [
    'bytes() of all at once',
    1,
    async (model) => void (await Promise.all(Array.from(model.chunks(), (c) => c.bytes()))),
  ],
  ['stream() of each', 1, (model) => lengths(model.chunks(), (chunk) => collect(chunk.stream()))],
  ['read() of each', 1, (model) => lengths(model.chunks(), (chunk) => chunk.read(0, 8), 8)],
  ['stored() of each', 2, async (model) => void (await Promise.all(Array.from(model.chunks(), (c) => c.stored())))],
  // Planned, and planned and read by one that verifies.
  ['read() of the message', 4, async (model, message) => assert.deepEqual(await model.read(0, Infinity), message)],
  ['read() of its parts', 4, readParts],
  ['merged()', 2, async (model, message) => assert.deepEqual(await collect(model.merged()), message)],
  ['fields', 3, readFields],
];

/** @param {Iterable<Chunk>} chunks @param {(chunk: Chunk) => Promise<Uint8Array>} read @param {number} [most] */
async function lengths(chunks, read, most = Infinity) {
  for (const chunk of chunks) assert.equal((await read(chunk)).length, Math.min(chunk.size, most));
}

/** @param {Message} model @param {Uint8Array} message */
async function readParts(model, message) {
  const size = 4_999;
  for (let at = 0; at < message.length; at += size)
    assert.deepEqual(await model.read(at, size), message.subarray(at, at + size));
}

/** @param {Message} model @param {Uint8Array} message */
async function readFields(model, message) {
  for (let i = 0; i < 19; i++) {
    const node = await model.field(`meta_graphs[0].graph_def.node[${i}]`);
    const [{ offset, length } = { offset: 0, length: 0 }] = node.ranges;
    assert.deepEqual(await node.bytes(), message.subarray(offset, offset + length));
  }
}

test('chunks that share a Riegeli chunk: it is decoded once', async () => {
  const { file, message } = await files;
  await each(
    ways,
    ([name]) => name,
    async ([, times, use]) => {
      const model = await open(file);
      assert.ok(model.numChunks > 1_000);
      const before = lent;
      await model.chunk(0).bytes();
      const most = times * (lent - before);
      lent = 0;
      await use(model, message);
      assert.ok(lent <= most, `${lent} bytes; at most ${most}`);
      model.close();
    },
  );
});
