/** Long work leaves turns to others, so that timers fire, and a signal ends it, whatever is at hand. */
import { libcpb } from './support/libcpb.js';
import { largeModel, noise } from './support/files.js';
import { assert, runtime, test } from './support/test.js';

const { inspect, open, openRecords, split } = libcpb;
const SIZE = 64 * 2 ** 20;

// There the clock stands still while code runs, and a request has a limit of its own.
const skip = runtime === 'workerd' && 'the clock stands still';

/** A file in memory of one chunk, compressed, so that nothing is waited for. */
async function compressed() {
  const part = noise(2 ** 20, 1);
  const content = new Uint8Array(SIZE);
  for (let at = 0; at < SIZE; at += 2 * part.length) content.set(part, at);
  const { source } = largeModel(1, SIZE, () => content);
  return split(source, { codec: { name: 'zstd', level: 1 } }).bytes();
}

/**
 * The longest time for which a timer had to wait while something was done.
 *
 * @param {() => Promise<unknown>} work
 */
async function longestWait(work) {
  let last = performance.now();
  let longest = 0;
  let count = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    count++;
  }, 1);
  await work();
  clearInterval(timer);
  return { longest: Math.max(longest, performance.now() - last), count };
}

/**
 * Does the same until it is aborted: it could be done before.
 *
 * @param {(signal: AbortSignal) => Promise<unknown>} work
 * @param {number} [after] milliseconds
 */
async function abortedBy(work, after = 100) {
  const signal = AbortSignal.timeout(after);
  const begun = performance.now();
  let times = 0;
  await assert.rejects(
    (async () => {
      for (; times < 100; times++) await work(signal);
    })(),
    { name: 'TimeoutError' },
  );
  return { took: performance.now() - begun, times };
}

test('timers fire while a chunk is decoded, and one of them ends it', { skip }, async () => {
  const file = await compressed();
  const model = await open(file);
  const chunk = model.chunk(1);
  const { longest, count } = await longestWait(async () => {
    // For ten turns or so, however fast this is: between two calls there is none.
    for (const begun = performance.now(); performance.now() - begun < 400;) await chunk.bytes();
  });
  console.log(`# ${count} turns, the longest ${longest.toFixed()} ms`);
  assert.ok(count >= 4, `${count} turns`);
  const begun = performance.now();
  await chunk.bytes();
  const whole = performance.now() - begun;
  const { took } = await abortedBy((signal) => chunk.bytes({ signal }));
  assert.ok(took < 100 + whole + 1000, `${took} ms, where all takes ${whole} ms`);
  await abortedBy(async (signal) => {
    for (const reader = chunk.stream({ signal }).getReader(); ;) if ((await reader.read()).done) break;
  });
  await abortedBy((signal) => model.read(0, Infinity, { signal }));
  // It can be read afterwards.
  assert.equal((await chunk.bytes()).length, SIZE);
  model.close();
});

test('timers also fire during records and questions', { skip }, async () => {
  const file = await compressed();
  const records = await openRecords(file);
  await abortedBy(async (signal) => {
    for await (const _ of records.batches({ signal }));
  });
  records.close();
  const { source } = largeModel(20_000, 10, (i) => noise(10, i));
  const model = await inspect(await source.read(0, (await source.stat()).size), { kind: 'saved_model' });
  await abortedBy((signal) => model.nodes({ signal, count: 'all' }));
  assert.ok((await model.ops()).ops.total > 0);
  model.close();
});

test('timers also fire during JSON, even if the file is closed in the meantime', { skip }, async () => {
  const { source } = largeModel(100_000, 10); // more than one turn's work
  const bytes = await source.read(0, (await source.stat()).size);
  const model = await open(bytes, { type: 'tensorflow.SavedModel' });
  const all = await model.field('');
  const { times } = await abortedBy((signal) => all.json({ signal }), 5);
  assert.equal(times, 0, 'the first of them is ended');
  setTimeout(() => model.close());
  await assert.rejects(all.json(), { code: 'CLOSED' });
});
