/** The places of a model's files: at a URL and next to it, or among chosen files. */
import { blobSource, CpbError, urlSource } from 'libcpb';
import { streamThrough } from 'libcpb/middleware/layer.js';
import { collect, piecesOf } from 'libcpb/source/pieces.js';
import { decoded } from '../files.js';
import { hasEnding } from './kinds.js';

/** @import { Source } from 'libcpb' */
/** @import { Requests } from './requests.js' */

/**
 * A file of a model.
 * @typedef {object} Place
 * @property {string} name the last part of its path; '' for a folder
 * @property {string} path as shown
 * @property {() => Source} source to read parts of it
 * @property {(signal?: AbortSignal) => Promise<Uint8Array | undefined>} bytes all of it, if it is a small file;
 *   undefined: it is missing, or cannot be read
 * @property {(path: string, beside?: string) => Place | undefined} near another file, by its path from
 *   the same folder; beside: '' if it is the model itself
 * @property {() => number | undefined} whole its size, if a server sent all of it for a range request
 * @property {boolean} remote
 */
/** @typedef {{ path: string, file: File }} Chosen */

/** The most bytes to read of a file next to a model. */
const MOST = 64 * 2 ** 20;
/** Requests of at least this many bytes report their progress. */
const LONG = 256 * 1024;

/**
 * The same source, with reports of its reads.
 *
 * @param {Source} source
 * @param {Requests} requests
 * @param {string} [beside] the file, if it is not the model itself
 * @returns {Source}
 */
function told(source, requests, beside) {
  /** @type {Source} */
  const layer = Object.create(source);
  const stream = streamThrough(source, async function* reported(pieces, offset, length) {
    const request = requests.begin({ offset, length, beside });
    try {
      for await (const piece of pieces) {
        request.got(piece.length);
        yield piece;
      }
    } finally {
      request.end();
    }
  });
  const tooMuch = () => new ReadableStream({ start: (one) => one.error(new Error('so much is not read as a stream')) });
  layer.stream =
    stream &&
    ((offset, length, options) =>
      source.remote && !requests.streams(length) ? tooMuch() : stream(offset, length, options));
  layer.read = async (offset, length, options) => {
    if (stream && length > LONG) return collect(piecesOf(stream(offset, length, options)), () => length);
    const request = requests.begin({ offset, length, beside });
    try {
      const bytes = await source.read(offset, length, options);
      request.got(bytes.length);
      return bytes;
    } finally {
      request.end();
    }
  };
  const { tail } = source;
  layer.tail =
    tail &&
    (async (length, options) => {
      const answer = await tail.call(source, length, options);
      requests.add({ offset: answer.size - answer.bytes.length, length: answer.bytes.length, beside });
      return answer;
    });
  return layer;
}

/** The first read of a file: the beginning of a model, the end of a .cpb, which has the index. */
const [HEAD, TAIL] = [4096, 64 * 1024];

/**
 * The source of a place, whose first request is sent at once, while the code that needs it is still being loaded.
 *
 * @param {Place} place @param {AbortSignal} signal @returns {Source}
 */
export function early({ name, remote, ...place }, signal) {
  const source = place.source();
  const isChunked = /\.cpb$/.test(name);
  if (!remote || (!isChunked && !hasEnding(name))) return source;
  /** @type {Promise<any> | undefined} */
  let first = isChunked ? source.tail?.(TAIL, { signal }) : source.read(0, HEAD, { signal });
  first?.catch(() => {}); // its reader gets the error
  const take = () => {
    const taken = first;
    first = undefined;
    return taken;
  };
  /** @type {Source} */
  const layer = Object.create(source);
  const sent = first;
  // The answer also gives the size; without one, another request would only wait as long again.
  layer.stat = async (options) => {
    await sent?.catch((/** @type {any} */ error) => {
      if (['NETWORK', 'HTTP'].includes(error.code)) throw error;
    });
    return source.stat(options);
  };
  layer.read = (offset, length, options) =>
    (!isChunked && offset === 0 && length === HEAD && take()) || source.read(offset, length, options);
  const { tail } = source;
  layer.tail =
    tail && ((length, options) => (isChunked && length === TAIL && take()) || tail.call(source, length, options));
  return layer;
}

/** Whether other files of the model may be next to it. @param {Place} place */
export const isWithin = (place) => !place.remote || /^saved_model\.(pb|cpb)$|\.meta$/.test(place.name);

/** The data files of a checkpoint, which the package calls "variables". @param {Place} index */
const dataBeside = (index) => (/** @type {string} */ name) =>
  index.near(name.replace(/^variables/, () => index.name.replace(/\.index$/, '')))?.source();

/** Whether it can be read at all. @param {Source} source */
const isThere = (source) =>
  source.stat().then(
    () => true,
    () => false,
  );

/**
 * The checkpoint next to a model, if there is one: next to model.meta it is model.index, or model, a single file in
 * TensorFlow's first format.
 *
 * @param {Place} model @param {(name: string) => Place | undefined} near @param {AbortSignal} [signal]
 */
export async function checkpointBeside({ name }, near, signal) {
  const prefix = /\.meta$/.test(name) ? name.replace(/\.meta$/, '') : undefined;
  const found = near(prefix === undefined ? 'variables/variables.index' : `${prefix}.index`);
  const index = await found?.bytes(signal);
  if (found && index) return { index, data: dataBeside(found) };
  const old = prefix === undefined ? undefined : near(prefix)?.source();
  return old && (await isThere(old)) ? { index: old, data: () => undefined } : undefined;
}

