/** Reads a graph that is not large with one request: in pieces, each would wait for the one before. */

/** @import { Source } from 'libcpb' */

/** The most bytes of a graph to read before all of them are known to be needed. */
const MOST = 4 * 2 ** 20;

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

  const source = Object.create(inner);
  source.read = async (/** @type {number} */ offset, /** @type {number} */ length, /** @type {any} */ options) => {
    const begin = offset - (graph?.offset ?? 0);
    const isInside = graph && begin >= 0 && begin + length <= graph.size;
    const read = isInside ? await bytes : undefined;
    options?.signal?.throwIfAborted();
    return read ? read.slice(begin, begin + length) : inner.read(offset, length, options);
  };

  return {
    /** @type {Source} */
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
      if (found && found.size <= MOST) graph ??= found;
    },
  };
}
