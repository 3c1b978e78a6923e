/** onProgress: of what, how many bytes, of how many; in a Worker as here; for no request more. */
// runtimes by default: node, bun, firefox
import { libcpb } from './support/libcpb.js';
import { counted } from './support/http.js';
import { largeModel, noise, sparse, split } from './support/files.js';
import { savedModel } from './support/savedmodels.js';
import { collect } from './support/stream.js';
import { assert, data, each, runtime, test } from './support/test.js';

/** @import { Progress } from '../src/types.js' */

const { inspect, merge, open, openInWorker, openRecords } = libcpb;
const MiB = 2 ** 20;
const CPB = 'tests/data/cpb/real_keras_export/max3000_zstd.cpb';
const RECORDS = 'tests/data/records/many_same_byte.riegeli';

/** What a call tells, and what came of it. @template T @param {(options: any) => Promise<T>} call */
async function told(call) {
  /** @type {Progress[]} */
  const all = [];
  const result = await call({ onProgress: (/** @type {Progress} */ progress) => all.push({ ...progress }) });
  assert.ok(all.length > 0, 'nothing is told');
  assert.ok(
    all.every(({ of, done }, i) => of === all[0]?.of && done >= (all[i - 1]?.done ?? 0)),
    JSON.stringify(all),
  );
  return { all, last: /** @type {Progress} */ (all.at(-1)), result };
}

/** Calls that know their end: what they are told of, and how many bytes that has. */
const calls = /** @type {[string, (model: any, options: any) => Promise<any>][]} */ ([
  ['chunk 1', (model, o) => model.chunk(1).bytes(o)],
  ['chunk 1', (model, o) => model.chunk(1).read(10, 100, o)],
  ['chunk 1', (model, o) => model.chunk(1).read(10, Infinity, o)],
  ['chunk 1', (model, o) => collect(model.chunk(1).stream(o))],
  ['chunk 1', async (model, o) => new Uint8Array(await (await model.chunk(1).blob(o)).arrayBuffer())],
  ['message', (model, o) => model.read(5, 20_000, o)],
  ['message', (model, o) => model.read(5, Infinity, o)],
  ['message', (model, o) => collect(model.merged(o))],
  ['message', (model, o) => collect(model.merged({ offset: 7, length: 5_000, ...o }))],
  ['field meta_graphs[0].graph_def', async (model, o) => (await model.field('meta_graphs[0].graph_def')).bytes(o)],
  ['field meta_graphs', async (model, o) => collect((await model.field('meta_graphs')).stream(o))],
]);

/** The one whose errors are the runtime's. */
const BLOB = 4;

/** @param {any} model */
const eachCall = (model) =>
  each(
    calls.map((entry, i) => ({ entry, i })),
    ({ entry: [of], i }) => `${i} ${of}`,
    async ({ entry: [of, call] }) => {
      const { last, result } = await told((o) => call(model, o));
      assert.deepEqual(last, { of, done: result.length, total: result.length });
    },
  );

test('chunks, the message and its fields: progress over all of their bytes', async () => {
  const model = await open(await data(CPB));
  await eachCall(model);
  model.close();
});

test('in a Worker', { skip: runtime === 'workerd' && 'no Worker can be started there' }, async () => {
  const { last, result: model } = await told(async (o) => openInWorker(await data(CPB), o));
  assert.equal(last.of, 'opening');
  await eachCall(model);
  const wrong = new Error('enough');
  const onProgress = () => {
    throw wrong;
  };
  await assert.rejects(model.chunk(1).bytes({ onProgress }), { message: 'enough' });
  await assert.rejects(collect(model.merged({ onProgress })), { message: 'enough' });
  await assert.rejects(model.chunk(1).bytes({ onProgress: 5 }), { code: 'USAGE', message: /onProgress is 5/ });
  model.close();
});

