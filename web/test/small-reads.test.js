/** Small chunks that are read one by one come in few reads; nothing else is read in advance. */
// runtimes by default: node
import { compose } from '../src/middleware/layer.js';
import { smallReads } from '../src/middleware/small-reads.js';
import { libcpb } from './support/libcpb.js';
import { bytesAt } from './support/lies.js';
import { fake } from './support/fakes.js';
import { largeCpb } from './support/files.js';
import { assert, each, test } from './support/test.js';

const { CpbError, open } = libcpb;
const CHUNKS = 8_000;
const WINDOW = 65_536;

/** A .cpb whose chunks have one byte each; a Riegeli chunk is 44 bytes. */
const made = largeCpb(CHUNKS, 1, new Map(Array.from({ length: CHUNKS }, (_, i) => [i, Uint8Array.of(i)])));

/** @param {any} model @param {number} [count] */
async function readChunks(model, count = CHUNKS) {
  const before = model.transferred.requests;
  for (let i = 0; i < count; i++) assert.deepEqual(await model.chunk(i).bytes(), Uint8Array.of(i));
  return model.transferred.requests - before;
}

test('8,000 chunks of a byte, one by one: a read for each 64 KiB', async () => {
  const { source } = await made;
  const bytes = await source.read(0, 2 ** 30);
  await each(
    Object.entries({
      'a Blob': new Blob([/** @type {any} */ (bytes)]),
      'a remote source': { ...source },
      'a source of its own': { read: source.read, stat: source.stat },
    }),
    ([name]) => name,
    async ([, input]) => {
      const model = await open(input);
      const reads = await readChunks(model);
      assert.ok(reads <= 12, `${reads}`);
      model.close();
    },
  );
});

test('nothing is read ahead with a budget of bytes, or where nothing may be shared', async () => {
  const { source } = await made;
  for (const options of [{ budget: { bytes: 2 ** 24 } }, { cache: { share: false } }]) {
    const model = await open({ ...source }, options);
    assert.equal(await readChunks(model, 50), 50);
    model.close();
  }
});

test('chunks that are asked for at once are the ranges of plan(), no byte more', async () => {
  const { source, since } = await made;
  const model = await open({ ...source });
  const chunks = Array.from({ length: 1_000 }, (_, i) => i);
  const { requests, bytes } = await model.plan({ chunks });
  since();
  await Promise.all(chunks.map((i) => model.chunk(i).bytes()));
  assert.deepEqual(since(), { requests, bytes });
  model.close();
});

/** A source of 6 MB with the layer around it. @param {boolean} local @param {object} [how] */
function wrapped(local, how) {
  const file = fake({ size: 6_000_000, ...how });
  return { file, source: compose(file.source, smallReads(local)) };
}

/** Reads of so many bytes, each so far behind the one before. @param {number} length @param {number} step */
const steps = (length, step) => Array.from({ length: 20 }, (_, i) => ({ offset: i * step, length }));

test('only small reads in a row are joined; the bytes are those of the source', async () => {
  for (const { ranges, reads, local = false } of [
    { ranges: steps(40, 44), reads: 5 },
    { ranges: steps(40, 4_136), reads: 5 },
    { ranges: steps(40, 4_137), reads: 20 },
    { ranges: steps(4_097, 4_097), reads: 20 },
    { ranges: steps(40, 44).reverse(), reads: 20 },
    { ranges: steps(40, 0), reads: 20 },
    { ranges: steps(262_144, 262_144), reads: 5, local: true },
    { ranges: steps(40, 262_184), reads: 5, local: true },
    { ranges: steps(40, 262_185), reads: 20, local: true },
    { ranges: steps(262_145, 262_145), reads: 20, local: true },
  ]) {
    const { source, file } = wrapped(local);
    for (const { offset, length } of ranges) {
      assert.deepEqual((await source.read(offset, length)).slice(), bytesAt(offset, offset + length));
    }
    assert.equal(file.log.length, reads, file.log.join(', '));
  }
  const { source, file } = wrapped(true, { size: 500 });
  for (let at = 0; at < 500; at += 44) {
    assert.deepEqual((await source.read(at, 44)).slice(), bytesAt(at, Math.min(at + 44, 500)), 'to the end');
  }
  assert.equal(file.log.length, 5);
});

test('reads that are under way at once wait for one, unless something below joins them', async () => {
  for (const [local, reads] of /** @type {[boolean, number][]} */ ([
    [true, 5],
    [false, 20],
  ])) {
    const { source, file } = wrapped(local);
    const all = await Promise.all(steps(40, 44).map(({ offset, length }) => source.read(offset, length)));
    assert.equal(file.log.length, reads);
    all.forEach((bytes, i) => assert.deepEqual(bytes.slice(), bytesAt(i * 44, i * 44 + 40)));
  }
});

test('a read ahead that fails is read alone; an abort ends only its own call', async () => {
  const answer = (/** @type {number} */ _, /** @type {number} */ __, /** @type {number} */ length) => {
    if (length === WINDOW) throw new CpbError('READ', 'too much');
    return undefined;
  };
  const failing = wrapped(true, { answer });
  for (const { offset, length } of steps(40, 44)) {
    assert.deepEqual((await failing.source.read(offset, length)).slice(), bytesAt(offset, offset + length));
  }

  const { source, file } = wrapped(true);
  for (const { offset, length } of steps(40, 44).slice(0, 4)) await source.read(offset, length);
  const controller = new AbortController();
  const given = source.read(176, 40, { signal: controller.signal });
  const other = source.read(220, 40);
  controller.abort(new Error('enough'));
  await assert.rejects(given, { message: 'enough' });
  assert.deepEqual((await other).slice(), bytesAt(220, 260));
  assert.equal(file.log.length, 5);
  source.reset?.();
  await source.read(264, 40);
  assert.equal(file.log.length, 6, 'after reset nothing is kept');
});
