/** Streams, responses, handles and S3 as inputs; every-source.test.js has all of them in a table. */
import { largeModel, noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { cut, fileHandle, streamOf } from './support/sources.js';
import { assert, base, data, each, runtime, test } from './support/test.js';

const { merge, open, s3Source, split } = libcpb;
const CPB = 'tests/data/cpb/real_keras_export/max3000_none.cpb';

test('a stream is held up to the option memory, and the error says so', async () => {
  const bytes = await data(CPB);
  for (const input of [
    streamOf(bytes),
    cut(bytes),
    new Response(bytes.slice(), { headers: { 'Content-Length': '99' } }),
  ]) {
    const error = await assert.rejects(open(input, { memory: 98 }), { code: 'LIMIT' });
    assert.match(error.message, /longer than 98 bytes: .* or raise the option memory$/);
  }
  (await open(streamOf(bytes), { memory: bytes.length })).close();
});

test('a response that was read, or that is a refusal, is no input', async () => {
  const bytes = await data(CPB);
  const read = new Response(bytes.slice());
  await read.arrayBuffer();
  await assert.rejects(open(read), { code: 'USAGE', message: /read already/ });
  await assert.rejects(open(await fetch(`${base}/no/such/file`)), { code: 'HTTP', status: 404 });
  await assert.rejects(open({ key: 'k', size: 5, body: streamOf(bytes) }), { code: 'NETWORK', message: /of 5 bytes/ });
});

test('errors of a stream or a handle have a code and their cause', async () => {
  const cause = new Error('gone');
  const failing = () => new ReadableStream({ pull: (sink) => sink.error(cause) });
  await assert.rejects(open(failing()), { name: 'CpbError', code: 'READ', cause });
  await assert.rejects(merge(failing()).bytes(), { name: 'CpbError', code: 'READ', cause });
  const denied = new DOMException('no', 'NotAllowedError');
  const handle = { name: 'f', getFile: () => Promise.reject(denied) };
  await assert.rejects(open(handle), { name: 'CpbError', code: 'READ', message: 'f: no', cause: denied });
});

test('a stream is cancelled when opening is aborted', async () => {
  let cancelled = false;
  const slow = new ReadableStream({
    pull: () => new Promise(() => {}),
    cancel: () => void (cancelled = true),
  });
  const controller = new AbortController();
  const opening = open(slow, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await assert.rejects(opening, { message: 'enough' });
  await new Promise((go) => setTimeout(go, 20));
  assert.ok(cancelled);
});

/* --- S3 --------------------------------------------------------------------- */

class GetObjectCommand {
  /** @param {any} input */
  constructor(input) {
    this.input = input;
  }
}

/**
 * A client of the AWS SDK, as far as it is used, with one object.
 *
 * @param {{ bytes: Uint8Array, etag: string }} object may be replaced
 */
function s3(object) {
  /** @type {string[]} */
  const log = [];
  /** @param {string} name @param {number} httpStatusCode */
  const failure = (name, httpStatusCode) => Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
  /** @param {any} input */
  async function getObject({ Bucket, Key, Range, IfMatch, VersionId }) {
    log.push(`${Range}${IfMatch ? ` if ${IfMatch}` : ''}${VersionId ?? ''}`);
    const { bytes, etag } = object;
    const { length } = bytes;
    if (Bucket !== 'models' || Key !== 'a') throw failure('NoSuchKey', 404);
    if (IfMatch && IfMatch !== etag) throw failure('PreconditionFailed', 412);
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(Range) ?? [];
    const begin = first ? Number(first) : Math.max(0, length - Number(last));
    const end = first ? Math.min(Number(last) + 1, length) : length;
    if (begin >= length) throw failure('InvalidRange', 416);
    const part = bytes.subarray(begin, end);
    return {
      Body: cut(part),
      ContentLength: part.length,
      ContentRange: `bytes ${begin}-${end - 1}/${length}`,
      ETag: etag,
    };
  }
  return { log, getObject, send: (/** @type {any} */ { input }) => getObject(input) };
}

test('an object of S3 is read by ranges, as long as it is the same', async () => {
  const { source } = largeModel(3, 100_000, (i) => noise(100_000, i + 1));
  const object = { bytes: await split(source).bytes(), etag: '"one"' };
  const message = await merge(object.bytes).bytes();
  const { log, send, getObject } = s3(object);
  const where = { bucket: 'models', key: 'a' };
  const model = await open(s3Source({ client: { send }, GetObjectCommand, ...where, input: { VersionId: 'v' } }));
  assert.deepEqual(log, ['bytes=-65560v']);
  assert.deepEqual(await model.read(0, Infinity), message);
  assert.ok(
    log.slice(1).every((asked) => /^bytes=\d+-\d+ if "one"v$/.test(asked)),
    String(log),
  );
  const other = await open(s3Source({ client: { getObject }, ...where }), { cache: false });
  object.etag = '"two"';
  await assert.rejects(other.chunk(1).bytes(), { code: 'CHANGED' });
  object.bytes = new Uint8Array(0);
  const empty = await open(s3Source({ client: { getObject }, ...where }), { format: 'pb' });
  assert.equal(empty.size, 0);
  await assert.rejects(open(s3Source({ client: { getObject }, ...where, key: 'b' }), { retry: false }), {
    code: 'HTTP',
    status: 404,
  });
  const useless = async () => open(s3Source(/** @type {any} */ ({ client: { send }, ...where })));
  await assert.rejects(useless(), { code: 'USAGE' });
});

/* --- Streams that fill buffers of the reader ---------------------------------- */

const hasByteStreams = (() => {
  if (runtime === 'workerd') return false; // it cuts their pieces to 4 KiB
  try {
    return Boolean(new ReadableStream({ type: 'bytes' }));
  } catch {
    return false;
  }
})();

test('a stream can be read into buffers', { skip: !hasByteStreams && 'no such streams here' }, async () => {
  const bytes = await data(CPB);
  const copy = bytes.slice();
  const model = await open(bytes);
  const message = await merge(bytes).bytes();
  const plain = await open(message, { format: 'pb' });
  const field = await plain.field('');
  const streams = {
    'merged()': model.merged(),
    'merged() of a .pb': plain.merged(),
    'a field': field.stream(),
    'an output': merge(bytes).stream(),
  };
  await each(
    Object.entries(streams),
    ([name]) => name,
    async ([, stream]) => {
      const reader = stream.getReader({ mode: 'byob' });
      const all = [];
      for (let buffer = new ArrayBuffer(1000); ;) {
        const { done, value } = await reader.read(new Uint8Array(buffer));
        if (done) break;
        all.push(...value);
        buffer = value.buffer;
      }
      assert.deepEqual(Uint8Array.from(all), message);
    },
  );
  assert.deepEqual(bytes, copy);
  assert.deepEqual(await split(message).bytes(), await split(await model.read(0, Infinity)).bytes());
  model.close();
  plain.close();
});
