/** merged() reads the next window while its consumer works, and no more than that. */
// runtimes by default: node, bun, firefox
import { libcpb } from './support/libcpb.js';
import { largeModel, noise, sparse, split } from './support/files.js';
import { collect } from './support/stream.js';
import { assert, test } from './support/test.js';

const { open } = libcpb;
const MiB = 2 ** 20;

/** About five windows of 4 MiB. */
const whole = largeModel(40, MiB / 2, (i) => noise(MiB / 2, i + 1)).source.read(0, 2 ** 30);

/**
 * It as a .cpb; `reads` says what was asked for after it was opened, 'aborted' what was given
 * up before its answer.
 *
 * @param {object} [options]
 * @param {(number: number) => Promise<void> | void} [before] each read
 */
async function opened(options, before = () => {}) {
  const { size, pieces } = await split(await whole);
  const { source } = sparse(size, pieces);
  /** @type {{ end: number, aborted: boolean }[]} */
  const reads = [];
  /** @type {import('../src/types.js').Source['read']} */
  async function read(offset, length, how) {
    const entry = { end: offset + length, aborted: false };
    how?.signal?.addEventListener('abort', () => (entry.aborted = true));
    await before(reads.push(entry));
    return source.read(offset, length, how);
  }
  const message = await open({ ...source, read }, { ...options, retry: false });
  reads.length = 0;
  const { ranges } = await message.plan({ merged: true });
  return { message, reads, ranges };
}

/** Lets all that needs no timer happen. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

/**
 * Reads until `bytes` were given, and waits.
 *
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {number} bytes
 */
async function take(reader, bytes) {
  while (bytes > 0) bytes -= (await reader.read()).value?.length ?? Infinity;
  await settled();
}

test('one window ahead, from the second on; requests and bytes are those of plan()', async () => {
  const { message, reads, ranges } = await opened();
  assert.ok(ranges.length >= 5, `${ranges.length}`);
  const reader = message.merged().getReader();
  await take(reader, MiB);
  assert.equal(reads.length, 1);
  await take(reader, 4 * MiB);
  assert.equal(reads.length, 3);
  await take(reader, 4 * MiB);
  assert.equal(reads.length, 4);
  await reader.cancel();
  message.close();

  const other = await opened();
  assert.deepEqual(await collect(other.message.merged()), await whole);
  assert.equal(other.reads.length, ranges.length);
  other.message.close();
});

test('a stream that is given up ends the request that is under way', async () => {
  /** @type {(() => void) | undefined} */
  let release;
  const { message, reads } = await opened({}, (n) =>
    n === 3 ? new Promise((resolve) => (release = resolve)) : undefined,
  );
  const reader = message.merged().getReader();
  await take(reader, 5 * MiB);
  assert.equal(reads.at(-1)?.aborted, false);
  await reader.cancel();
  await settled();
  assert.equal(reads.length, 3);
  assert.equal(reads.at(-1)?.aborted, true);
  release?.();
  message.close();
});

test('a request ahead that fails is made again when its bytes are needed', async () => {
  let failures = 0;
  const { message, reads, ranges } = await opened({}, (n) => {
    if (n === 3 && failures++ === 0) throw new Error('lost');
  });
  assert.deepEqual(await collect(message.merged()), await whole);
  assert.equal(reads.length, ranges.length + 1);
  message.close();
});

test('little memory, or no budget for it: nothing ahead of what is needed', async () => {
  const { message, reads } = await opened({ limits: { memory: 32 * MiB } });
  const reader = message.merged().getReader();
  await take(reader, 5 * MiB);
  assert.equal(reads.length, 2);
  await reader.cancel();
  message.close();

  const poor = await opened({ budget: { bytes: 10 * MiB } });
  const piece = poor.message.merged().getReader();
  await take(piece, 7 * MiB);
  assert.equal(poor.reads.length, 2);
  await assert.rejects(take(piece, 8 * MiB), { code: 'BUDGET' });
  poor.message.close();
});
