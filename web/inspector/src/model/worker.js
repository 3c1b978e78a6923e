/** The worker that has one model, which it opens for the page and then exposes. */
import { init } from 'libcpb';
import { Connection } from 'libcpb/worker/connection.js';
import { unpack } from 'libcpb/worker/proxy.js';
import { openModel } from './open-model.js';
import { Requests } from './requests.js';

/** @typedef {(file: number, begin: number, end: number) => Promise<Uint8Array<ArrayBuffer>>} Read */

/**
 * A file that only the page can read, in the form of a Blob.
 *
 * @param {any} chosen described by session.js
 * @param {number} i
 * @param {Read} read
 */
function fileOnPage({ path, ...about }, i, read) {
  const slice = (begin = 0, end = about.size) => ({
    arrayBuffer: async () => (await read(i, begin, Math.min(end, about.size))).buffer,
  });
  return { path, file: { ...about, slice, arrayBuffer: slice().arrayBuffer } };
}

const connection = new Connection(/** @type {any} */ (globalThis));
/** @type {() => void} */
let go;
/** Until the module is loaded. */
const ready = new Promise((/** @type {(_: void) => void} */ resolve) => (go = resolve));

connection.expose({
  /** What reads models. @param {import('libcpb').Modules} modules */
  use: (modules) => init(modules).then(go),

  /**
   * @param {import('./open-model.js').Input} input
   * @param {import('libcpb/worker/connection.js').Description} page receives reports of requests
   * @param {{ signal: AbortSignal }} options
   */
  async open(input, page, { signal }) {
    const { news, read, write } = unpack({ connection }, page);
    if ('chosen' in input)
      input.chosen = input.chosen.map((one, i) => (one.file ? one : /** @type {any} */ (fileOnPage(one, i, read))));
    const requests = new Requests((one) => void news(one));
    // Reports requests before the answer that they were for.
    const after =
      (/** @type {Function} */ method) =>
      (/** @type {any[]} */ ...args) =>
        Promise.resolve(method(...args)).finally(() => requests.flush());
    const opened = Object.entries(await after(openModel)(input, { requests, write, signal, ready }));
    const members = opened.map(([name, one]) => [name, typeof one === 'function' ? after(one) : one]);
    return connection.describe(Object.fromEntries(members));
  },
});
