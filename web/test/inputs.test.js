/** What can be opened beside URLs, bytes, Blobs and sources: streams, responses, handles, S3. */
import { largeModel, noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { assert, base, data, each, runtime, test } from './support/test.js';

const { inspect, merge, open, openInWorker, openRecords, s3Source, split } = libcpb;
const CPB = 'tests/data/cpb/real_keras_export/max3000_none.cpb';

/** Pieces of several sizes. @param {Uint8Array} bytes */
async function* cut(bytes) {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = Math.min(2 * size, 5000)) {
    yield bytes.slice(at, at + size);
  }
}

/** @param {Uint8Array} bytes */
const streamOf = (bytes) => new Blob([bytes.slice()]).stream();

/** A file of the origin private file system, as far as it is used. @param {Uint8Array} bytes */
const fileHandle = (bytes) => ({
  kind: 'file',
  name: 'model.cpb',
  getFile: async () => new File([bytes.slice()], 'm'),
});

/** @param {Uint8Array} bytes */
const syncHandle = (bytes) => ({
  getSize: () => bytes.length,
  /** @param {Uint8Array} into @param {{ at: number }} where */
  read(into, { at }) {
    const some = bytes.subarray(at, at + Math.min(into.length, 1000));
    into.set(some);
    return some.length;
  },
});

/** @type {Record<string, (bytes: Uint8Array) => any>} */
const inputs = {
  'a ReadableStream': streamOf,
  'an async iterable': cut,
  'a Response': () => fetch(`${base}/${CPB}`),
  'a Response without length': (bytes) => new Response(streamOf(bytes)),
  'a FileSystemFileHandle': fileHandle,
  'a FileSystemSyncAccessHandle': syncHandle,
  'an R2ObjectBody': (bytes) => ({ key: 'models/a', size: bytes.length, body: streamOf(bytes), bodyUsed: false }),
  'what GetObject gave': (bytes) => ({ Body: cut(bytes), ContentLength: bytes.length, ETag: '"1"' }),
  'a { readable }': (bytes) => ({ readable: streamOf(bytes) }),
  'bytes that are shared': (bytes) => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    return shared.buffer;
  },
};
if (typeof SharedArrayBuffer === 'undefined') delete inputs['bytes that are shared'];

test('each is opened, inspected and merged as its bytes are', async () => {
  const bytes = await data(CPB);
  const message = await merge(bytes).bytes();
  await each(
    Object.entries(inputs),
    ([name]) => name,
    async ([, make]) => {
      const model = await open(await make(bytes));
      assert.deepEqual(await model.read(0, Infinity), message);
      assert.equal(model.size, bytes.length);
      model.close();
      const inspected = await inspect(await make(bytes), { kind: 'saved_model' });
      assert.equal((await inspected.overview()).kind, 'saved_model');
      inspected.close();
      assert.deepEqual(await merge(await make(bytes)).bytes(), message);
      const records = await openRecords(await make(bytes));
      assert.ok((await records.last())?.size);
      records.close();
    },
  );
});

const noWorker = runtime === 'workerd' && 'there is no Worker to start';

test('a worker reads them on the page', { skip: noWorker }, async () => {
  const bytes = await data(CPB);
  for (const make of [streamOf, cut, fileHandle]) {
    const model = await openInWorker(make(bytes));
    assert.equal(model.size, bytes.length);
    assert.deepEqual(await model.chunk(0).bytes(), await (await open(bytes)).chunk(0).bytes());
    model.close();
  }
});

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

test('what is only a part, was read already, or is a refusal, is no input', async () => {
  const bytes = await data(CPB);
  const read = new Response(bytes.slice());
  await read.arrayBuffer();
  const locked = streamOf(bytes);
  locked.getReader();
  await assert.rejects(open(read), { code: 'USAGE', message: /read already/ });
  await assert.rejects(open(locked), { code: 'USAGE', message: /read already, or is being read/ });
  await assert.rejects(open(new Response(bytes.slice(), { status: 206 })), { code: 'USAGE', message: /only a part/ });
  await assert.rejects(open({ Body: cut(bytes), ContentRange: 'bytes 0-1/9' }), { code: 'USAGE' });
  await assert.rejects(open(await fetch(`${base}/no/such/file`)), { code: 'HTTP', status: 404 });
  await assert.rejects(open({ key: 'k', size: 5, body: streamOf(bytes) }), { code: 'NETWORK', message: /of 5 bytes/ });
  for (const nothing of [42, null, undefined, {}, () => {}]) {
    await assert.rejects(open(/** @type {any} */ (nothing)), { code: 'USAGE', message: /^the input is not a URL/ });
  }
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

test('what is streamed can be read into buffers', { skip: !hasByteStreams && 'no such streams here' }, async () => {
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
