/** Every kind of thing that can be opened, made of the bytes of a file: for tables of what reads them. */
import { bucketOf, s3Of } from './buckets.js';
import { libcpb } from './libcpb.js';
import { base, runtime } from './test.js';

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/**
 * A file that is kept wherever this runtime has files.
 * @typedef {object} Kept
 * @property {string} name
 * @property {Bytes} bytes
 * @property {string} url
 * @property {string} [path] in Node, Deno and Bun
 * @property {any} [handle] a file of the origin private file system
 * @property {() => Promise<void>} remove
 */

/** @typedef {(file: Kept) => any} Make an input, which may be read once */

const isNative = ['node', 'deno', 'bun'].includes(runtime);
const isPage = ['chromium', 'firefox', 'webkit'].includes(runtime);

const node = isNative
  ? {
      fs: await import('node:fs'),
      os: await import('node:os'),
      path: await import('node:path'),
      stream: await import('node:stream'),
      url: await import('node:url'),
    }
  : undefined;

/** @param {string} name @param {Bytes} bytes */
async function opfsFile(name, bytes) {
  const folder = await navigator.storage?.getDirectory?.().catch(() => undefined);
  const handle = await folder?.getFileHandle(name, { create: true });
  if (!handle || !('createWritable' in handle)) return {};
  const writable = await handle.createWritable();
  await writable.write(bytes);
  await writable.close();
  return { handle, remove: () => folder?.removeEntry(name) };
}

/** @param {string} name @param {Bytes} bytes @returns {Promise<Kept>} */
export async function keep(name, bytes) {
  const url = `${base}/-/kept/every-source/${runtime}/${name}`;
  await fetch(url, { method: 'PUT', body: new Blob([bytes]) });
  if (!node) {
    const { handle, remove } = isPage ? await opfsFile(name, bytes) : {};
    return { name, bytes, url, handle, remove: async () => remove?.() };
  }
  const { fs, os, path } = node;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cpb-source-'));
  const place = path.join(folder, name);
  fs.writeFileSync(place, bytes);
  return { name, bytes, url, path: place, remove: async () => fs.rmSync(folder, { recursive: true }) };
}

/** Pieces of several sizes. @param {Uint8Array} bytes */
export async function* cut(bytes) {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = Math.min(2 * size, 200_000)) {
    yield bytes.slice(at, at + size);
  }
}

/** @param {Bytes} bytes */
export const streamOf = (bytes) => new Blob([bytes]).stream();

/** What is used of a FileSystemFileHandle. @param {string} name @param {() => Promise<Blob>} getFile */
export const fileHandle = (name, getFile) => ({ kind: 'file', name, getFile });

/** What is used of a FileSystemSyncAccessHandle, which only workers have. @param {Bytes} bytes */
const syncHandle = (bytes) => ({
  getSize: () => bytes.length,
  /** @param {Uint8Array} into @param {{ at: number }} where */
  read(into, { at }) {
    const some = bytes.subarray(at, at + Math.min(into.length, 100_000));
    into.set(some);
    return some.length;
  },
});

/** Bytes in the midst of a larger buffer. @param {Bytes} bytes */
function within(bytes) {
  const larger = new Uint8Array(bytes.length + 20);
  larger.set(bytes, 10);
  return larger.buffer;
}

