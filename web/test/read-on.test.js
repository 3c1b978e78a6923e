/**
 * One of many large values of a .pb is found in a few requests where these are slow and bytes come
 * fast, and in few bytes where it is the other way round.
 */
// runtimes by default: node
import { virtualClock } from './support/clock.js';
import { libcpb } from './support/libcpb.js';
import { largeModel } from './support/files.js';
import { assert, runtime, test } from './support/test.js';

const { inspect, open } = libcpb;
const SIZE = 1_700_000;
const COUNT = 205;

// There the clock cannot be set.
const skip = runtime === 'workerd' && 'the clock stands still';

const { sleep } = skip ? { sleep: async () => {} } : virtualClock(1);

/**
 * A model of COUNT constants, which answers after `latency` milliseconds and gives `rate` bytes for
 * each; what it was asked for is counted.
 *
 * @param {{ latency: number, rate: number, count?: number, broken?: boolean }} how
 */
function remote({ latency, rate, count = COUNT, broken = false }) {
  const { source } = largeModel(count, SIZE);
  const cost = { requests: 0, bytes: 0, streams: 0, cancelled: 0 };
  /** @param {number} offset @param {number} length */
  async function read(offset, length) {
    cost.requests++;
    await sleep(latency + length / rate);
    const bytes = await source.read(offset, length);
    cost.bytes += bytes.length;
    return bytes;
  }
  /** @param {number} offset @param {number} length */
  function stream(offset, length) {
    cost.requests++;
    cost.streams++;
    const end = offset + length;
    let first = true;
    return new ReadableStream(
      {
        async pull(sink) {
          const size = Math.min(2 ** 18, end - offset);
          if (size === 0) return sink.close();
          if (broken && !first) return sink.error(new Error('it broke off'));
          const ms = (first ? latency : 0) + size / rate;
          if (ms > 1) await sleep(ms);
          first = false;
          const bytes = await source.read(offset, size);
          offset += size;
          cost.bytes += size;
          sink.enqueue(bytes);
        },
        cancel: () => void cost.cancelled++,
      },
      { highWaterMark: 0 },
    );
  }
  return { cost, source: { remote: true, name: 'saved_model.pb', read, stream, stat: () => source.stat() } };
}

/** @param {any} source @param {number} i @param {object} [options] */
async function find(source, i, options) {
  const model = await open(source, options);
  const field = await model.field(`meta_graphs[0].graph_def.node[${i}].name`);
  assert.equal(await field.value(), `layer_${i}/kernel`);
  model.close();
}

test('slow requests: reading goes on over gaps, with at most 12 requests', { skip }, async () => {
  const { cost, source } = remote({ latency: 50, rate: 1e6 });
  await find(source, COUNT - 1);
  assert.ok(cost.requests <= 12, `${cost.requests} requests`);
  const named = remote({ latency: 50, rate: 1e6 });
  const model = await inspect(named.source, { kind: 'saved_model' });
  const values = await model.values(`layer_${COUNT - 1}/kernel`);
  assert.equal((await values.bytes()).length, SIZE);
  assert.ok(named.cost.requests <= 12, `${named.cost.requests} requests`);
  model.close();
  console.log(`# ${cost.requests} requests for a field, ${named.cost.requests} for values`);
});

test('slow bytes, or fast requests: gaps are skipped', { skip }, async () => {
  const slow = remote({ latency: 50, rate: 2500, count: 25 });
  await find(slow.source, 24);
  assert.ok(slow.cost.bytes < 2 * 2 ** 20, `${slow.cost.bytes} bytes`);
  assert.ok(slow.cost.streams <= 1);
  const quick = remote({ latency: 0, rate: 1e9, count: 25 });
  await find(quick.source, 24);
  assert.equal(quick.cost.streams, 0);
});

test('a budget of bytes: no gap is read', { skip }, async () => {
  const { cost, source } = remote({ latency: 20, rate: 1e6, count: 15 });
  await find(source, 14, { budget: { bytes: 2 ** 20 } });
  assert.equal(cost.streams, 0);
});

test('a stream that breaks off is done without, and none stays open', { skip }, async () => {
  const broken = remote({ latency: 20, rate: 1e6, count: 15, broken: true });
  await find(broken.source, 14, { retry: false });
  assert.ok(broken.cost.streams >= 1);
  const { cost, source } = remote({ latency: 20, rate: 1e6, count: 25 });
  const model = await open(source);
  const field = await model.field('meta_graphs[0].graph_def.node');
  let i = 0;
  for await (const node of field.elements()) {
    assert.equal(await (await node.field('name')).value(), `layer_${i}/kernel`);
    if (++i === 10) break;
  }
  await find(source, 10);
  assert.equal(cost.cancelled, cost.streams);
  const controller = new AbortController();
  sleep(250).then(() => controller.abort(new Error('enough')));
  const slow = remote({ latency: 30, rate: 1e5 });
  const opened = await open(slow.source);
  const finding = opened.field(`meta_graphs[0].graph_def.node[${COUNT - 1}]`, { signal: controller.signal });
  await assert.rejects(finding, { message: 'enough' });
  model.close();
  opened.close();
});
