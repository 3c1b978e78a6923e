/** The same over HTTP, with the requests that the server counted. */
import { libcpb } from './support/libcpb.js';
import { counted } from './support/http.js';
import { assert, data, test } from './support/test.js';

const { open, openRecords } = libcpb;
const FILE = 'tests/data/cpb/real_keras_export/max3000_none.cpb';

test('a small .cpb over HTTP: one request, and everything is there', async () => {
  const { url, report } = counted(`/${FILE}`);
  const message = await open(url);
  const opened = await report();
  console.log(
    'opened',
    opened.log.map(({ method, range, status, bytes }) => `${method} ${range} ${status} ${bytes}`),
  );
  for (const chunk of message.chunks()) assert.equal((await chunk.bytes()).length, chunk.size);
  const merged = new Uint8Array(await new Response(message.merged()).arrayBuffer());
  const local = await open(await data(FILE));
  assert.deepEqual(merged, new Uint8Array(await new Response(local.merged()).arrayBuffer()));
  const { requests, bytes } = await report();
  console.log('all read', requests, bytes, message.size);
  assert.deepEqual(message.transferred, { requests, bytes });
  assert.ok(opened.requests <= 2);
  assert.ok(message.size > 65536 || requests === opened.requests, `${requests}`);
  message.close();
  local.close();
});

test('whether a change of the file would be noticed', async () => {
  const bytes = await data(FILE);
  /** @param {string | undefined} etag */
  const given = (etag) => ({
    remote: true,
    stat: async () => ({ size: bytes.length, etag }),
    read: async (/** @type {number} */ offset, /** @type {number} */ length) => bytes.slice(offset, offset + length),
  });
  for (const [input, pinned] of /** @type {[any, boolean][]} */ ([
    [bytes, true],
    [new Blob([bytes]), true],
    [counted(`/${FILE}`).url, true],
    [given('"1"'), true],
    [given(undefined), false],
  ])) {
    const message = await open(input);
    assert.equal(message.pinned, pinned);
    message.close();
  }
});

test('records over HTTP come in one request', async () => {
  const path = 'tests/data/records/many_same_byte.riegeli';
  const { url, report } = counted(`/${path}`);
  const records = await openRecords(url);
  let n = 0;
  for await (const batch of records.batches()) n += batch.length;
  assert.equal(n, 70_000);
  const { log } = await report();
  console.log(log.map(({ method, range, status, bytes }) => `${method} ${range} ${status} ${bytes}`));
  assert.ok(log.length <= 2, `${log.length}`);
  records.close();
});

/**
 * A source that says that it has changed, at its nth read and so often.
 *
 * @param {Uint8Array} bytes
 * @param {number} nth
 * @param {number} times
 */
function changing(bytes, nth, times) {
  let reads = 0;
  let resets = 0;
  return {
    stat: async () => ({ size: bytes.length }),
    read: async (/** @type {number} */ offset, /** @type {number} */ length) => {
      if (++reads >= nth && times-- > 0) throw new libcpb.CpbError('CHANGED', 'it changed');
      return bytes.slice(offset, offset + length);
    },
    reset: () => void resets++,
    get resets() {
      return resets;
    },
  };
}

test('a file that changes while it is opened is opened again, once', async () => {
  const bytes = await data(FILE);
  const once = changing(bytes, 1, 1);
  const message = await open(once);
  assert.equal(once.resets, 1);
  assert.equal((await message.chunk(0).bytes()).length, message.chunk(0).size);
  message.close();
  const twice = changing(bytes, 1, 2);
  await assert.rejects(open(twice), { code: 'CHANGED' });
  assert.equal(twice.resets, 1);
});