/** @param {Bytes} bytes */
function sharedOf(bytes) {
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** The methods that a source must have. @param {Bytes} bytes */
const ownSource = (bytes) => ({
  read: async (/** @type {number} */ offset, /** @type {number} */ length) => bytes.slice(offset, offset + length),
  stat: async () => ({ size: bytes.length }),
});

/** How often a source of all methods was streamed. */
export const streams = { count: 0 };

/** And those that it may have. @param {Bytes} bytes */
const fullSource = (bytes) => ({
  ...ownSource(bytes),
  tail: async (/** @type {number} */ length) => ({ size: bytes.length, bytes: bytes.slice(-length) }),
  stream(/** @type {number} */ offset, /** @type {number} */ length) {
    streams.count++;
    return streamOf(bytes.slice(offset, offset + length));
  },
});

/** @type {Record<string, Make | false>} */
const inMemory = {
  'an ArrayBuffer': ({ bytes }) => bytes.slice().buffer,
  'a Uint8Array': ({ bytes }) => bytes,
  'a Uint8Array of part of a buffer': ({ bytes }) => new Uint8Array(within(bytes), 10, bytes.length),
  'an Int8Array': ({ bytes }) => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
  'a DataView of part of a buffer': ({ bytes }) => new DataView(within(bytes), 10, bytes.length),
  'a SharedArrayBuffer': typeof SharedArrayBuffer !== 'undefined' && (({ bytes }) => sharedOf(bytes)),
  'bytes that are shared': typeof SharedArrayBuffer !== 'undefined' && (({ bytes }) => new Uint8Array(sharedOf(bytes))),
  'a Blob': ({ bytes }) => new Blob([bytes]),
  'a File': ({ name, bytes }) => new File([bytes], name, { lastModified: 1 }),
};

/** @type {Record<string, Make | false>} */
const handles = {
  'a FileSystemFileHandle': ({ name, bytes }) => fileHandle(name, async () => new File([bytes], name)),
  'a FileSystemSyncAccessHandle': ({ bytes }) => syncHandle(bytes),
};

/** @type {Record<string, Make | false>} */
const streamed = {
  'a ReadableStream': ({ bytes }) => streamOf(bytes),
  'an async iterable': ({ bytes }) => cut(bytes),
  'a Response': ({ url }) => fetch(url),
  'a Response without length': ({ bytes }) => new Response(streamOf(bytes)),
  'an R2ObjectBody': ({ name, bytes }) => ({ key: name, size: bytes.length, body: streamOf(bytes), bodyUsed: false }),
  'what GetObject gave': ({ bytes }) => ({ Body: cut(bytes), ContentLength: bytes.length, ETag: '"1"' }),
  'a { readable }': ({ bytes }) => ({ readable: streamOf(bytes) }),
};

/** @type {Record<string, Make | false>} */
const elsewhere = {
  'a URL': ({ url }) => new URL(url),
  'a URL as text': ({ url }) => url,
  'a blob: URL': runtime !== 'workerd' && (({ bytes }) => URL.createObjectURL(new Blob([bytes]))),
  'an object of a bucket': ({ name, bytes }) =>
    libcpb.bucketSource(
      bucketOf(() => bytes),
      name,
    ),
  'an object of S3': ({ name, bytes }) =>
    libcpb.s3Source({ client: s3Of(bucketOf(() => bytes)), bucket: 'models', key: name }),
};

/** @type {Record<string, Make | false>} */
const sources = {
  'a source of read and stat': ({ bytes }) => ownSource(bytes),
  'a source of all methods': ({ bytes }) => fullSource(bytes),
  'a remote source': ({ bytes }) => ({ ...ownSource(bytes), remote: true }),
  'a composed source': ({ bytes }) => libcpb.compose(libcpb.bytesSource(bytes), libcpb.check(), libcpb.cache()),
  'a blobSource': ({ bytes }) => libcpb.blobSource(new Blob([bytes])),
};

/** Of a file that was opened the caller closes the handle. @type {(file: Kept) => Promise<any>} */
async function opened({ path = '' }) {
  const handle = await node?.fs.promises.open(path);
  if (handle) openHandles.add(handle);
  return handle;
}

/** @type {Set<{ close: () => Promise<void> }>} */
const openHandles = new Set();

export async function closeHandles() {
  for (const handle of openHandles) await handle.close();
  openHandles.clear();
}

/** @type {Record<string, Make | false>} */
const files = node
  ? {
      'a path': ({ path }) => path,
      'a file: URL': ({ path = '' }) => node.url.pathToFileURL(path),
      'a file: URL as text': ({ path = '' }) => node.url.pathToFileURL(path).href,
      'a FileHandle of Node': opened,
      'a ReadStream of Node': ({ path = '' }) => node.fs.createReadStream(path),
      'a Readable of Node': ({ bytes }) => node.stream.Readable.from(cut(bytes)),
      'a Buffer': ({ bytes }) => Buffer.from(bytes),
      'a Blob of a file': 'openAsBlob' in node.fs && (({ path = '' }) => node.fs.openAsBlob(path)),
      'a FileSystemFileHandle of a file':
        'openAsBlob' in node.fs && (({ name, path = '' }) => fileHandle(name, () => node.fs.openAsBlob(path))),
    }
  : {};

/** @type {Record<string, Make | false>} */
const privateFiles = isPage
  ? { 'a file of the origin private file system': ({ handle, name, bytes }) => handle ?? new File([bytes], name) }
  : {};

/** All that this runtime has, by what they are called. @type {[name: string, make: Make][]} */
export const kinds = Object.entries({
  ...inMemory,
  ...handles,
  ...streamed,
  ...elsewhere,
  ...sources,
  ...files,
  ...privateFiles,
}).flatMap(([name, make]) => (make ? [/** @type {[string, Make]} */ ([name, make])] : []));

/**
 * What cannot be opened, with the code of the error and what it says.
 *
 * @type {[name: string, make: Make, error: { code: string, message: RegExp }][]}
 */
export const refused = [
  ...Object.entries(
    /** @type {Record<string, Make>} */ ({
      nothing: () => undefined,
      null: () => null,
      'a number': () => 42,
      'an object': () => ({}),
      'a function': () => () => {},
      'an array of pieces': ({ bytes }) => [bytes],
      'an iterator of pieces': ({ bytes }) => [bytes][Symbol.iterator](),
      'a FileSystemDirectoryHandle': () => ({ kind: 'directory', name: 'd', getFileHandle: async () => ({}) }),
      'a FileSystemFileEntry': () => ({ isFile: true, name: 'f', file: () => {} }),
      'a source without stat': () => ({ read: async () => new Uint8Array() }),
    }),
  ).map(
    ([name, make]) =>
      /** @type {[string, Make, any]} */ ([name, make, { code: 'USAGE', message: /^the input is not a URL, Blob,/ }]),
  ),
  ['a Request', ({ url }) => new Request(url), { code: 'USAGE', message: /Request/ }],
  ['a stream that is read', ({ bytes }) => locked(bytes), { code: 'USAGE', message: /^the stream was read already/ }],
  ['a Response of a part', () => new Response('x', { status: 206 }), { code: 'USAGE', message: /only a part/ }],
  [
    'a part of an object of S3',
    ({ bytes }) => ({ Body: cut(bytes), ContentRange: 'bytes 0-1/9' }),
    { code: 'USAGE', message: /only a part/ },
  ],
  ['a Response that says no', () => new Response('', { status: 404 }), { code: 'HTTP', message: /404/ }],
];

/** @param {Bytes} bytes */
function locked(bytes) {
  const stream = streamOf(bytes);
  stream.getReader();
  return stream;
}