test('opening, searches and records are told in the bytes that the server sent', async () => {
  const { url, report } = counted(`/${CPB}`);
  const { last, result: model } = await told((o) => open(url, o));
  assert.deepEqual(last, { of: 'opening', done: (await report()).bytes, total: undefined });
  model.close();

  const file = counted(`/${RECORDS}`);
  const records = await openRecords(file.url);
  const { last: end } = await told(async (o) => {
    for await (const batch of records.batches(o)) batch.length;
  });
  const { bytes } = await file.report();
  assert.deepEqual(end, { of: 'records', done: bytes, total: bytes });
  records.close();

  const { source, cost } = largeModel(5, MiB);
  const plain = await open(source, { type: 'tensorflow.SavedModel', cache: false });
  const before = cost.bytes;
  const path = 'meta_graphs[0].graph_def.node[3].name';
  const { last: found, result: field } = await told((o) => plain.field(path, o));
  const { done } = /** @type {any} */ (found);
  assert.deepEqual(found, { of: `field ${path}`, done, total: undefined });
  // Where values end is guessed, too, which is not counted.
  assert.ok(done > MiB / 100 && done <= cost.bytes - before, `${done} of ${cost.bytes - before}`);
  const { last: value } = await told((o) => field.value(o));
  assert.deepEqual(value, { of: `field ${path}`, done: 14, total: 14 });
  plain.close();

  // More nodes than pieces are remembered (wasm/feed.js).
  const other = await open(largeModel(5000, MiB).source, { type: 'tensorflow.SavedModel' });
  const list = await other.field('meta_graphs[0].graph_def.node');
  const { last: nodes } = await told(async (o) => {
    for await (const node of list.elements(o)) node.size;
  });
  assert.equal(nodes.of, 'field meta_graphs[0].graph_def.node');
  other.close();
});

test('questions about a model, and values', async () => {
  const { last, result: model } = await told((o) => inspect(savedModel([['x', 'Placeholder']]), o));
  assert.equal(last.of, 'opening');
  assert.ok(last.done > 0);
  model.close();
  const large = await inspect(largeModel(3, MiB, (i) => noise(MiB, i + 1)).source, { kind: 'saved_model' });
  const { last: asked } = await told((o) => large.constants(o));
  assert.equal(asked.of, 'constants');
  await assert.rejects(large.ops({ onProgress: 1 }), { code: 'USAGE', message: /^the option onProgress is 1; / });
  const values = await large.values('layer_1/kernel');
  const { all, result } = await told((o) => values.bytes(o));
  assert.deepEqual(all.at(-1), { of: 'values of layer_1/kernel', done: MiB, total: MiB });
  assert.equal(result.length, MiB);
  large.close();
});

test('progress of large reads is reported as they come, without further requests', async () => {
  const whole = largeModel(40, MiB / 2, (i) => noise(MiB / 2, i + 1)).source.read(0, 2 ** 30);
  const message = await whole;
  const { size, pieces } = await split(message);
  for (const [what, files] of /** @type {[string, any[]][]} */ ([
    ['.pb', [0, 1].map(() => sparse(message.length, [{ offset: 0, bytes: message }]))],
    ['.cpb', [0, 1].map(() => sparse(size, pieces))],
  ])) {
    const [silent, talking] = await Promise.all(files.map(({ source }) => open(source)));
    assert.deepEqual(await silent.read(0, Infinity), message);
    const { all } = await told((o) => talking.read(0, Infinity, o));
    assert.ok(all.length > 10, `${what}: ${all.length}`);
    assert.deepEqual(all.at(-1), { of: 'message', done: message.length, total: message.length });
    assert.equal(files[1].cost.requests, files[0].cost.requests, what);
    silent.close();
    talking.close();
  }
});

test('a callback that is no function is refused, and its exception ends the call', async () => {
  const bytes = await data(CPB);
  await assert.rejects(open(bytes, { onProgress: 'x' }), { code: 'USAGE', message: /^the option onProgress is 'x'; / });
  await assert.rejects(openRecords(bytes, { onProgress: 1 }), { code: 'USAGE' });
  await assert.rejects(merge(bytes).bytes({ onProgress: 1 }), { code: 'USAGE' });
  const model = await open(bytes);
  const stop = new Error('stop');
  const onProgress = () => {
    throw stop;
  };
  for (const [i, [, call]] of calls.entries()) {
    await assert.rejects(async () => call(model, { onProgress: 1 }), { code: 'USAGE', message: /onProgress/ });
    await assert.rejects(call(model, { onProgress }), i === BLOB ? undefined : { message: 'stop' });
    assert.ok((await call(model, {})).length > 0, 'and can be made again');
  }
  model.close();
  const { last } = await told((o) => merge(bytes).bytes(o));
  assert.deepEqual(last, { of: 'message', done: last.total, total: last.total });
});
