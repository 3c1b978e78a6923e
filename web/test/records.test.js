/** Records of Riegeli files: iterated, found by position, recovered, and what ends it. */
// runtimes by default: node, bun, firefox
import { noise, riegeli, sparse } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { assert, data, test } from './support/test.js';

const { openRecords } = libcpb;
const MANY = 'tests/data/records/many_same_byte.riegeli';

/** @param {AsyncIterable<any>} items */
async function all(items) {
  const out = [];
  for await (const item of items) out.push(item);
  return out;
}

/** @param {Uint8Array[]} records */
async function fileOf(records) {
  const pieces = [...(await riegeli(0, records))];
  const size = Math.max(...pieces.map(({ offset, bytes }) => offset + bytes.length));
  return sparse(size, pieces);
}

test('a large file comes in one request that is read as it is consumed', async () => {
  const records = Array.from({ length: 40 }, (_, i) => noise(500_000, i));
  const file = await fileOf(records);
  const reader = await openRecords(file.source);
  let n = 0;
  for await (const { bytes, index, position, chunkBegin } of reader) {
    assert.deepEqual(bytes, records[n++]);
    assert.equal(position, chunkBegin + index);
    if (n === 5) assert.ok(file.cost.bytes < 5e6, `${file.cost.bytes} bytes for 5 records`);
  }
  assert.equal(n, 40);
  console.log('20 MB of records', file.cost, file.log);
  assert.deepEqual(file.log, ['stream 0+Infinity']);
  assert.ok(file.cost.bytes < 40 * 500_000 * 1.001);
  reader.close();
});

test('batches hold all records; several iterations go on at once', async () => {
  const reader = await openRecords(await data(MANY));
  const [batches, one, other] = await Promise.all([all(reader.batches()), all(reader), all(reader.records())]);
  assert.ok(batches.length < 100, `${batches.length}`);
  assert.equal(batches.flat().length, 70_000);
  assert.deepEqual(one.slice(-100), batches.flat().slice(-100));
  assert.deepEqual(other.slice(-100), one.slice(-100));
  reader.close();
});

test('small records are read in bulk', async () => {
  const reader = await openRecords(await data(MANY));
  await all(reader);
  const begun = performance.now();
  await all(reader);
  const ms = ((performance.now() - begun) / 70_000) * 100_000;
  console.log(`100,000 records: ${Math.round(ms)} ms`);
  assert.ok(ms < 5000, `${ms}`);
  reader.close();
});

test('a position, the last record, and reading on from a position', async () => {
  const records = Array.from({ length: 30 }, (_, i) => noise(100_000, i + 100));
  const file = await fileOf(records);
  const reader = await openRecords(file.source);
  const last = await reader.last();
  assert.deepEqual(last?.bytes, records[29]);
  console.log('last', file.since());
  const some = await reader.at(last.position - 5);
  assert.deepEqual(some?.bytes, records[29]);
  assert.equal(await reader.at(2 ** 40), undefined);
  assert.deepEqual((await reader.at(0))?.bytes, records[0]);
  reader.close();
  const late = await openRecords(file.source, { position: last.position });
  assert.deepEqual(
    (await all(late)).map(({ position }) => position),
    [last.position],
  );
  late.close();
});

test('an empty file has no last record', async () => {
  const reader = await openRecords(await data('tests/data/records/empty.riegeli'));
  assert.equal(await reader.last(), undefined);
  assert.deepEqual(await all(reader), []);
  assert.equal(await reader.metadata(), undefined);
  reader.close();
});

test('a damaged region: the records before it and then the error, or both sides of it', async () => {
  const bytes = (
    await (await fileOf(Array.from({ length: 10 }, (_, i) => noise(1000, i)))).source.read(0, 1e6)
  ).slice();
  bytes[5600] = Number(bytes[5600]) ^ 1;
  const reader = await openRecords(bytes);
  /** @type {any[]} */
  const before = [];
  await assert.rejects(
    async () => {
      for await (const record of reader) before.push(record);
    },
    { code: 'DAMAGED' },
  );
  assert.equal(before.length, 5);
  reader.close();
  const recovering = await openRecords(bytes, { recover: true });
  const items = await all(recovering);
  assert.equal(items.filter(({ bytes: b }) => b).length, 9);
  const [{ skipped }] = items.filter((item) => item.skipped);
  assert.ok(skipped.begin <= 5600 && skipped.end > 5600 && skipped.reason.length > 10);
  recovering.close();
});

test('an iteration that is left early can be left to itself; close ends one that goes on', async () => {
  const reader = await openRecords(await data(MANY));
  for await (const _ of reader) break;
  const going = reader.records();
  await going.next();
  reader.close();
  await assert.rejects(
    async () => {
      for await (const _ of going);
    },
    { code: 'CLOSED' },
  );
  await assert.rejects(reader.at(64), { code: 'CLOSED' });
});

