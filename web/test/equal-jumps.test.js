/**
 * Of a model with equal layers, the ends of its large values are asked for before the values in front
 * of them are known; of others, next to nothing that is not needed.
 */
// runtimes by default: node
import { equalJumps, goingOn } from '../src/reader/equal-jumps.js';
import { virtualClock } from './support/clock.js';
import { graphOf, largeModel } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { assert, each, test } from './support/test.js';

/** @import { Sparse } from './support/files.js' */

const { inspect } = libcpb;
const MB = 1e6;

/** What a guess asks for: 4 KiB, and 512 B before and behind. */
const GUESS = 5120;
const KIB_4 = 4096;

/** Milliseconds of a round: so few that asking is cheap. */
const ROUND = 5;

/**
 * The file as a server that answers what waits for it all at once; that is a round. Requests are
 * refused as `refuses` says.
 *
 * @param {Sparse} file
 * @param {(length: number) => boolean} [refuses]
 */
function inRounds(file, refuses = () => false) {
  /** @type {{ offset: number, end: number, aborted: boolean }[]} */
  const asked = [];
  const clock = virtualClock();
  /** @type {import('../src/types.js').Source['read']} */
  async function read(offset, length, options) {
    const entry = { offset, end: offset + length, aborted: false };
    asked.push(entry);
    options?.signal?.addEventListener('abort', () => (entry.aborted = true));
    await clock.sleep(ROUND);
    if (refuses(length)) throw new Error('no');
    return file.source.read(offset, length);
  }
  const source = { remote: true, name: 'saved_model.pb', read, stat: () => file.source.stat() };
  return {
    source,
    asked,
    get rounds() {
      return clock.wakes;
    },
    stop: clock.stop,
    get bytes() {
      return asked.reduce((sum, { offset, end }) => sum + end - offset, 0);
    },
  };
}

/**
 * Its constants, and what asking for them took. What is local is read without guesses.
 *
 * @param {Sparse} file
 * @param {object} [options] of inspect(), and for inRounds()
 * @param {(length: number) => boolean} [refuses]
 */
async function constantsOf(file, options, refuses) {
  const server = inRounds(file, refuses);
  const kinds = { kind: /** @type {const} */ ('graph_def'), format: /** @type {const} */ ('pb') };
  const model = await inspect(server.source, { ...kinds, retry: false, ...options });
  const { constants } = await model.constants({ count: 'all' });
  model.close();
  server.stop();
  return { server, constants };
}

/** What it is without guesses, which a budget of bytes forbids. @param {Sparse} file */
const plainly = (file) => constantsOf(file, { budget: { bytes: 2 ** 40 } });

/** @param {{ offset: number, end: number }[]} asked */
function assertNoneTwice(asked) {
  const sorted = [...asked].sort((a, b) => a.offset - b.offset);
  sorted.forEach(({ offset }, i) => assert.ok(i === 0 || offset >= Number(sorted[i - 1]?.end), `${offset} twice`));
}

/** Sizes that are not alike, nor are their distances. @param {number} count */
const irregular = (count) => Array.from({ length: count }, (_, i) => 5 * MB + 4000 * ((i * i * 7919) % 1009));

test('40 equal constants: no request more, in 12 rounds, and no byte twice', async () => {
  const file = largeModel(40, 16 * MB);
  const without = await constantsOf(file, { kind: 'saved_model', budget: { bytes: 2 ** 40 } });
  const { server, constants } = await constantsOf(file, { kind: 'saved_model' });
  assert.deepEqual(constants, without.constants);
  assert.equal(constants.total, 40);
  assert.equal(without.server.rounds, without.server.asked.length, 'each waits for the one before');
  assert.ok(without.server.rounds >= 40, `${without.server.rounds} rounds`);
  assert.ok(server.rounds <= 12, `${server.rounds} rounds`);
  assert.ok(server.asked.length <= without.server.asked.length, `${server.asked.length} requests`);
  assert.ok(server.bytes <= without.server.bytes + 40 * (GUESS - KIB_4), `${server.bytes} bytes`);
  assertNoneTwice(server.asked);
});

test('layers of several constants: from the third layer on, their places are known', async () => {
  const layer = [9, 9, 9, 9, 36, 36.5, 5].map((mb) => mb * MB);
  const file = graphOf(Array.from({ length: 12 }, () => layer).flat());
  const { server, constants } = await constantsOf(file);
  const without = await plainly(file);
  assert.deepEqual(constants, without.constants);
  assert.ok(without.server.rounds >= 84, `${without.server.rounds} rounds`);
  assert.ok(server.rounds <= 22, `${server.rounds} rounds`);
  assert.ok(server.asked.length <= without.server.asked.length + 12, `${server.asked.length} requests`);
  assertNoneTwice(server.asked);
});

