/** Sources that read more than is asked, where smaller requests would wait for one another. */
import { concat } from './slices.js';

/** @import { Source } from 'libcpb' */

/** The most bytes of a graph to read before all of them are known to be needed. */
const GRAPH = 4 * 2 ** 20;

/** Questions that need no graph. */
const WITHOUT = ['overview', 'objects', 'variables', 'layers', 'load'];

/**
 * A source that reads the graph at once when the first question needs it, and the overview has given its place. The
 * graph of a chunked message is in another place.
 *
 * @param {Source} inner
 */
export function readingAhead(inner) {
  /** @type {{ offset: number, size: number } | undefined} */
  let graph;
  /** @type {Promise<Uint8Array | undefined> | undefined} */
  let bytes;

  /** @type {Source} */
  const source = Object.create(inner);
  source.read = async (offset, length, options) => {
    const begin = offset - (graph?.offset ?? 0);
    const isInside = graph && begin >= 0 && begin + length <= graph.size;
    const read = isInside ? await bytes : undefined;
    options?.signal?.throwIfAborted();
    return read ? read.slice(begin, begin + length) : inner.read(offset, length, options);
  };

  return {
    source,
    /** Before a question is asked. @param {string} question @param {AbortSignal} signal */
    before(question, signal) {
      if (!graph || bytes || WITHOUT.includes(question)) return;
      const { offset, size } = graph;
      // After a failure, bytes are read as without this.
      bytes = inner.read(offset, size, { signal }).catch(() => (bytes = undefined));
    },
    /** The answer `overview`. @param {any} answer */
    after(answer) {
      const found = answer.meta_graphs?.items[0]?.graph;
      if (found && found.size <= GRAPH) graph ??= found;
    },
  };
}

/** @typedef {{ offset: number, end: number, bytes: Promise<Uint8Array>, isLast?: boolean }} Window */

/** The most bytes of a window: at 20 Mbit/s they take as long as a request. Reads this near are of one landing. */
const MOST = 64 * 1024;
/** Landings that are remembered, and windows that are kept. */
const [LANDINGS, WINDOWS] = [3, 12];

/**
 * Reads more at once where more was needed before. Between large values a search jumps, and reads on in small steps,
 * each of which waits for the one before. One landing needs about as many bytes as the last ones did, so that many are
 * requested at once. No byte is requested twice, because Chrome's cache first validates the bytes that it has. The
 * beginning is requested at once, while the code that needs it is still being loaded.
 *
 * @param {Source} inner @param {AbortSignal} signal @returns {Source}
 */
export function widening(inner, signal) {
  /** @type {Window} */
  const first = { offset: 0, end: MOST, bytes: inner.read(0, MOST, { signal }) };
  let windows = [first];
  first.bytes.catch(() => forget(first)); // its reader gets the error, and may try again
  const forget = (/** @type {Window} */ one) => void (windows = windows.filter((other) => other !== one));
  /** @type {{ offset: number, extent: number }[]} the latest landings, and how far each was read */
  let landings = [];

  /** How far it is worth reading here. @param {number} offset @param {number} length */
  function extentAt(offset, length) {
    const here = landings.find((one) => offset >= one.offset && offset < one.offset + MOST);
    if (here) here.extent = Math.max(here.extent, Math.min(MOST, offset + length - here.offset));
    if (here || length >= MOST || offset < MOST) return length;
    const usual = Math.max(length, ...landings.map((one) => one.extent));
    landings = [...landings, { offset, extent: length }].slice(-LANDINGS);
    return usual;
  }

  /**
   * From a window that has the first of these bytes.
   *
   * @param {Window} from @param {number} offset @param {number} length @param {any} options
   */
  async function within(from, offset, length, options) {
    const all = from === first ? await from.bytes : await from.bytes.catch(() => undefined);
    options?.signal?.throwIfAborted();
    if (!all) return inner.read(offset, length, options); // whoever asked first may have given up
    const bytes = all.slice(offset - from.offset, offset - from.offset + length);
    const isAll = from.isLast || from.offset + all.length < from.end;
    if (bytes.length === length || isAll) return bytes;
    return concat([bytes, await inner.read(offset + bytes.length, length - bytes.length, options)]);
  }

  /** @type {Source} */
  const source = Object.create(inner);
  // The first answer also gives the size.
  source.stat = async (options) => (windows.includes(first) && (await first.bytes), inner.stat(options));
  source.read = async (offset, length, options) => {
    const wide = extentAt(offset, length);
    const known = windows.find((one) => offset >= one.offset && offset < one.end);
    if (known) return within(known, offset, length, options);
    if (wide === length) return inner.read(offset, length, options);
    const { size } = await source.stat(options);
    const end = Math.min(size, offset + wide);
    const window = { offset, end, bytes: inner.read(offset, end - offset, options), isLast: end === size };
    windows = [...windows.slice(0, 1), ...windows.slice(1).slice(-WINDOWS), window];
    window.bytes.catch(() => forget(window));
    return within(window, offset, length, options);
  };
  return source;
}