/** @param {URL} url */
export const nameOf = ({ pathname }) => decoded(pathname.slice(pathname.lastIndexOf('/') + 1));

/** The address of the file behind an indirect address: hf://, or a page that shows a file. @param {string} address */
export const fileAt = (address) => /** @type {any} */ (urlSource(address)).requested();

/**
 * @param {string} address
 * @param {Requests} requests
 * @param {{ beside?: string, maxWhole?: number }} [options] beside: its path from the model; maxWhole: largest size
 *   accepted from a server without ranges, in bytes
 * @returns {Place}
 */
export function atUrl(address, requests, { beside, maxWhole } = {}) {
  const url = new URL(address);
  /** @type {number | undefined} */
  let whole;
  /** @param {Response} response @param {import('./requests.js').Fetched} range */
  const allowed = (response, range) => {
    try {
      requests.allow(range);
    } catch (error) {
      response.body?.cancel().catch(() => {});
      throw error;
    }
  };
  const watched = async (/** @type {string} */ address, /** @type {RequestInit} */ init) => {
    const response = await fetch(address, requests.sent(init));
    if (response.status === 200) whole = Number(response.headers.get('content-length')) || undefined;
    return response;
  };
  return {
    name: nameOf(url),
    path: address,
    remote: true,
    whole: () => whole,
    source() {
      const source = told(urlSource(address, { maxWhole, fetch: watched, redirects: 'keep' }), requests, beside);
      const { beside: other } = source;
      source.beside = async (name) => {
        const found = await other?.(name);
        return found && told(found, requests, name);
      };
      return source;
    },
    async bytes(signal) {
      const response = await fetch(url, { signal }).catch(() => undefined);
      signal?.throwIfAborted();
      if (!response) return undefined;
      const length = Number(response.headers.get('content-length') ?? 0);
      const fits = response.ok && length <= MOST;
      if (fits) allowed(response, { offset: 0, length, beside });
      const bytes = fits ? new Uint8Array(await response.arrayBuffer()) : undefined;
      if (!fits) await response.body?.cancel();
      requests.add({ offset: 0, length: bytes?.length ?? 0, beside });
      return bytes;
    },
    near(path, beside = path) {
      const escaped = path.split('/').map(encodeURIComponent).join('/'); // it consists of names, and is not a URL
      const other = new URL(escaped, url);
      other.search = url.search; // its signature may also be valid for others
      return atUrl(other.href, requests, { beside: beside || undefined, maxWhole });
    },
  };
}

/** @param {Chosen} chosen @param {Chosen[]} all @param {Requests} requests @param {string} [beside] @returns {Place} */
export function amongFiles({ path, file }, all, requests, beside) {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return {
    name: file.name,
    path,
    remote: false,
    whole: () => undefined,
    // The library only passes names within the folder.
    source: () =>
      Object.assign(told(blobSource(file), requests, beside), {
        beside: (/** @type {string} */ other) => amongFiles({ path, file }, all, requests).near(other)?.source(),
      }),
    bytes: async () => (file.size <= MOST ? new Uint8Array(await file.arrayBuffer()) : undefined),
    near(wanted) {
      const name = wanted.split('/').pop();
      // Files that were chosen one by one are in no folder.
      const found =
        all.find((one) => one.path === folder + wanted) ??
        all.find((one) => one.file.name === name && one.file !== file && !one.path.includes('/'));
      return found && amongFiles(found, all, requests, wanted);
    },
  };
}

/**
 * Whether a server sends the whole file.
 *
 * @param {string} url @param {AbortSignal} signal @returns {Promise<{ url: string, size?: number } | undefined>}
 */
export async function wholeAt(url, signal) {
  const response = await fetch(url, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  void response?.body?.cancel().catch(() => {});
  if (!response?.ok) return undefined;
  const { headers } = response;
  const size = headers.has('content-encoding') ? undefined : Number(headers.get('content-length')) || undefined;
  return { url, size };
}

/**
 * A whole file, of a server that does not send parts of files.
 *
 * @param {string} url
 * @param {Requests} requests
 * @param {AbortSignal} signal
 * @returns {Promise<File>} in memory, or where the browser keeps it
 */
export async function download(url, requests, signal) {
  const response = await fetch(url, { signal }).catch((cause) => {
    signal.throwIfAborted();
    throw new CpbError('NETWORK', `${url}: ${cause.message}`, { cause, retryable: true });
  });
  if (!response.ok) throw new CpbError('HTTP', `${url} answered ${response.status}`, { status: response.status });
  const total = Number(response.headers.get('content-length') ?? 0);
  const request = requests.begin({ offset: 0, length: total });
  /** @type {BlobPart[]} */
  const pieces = [];
  let done = 0;
  try {
    for await (const piece of piecesOf(/** @type {ReadableStream<Uint8Array>} */ (response.body))) {
      pieces.push(/** @type {BlobPart} */ (piece));
      request.got(piece.length);
      done += piece.length;
      if (total) requests.work({ done, total });
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new CpbError('NETWORK', `${url} broke off after ${done} bytes`, { cause, retryable: true });
  } finally {
    request.end();
    requests.work();
  }
  return new File(pieces, nameOf(new URL(url)));
}