test('an abort ends an iteration with its reason', async () => {
  const file = await fileOf(Array.from({ length: 40 }, (_, i) => noise(500_000, i)));
  const reader = await openRecords({ ...file.source, remote: false });
  const controller = new AbortController();
  await assert.rejects(async () => {
    for await (const { bytes } of reader.records({ signal: controller.signal })) {
      assert.equal(bytes.length, 500_000);
      controller.abort(new Error('that is enough'));
    }
  }, /that is enough/);
  assert.equal((await reader.at(64))?.bytes.length, 500_000);
  reader.close();
});

test('a chunk that says it is larger than the limit', async () => {
  const bytes = await data('tests/data/records/simple_zstd.riegeli');
  const reader = await openRecords(bytes, { limits: { recordsPerChunk: 1 } });
  await assert.rejects(all(reader), { code: 'LIMIT' });
  reader.close();
});

test('wrong options', async () => {
  const bytes = await data(MANY);
  await assert.rejects(openRecords(bytes, { position: -1 }), { code: 'USAGE' });
  await assert.rejects(openRecords(bytes, { verify: 'often' }), { code: 'USAGE' });
  await assert.rejects(openRecords(bytes, { signal: AbortSignal.abort(new Error('no')) }), /no/);
});

const NODES = 'tests/data/records/tr_nodedef_zstd.riegeli';

test('fields by name and number, and messages', async () => {
  const bytes = await data(NODES);
  const whole = await all(await openRecords(bytes, { type: 'tensorflow.NodeDef' }));
  const some = await openRecords(bytes, { fields: ['op', 'attr.key'], type: 'tensorflow.NodeDef' });
  const numbers = await all(await openRecords(bytes, { fields: '2,5.1' }));
  const named = await all(some);
  assert.equal(whole.length, 150);
  assert.deepEqual(
    named.map(({ message }) => [message.op, Object.keys(message.attr ?? {}).sort(), message.name]),
    whole.map(({ message }) => [message.op, Object.keys(message.attr ?? {}).sort(), undefined]),
  );
  assert.deepEqual(
    numbers.map((record) => record.bytes),
    named.map((record) => record.bytes),
  );
  assert.equal(numbers[0].message, undefined);
  assert.deepEqual((await some.last())?.message, named[149].message);
  assert.deepEqual((await some.at(whole[7].position))?.message, named[7].message);
  assert.deepEqual((await some.nth(7))?.message, named[7].message);
  some.close();
});

test('fields that there are not are refused', async () => {
  const bytes = await data(NODES);
  for (const [options, words] of /** @type {[any, RegExp][]} */ ([
    [{ fields: 'op' }, /"op" is a name/],
    [{ fields: ['op', 'nme'], type: 'tensorflow.NodeDef' }, /fields at character 4: .*no field "nme"/],
    [{ fields: '1,' }, /expected a field/],
    [{ fields: 1 }, /fields/],
    [{ type: 'no.Type' }, /no message type/],
  ]))
    await assert.rejects(openRecords(bytes, options), { code: 'USAGE', message: words });
});

test('records have numbers', async () => {
  for (const name of ['tr_protos_zstd_small_chunks', 'simple_snappy', 'empty']) {
    const reader = await openRecords(await data(`tests/data/records/${name}.riegeli`));
    const every = await all(reader);
    assert.equal(await reader.count(), every.length);
    assert.equal(await reader.nth(every.length), undefined);
    assert.equal(await reader.nth(-every.length - 1), undefined);
    if (every.length === 0) continue;
    assert.deepEqual(await reader.nth(-1), every.at(-1));
    const numbers = [9, 2, -3, 2, every.length, 30];
    const [one, several] = await Promise.all([reader.nth(5), reader.nth(numbers)]);
    assert.deepEqual(one, every[5]);
    assert.deepEqual(
      several,
      numbers.map((number) => every.at(number)),
    );
    assert.deepEqual(await reader.nth([]), []);
    await assert.rejects(reader.nth(1.5), { code: 'USAGE' });
    reader.close();
    await assert.rejects(reader.count(), { code: 'CLOSED' });
  }
});

test('counting reads no data', async () => {
  const file = await fileOf(Array.from({ length: 10 }, (_, i) => noise(3_000_000, i)));
  const reader = await openRecords(file.source);
  assert.equal(await reader.count(), 10);
  const { bytes } = file.cost;
  assert.ok(bytes < 3e6, `${bytes} bytes to count 10 records`);
  assert.equal((await reader.nth(7))?.size, 3_000_000);
  assert.ok(file.cost.bytes - bytes < 3.5e6, `${file.cost.bytes - bytes} bytes for one`);
  reader.close();
});

test('an error or an abort does not end reading by number', async () => {
  const bytes = (await data(NODES)).slice();
  const reader = await openRecords(bytes);
  await assert.rejects(reader.count({ signal: AbortSignal.abort(new Error('no')) }), /no/);
  assert.equal(await reader.count(), 150);
  reader.close();
});
