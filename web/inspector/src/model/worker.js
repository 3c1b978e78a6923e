/** The worker that has one model, which it opens for the page and then exposes. */
import { Connection } from 'libcpb/worker/connection.js';
import { unpack } from 'libcpb/worker/proxy.js';
import { openModel } from './open-model.js';

/** @typedef {import('./open-model.js').Fetched} Fetched */

/** How often the page is told what was fetched, in milliseconds. */
const EVERY = 60;

/**
 * Tells the page what is fetched: a few times a second, and before each result.
 *
 * @param {{ fetched(ranges: Fetched[]): Promise<void> }} page
 */
function reporter(page) {
  /** @type {Fetched[]} */
  let fetched = [];
  let timer = 0;
  const flush = () => {
    clearTimeout(timer);
    timer = 0;
    if (fetched.length) void page.fetched(fetched);
    fetched = [];
  };
  return {
    flush,
    /** @param {Fetched} range */
    add(range) {
      fetched.push(range);
      timer ||= setTimeout(flush, EVERY);
    },
  };
}

const connection = new Connection(/** @type {any} */ (globalThis));
connection.expose({
  /**
   * @param {import('./open-model.js').Input} input
   * @param {import('libcpb/worker/connection.js').Description} page
   * @param {{ signal: AbortSignal }} options
   */
  async open(input, page, { signal }) {
    const { add, flush } = reporter(unpack({ connection }, page));
    const after =
      (/** @type {Function} */ method) =>
      (/** @type {any[]} */ ...args) =>
        Promise.resolve(method(...args)).finally(flush);
    const { about, ...methods } = await after(openModel)(input, signal, add);
    const reporting = Object.entries(methods).map(([name, method]) => [name, after(method)]);
    return connection.describe({ about, ...Object.fromEntries(reporting) });
  },
});
