/** writeRecords on every runtime; writer-native.test.js has the exact bytes. */
import { assert, each, test } from './support/test.js';
import { noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';

const { openRecords, writeRecords } = libcpb;

/** Empty, small, more than the module takes at once, and one that goes in pieces. */
function mixed() {
  const records = [new Uint8Array(0)];
  for (let i = 0; i < 6000; i++) records.push(new TextEncoder().encode(`record ${i % 7} of many`));
  records.push(noise(700_000, 1), noise(256 * 1024, 2), new Uint8Array(0), noise(256 * 1024 + 1, 3));
  return records;
}

/** @param {Uint8Array} file */
async function read(file) {
  const records = [];
  for await (const { bytes } of await openRecords(file)) records.push(bytes);
  return records;
}

/** @type {object[]} */
const ways = [
  {},
  { codec: { name: 'none' } },
  { codec: { name: 'zstd', level: 1 }, chunkSize: 1000 },
  { codec: { name: 'snappy' }, transpose: true },
  { transpose: true, bucketFraction: 0 },
  { riegeliOptions: 'transpose,zstd,pad_to_block_boundary' },
];

test('records come back', async () => {
  const records = mixed();
  await each(ways, JSON.stringify, async (options) => {
    const output = writeRecords(records, options);
    const file = await output.bytes();
    assert.deepEqual(output.result, { records: records.length, size: file.length });
    assert.deepEqual(await read(file), records);
  });
  assert.deepEqual(await read(await writeRecords([]).bytes()), []);
});

test('messages take less room transposed, and options count', async () => {
  const random = noise(20_000, 5);
  const message = (/** @type {number} */ i) => [
    8,
    i & 127,
    18,
    4,
    97,
    (random[i] ?? 0) & 15,
    99,
    100,
    24,
    (i >> 7) & 127,
  ];
  const records = Array.from(random, (_, i) => Uint8Array.from(message(i)));
  const size = async (/** @type {object} */ options) => (await writeRecords(records, options).bytes()).length;
  const codec = { name: 'zstd' };
  assert.ok((await size({ codec, transpose: true })) < (await size({ codec })));
  assert.ok((await size({ codec, chunkSize: 10_000 })) > (await size({ codec })));
  const bytes = (/** @type {object} */ options) => writeRecords(records, { transpose: true, ...options }).bytes();
  const inWords = writeRecords(records, { riegeliOptions: 'transpose,bucket_fraction:0' });
  assert.deepEqual(await bytes({ bucketFraction: 0 }), await inWords.bytes());
  assert.deepEqual(await bytes({ bucketFraction: 1 }), await bytes({}));
  await assert.rejects(async () => assert.deepEqual(await bytes({ bucketFraction: 0 }), await bytes({})));
  assert.equal((await size({ riegeliOptions: 'uncompressed,final_padding:64K' })) % 65536, 0);
});

test('any iterable of bytes is an input, as they come', async () => {
  const records = mixed().slice(0, 100);
  const expected = await writeRecords(records).bytes();
  async function* later() {
    for (const record of records) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      yield record;
    }
  }
  assert.deepEqual(await writeRecords(later()).bytes(), expected, 'an async generator');
  assert.deepEqual(await writeRecords(new Set(records)).bytes(), expected, 'a Set');
  const buffers = records.map((record) => record.slice().buffer);
  assert.deepEqual(await writeRecords(buffers).bytes(), expected, 'ArrayBuffers');
});

test('metadata are written', async () => {
  const metadata = new Uint8Array([18, 1, 65]);
  const opened = await openRecords(await writeRecords([], { metadata }).bytes());
  assert.deepEqual(await opened.metadata(), metadata);
  opened.close();
});

test('progress is told in records and their bytes', async () => {
  const records = mixed();
  const sum = records.reduce((all, { length }) => all + length, 0);
  /** @type {any[]} */
  const told = [];
  await writeRecords(records).bytes({ onProgress: (/** @type {any} */ progress) => told.push(progress) });
  assert.deepEqual(told.at(-1), { of: 'records', done: sum, total: sum });
  assert.ok(told.length > 3);
});

test('a value that is no record, or a source that fails, ends writing with an error that says so', async () => {
  const what = { code: 'USAGE', message: 'record 1 is string; expected a Uint8Array or another view of bytes' };
  await assert.rejects(writeRecords([new Uint8Array(1), 'no']).bytes(), what);
  await assert.rejects(writeRecords(5).bytes(), { code: 'USAGE', message: /^records is number; expected an iterable/ });
  let ended = false;
  async function* failing() {
    try {
      yield new Uint8Array(5);
      throw new RangeError('out of records');
    } finally {
      ended = true;
    }
  }
  await assert.rejects(writeRecords(failing()).bytes(), RangeError);
  assert.ok(ended);
});

test('an abort ends the wait for a record, and the source', async () => {
  const controller = new AbortController();
  let ended = false;
  const hanging = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => setTimeout(() => controller.abort(new Error('enough')), 1)),
      return: async () => void (ended = true),
    }),
  };
  await assert.rejects(writeRecords(hanging).bytes({ signal: controller.signal }), { message: 'enough' });
  assert.ok(ended);
});

test('a record larger than the memory is an error where the output cannot be sought', async () => {
  const large = noise(3 * 2 ** 20, 4);
  const options = { memory: 2 ** 20, codec: { name: 'none' } };
  await assert.rejects(writeRecords([large], options).bytes(), { code: 'LIMIT', message: /raise the option memory$/ });
  const bytes = new Uint8Array(4 * 2 ** 20);
  const sink = { write: (/** @type {number} */ at, /** @type {Uint8Array} */ more) => bytes.set(more, at) };
  const { size } = await writeRecords([large], options).to(sink);
  assert.deepEqual(await read(bytes.slice(0, size)), [large]);
});