/** Of a ResNet: convolutions, each with four small constants behind it. @param {number[]} blocks */
function convolutions(blocks) {
  let channels = 64;
  const conv = (/** @type {number} */ size, /** @type {number} */ to) => [4 * size, ...Array(4).fill(4 * to)];
  return blocks.flatMap((count, stage) => {
    const width = 64 << stage;
    return Array.from({ length: count }, (_, i) => {
      const from = channels;
      channels = 4 * width;
      const skip = i === 0 ? conv(from * channels, channels) : [];
      const inner = [conv(from * width, width), conv(9 * width * width, width), conv(width * channels, channels)];
      return [...skip, ...inner.flat()];
    }).flat();
  });
}

test('82 constants, each larger than the one before: 342 MB in 12 rounds', async () => {
  const file = graphOf(Array.from({ length: 82 }, (_, i) => 100_000 * (i + 1)));
  const { server, constants } = await constantsOf(file);
  const without = await plainly(file);
  assert.deepEqual(constants, without.constants);
  assert.ok(without.server.rounds >= 82, `${without.server.rounds} rounds`);
  assert.ok(server.rounds <= 12, `${server.rounds} rounds`);
  assert.ok(server.asked.length <= without.server.asked.length, `${server.asked.length} requests`);
  assert.ok(server.bytes <= without.server.bytes + 100_000, `${server.bytes} bytes`);
});

test('stages of a ResNet: a third of the rounds, for at most half as many requests more', async () => {
  const file = graphOf(convolutions([3, 4, 23, 3]));
  const { server, constants } = await constantsOf(file);
  const without = await plainly(file);
  assert.deepEqual(constants, without.constants);
  assert.ok(without.server.rounds >= 200, `${without.server.rounds} rounds`);
  assert.ok(server.rounds <= without.server.rounds / 2.5, `${server.rounds} rounds`);
  assert.ok(server.asked.length <= without.server.asked.length * 1.5, `${server.asked.length} requests`);
  // Of the stream that is tried, engines differ in how much they take before it is cancelled.
  assert.ok(server.bytes <= without.server.bytes + 4 * MB, `${server.bytes} bytes`);
});

test('values that look like nodes, where a guess falls into them, are none', async () => {
  const sizes = Array.from({ length: 30 }, (_, i) => 200_000 + (i % 6 === 5 ? 4000 * i : 0));
  const file = graphOf(sizes);
  const bytes = await file.source.read(0, Number(file.ends.at(-1)));
  const node = await graphOf([200_000]).source.read(0, 100);
  // A node begins at every multiple of 100 in each value, with its length and that of a constant in it.
  file.ends.forEach((end, i) => {
    for (let at = end - Number(sizes[i]); at + node.length <= end; at += node.length) bytes.set(node, at);
  });
  const read = async (/** @type {number} */ offset, /** @type {number} */ length) =>
    bytes.slice(offset, offset + length);
  const source = { ...file.source, read };
  const { server, constants } = await constantsOf({ ...file, source });
  const without = await plainly({ ...file, source });
  assert.ok(server.rounds < without.server.rounds, 'some are guessed');
  assert.ok(server.asked.length > without.server.asked.length, 'some in vain');
  assert.deepEqual(constants, without.constants);
  assert.deepEqual(constants.items.map((/** @type {any} */ one) => one.bytes).sort(), [...sizes].sort());
});

test('constants that are not alike: no request more, no byte more', async () => {
  const file = graphOf(irregular(60));
  const { server, constants } = await constantsOf(file);
  const without = await plainly(file);
  assert.deepEqual(constants, without.constants);
  assert.deepEqual(server.asked, without.server.asked);
});

test('two that are alike again and again, and then one that is not: guessing ends', async () => {
  const sizes = irregular(90).map((size, i, all) => (i % 3 === 2 ? size : Number(all[3 * Math.floor(i / 3)])));
  const file = graphOf(sizes);
  const { server, constants } = await constantsOf(file);
  const without = await plainly(file);
  assert.deepEqual(constants, without.constants);
  const more = server.asked.length - without.server.asked.length;
  assert.ok(more <= 12, `${more} requests more`);
  assert.ok(server.bytes <= without.server.bytes + 12 * GUESS + 40 * (GUESS - KIB_4), `${server.bytes} bytes`);
});

test('guesses that fail are read as if nothing had been guessed', async () => {
  const file = largeModel(20, 16 * MB);
  const options = { kind: 'saved_model' };
  const { server, constants } = await constantsOf(file, options, (length) => length === GUESS);
  assert.ok(server.asked.some(({ offset, end }) => end - offset === GUESS));
  assert.deepEqual(constants, (await constantsOf(file, options)).constants);
});

test('guesses end when the answer is there', async () => {
  const server = inRounds(largeModel(40, 16 * MB));
  const jumps = equalJumps(server.source, 40 * 16 * MB, () => true);
  for (const i of [1, 2]) assert.equal(await jumps.at(16 * MB * i, KIB_4), undefined);
  assert.deepEqual(
    server.asked.map(({ offset, end }) => [offset, end]),
    [3, 4, 5, 6].map((i) => [16 * MB * i - 512, 16 * MB * i + 4608]),
  );
  assert.equal((await jumps.at(48 * MB + 20, 100))?.length, 100);
  assert.equal((await jumps.at(48 * MB + 4600, 100))?.length, 8, 'to its end');
  assert.equal(await jumps.at(48 * MB + 4608, 100), undefined);
  jumps.stop();
  assert.ok(server.asked.every(({ aborted }) => aborted));
  const controller = new AbortController();
  await jumps.at(16 * MB, KIB_4); // from the beginning
  await jumps.at(32 * MB, KIB_4);
  await jumps.at(48 * MB, KIB_4);
  const waiting = jumps.at(64 * MB, 100, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(/** @type {Promise<unknown>} */ (waiting), { message: 'enough' });
  server.stop();
});

test('how distances go on', () =>
  each(
    /** @type {[number[], number[]][]} */ ([
      [[], []],
      [[5], []],
      [
        [5, 5],
        [5, 5, 5],
      ],
      [
        [5000, 5128],
        [5128, 5128, 5128],
      ],
      [[5000, 5129], []],
      [[5000, 9000, 5000], []],
      [
        [5000, 9000, 5000, 9000],
        [5000, 9000, 5000],
      ],
      [
        [5000, 5000, 9000, 5000, 5000],
        [9000, 5000, 5000],
      ],
      [
        [1000, 2000, 3000, 1000, 2000, 3000],
        [1000, 2000, 3000],
      ],
      [
        [7000, 7000, 7000, 7000],
        [7000, 7000, 7000],
      ],
      [
        [1000, 2000, 3000, 4000],
        [5000, 6000, 7000],
      ],
      [[9000, 7000, 5000, 3000], [1000]],
      [
        [9000, 1000, 9000, 2000, 9000, 3000, 9000, 4000],
        [9000, 5000, 9000],
      ],
      // A stage of three, and the next, in which each is twice as large.
      [
        [1000, 3000, 2000, 2000, 6000, 4000],
        [4000, 12_000, 8000],
      ],
      [
        [1000, 9000, 4000, 7000, 8000, 3000, 1000, 9000, 4000, 7000],
        [8000, 3000, 1000],
      ],
    ]),
    ([distances]) => String(distances),
    async ([distances, expected]) => {
      const jumps = distances.map((distance, i) => ({ distance, extent: i }));
      assert.deepEqual(
        goingOn(jumps, 3).next.map(({ distance }) => distance),
        expected,
      );
    },
  ));

test('an array of 16 MB comes as one stream, also while a question is asked', async () => {
  const file = largeModel(20, 16 * MB);
  const { source } = file;
  /** @type {[number, number][]} */
  const streams = [];
  const stream = (/** @type {number} */ offset, /** @type {number} */ length) => {
    streams.push([offset, length]);
    return /** @type {any} */ (source).stream(offset, length);
  };
  const model = await inspect({ ...source, stream, name: 'saved_model.pb' }, { kind: 'saved_model' });
  const { constants } = await model.constants({ count: 'all' });
  const { node, tensor } = constants.items[3] ?? {};
  const values = await model.values(String(node), { tensor });
  const [bytes, { nodes }] = await Promise.all([values.bytes(), model.nodes({ count: 1 })]);
  assert.equal(bytes.length, 16 * MB);
  assert.equal(nodes.total, 20);
  assert.equal(streams.length, 1, JSON.stringify(streams));
  model.close();
});
