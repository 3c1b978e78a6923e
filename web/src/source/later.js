/** Middleware that is loaded when more is asked of a source than its end, with which opening a file begins. */
import { layer } from '../middleware/layer.js';
import { abortable } from './abort.js';
import { lazyStream } from './lazy-source.js';

/** @import { Source, Stat } from '../types.js' */
/** @import { FullSource, Meter, SourceOptions } from './index.js' */

/**
 * What came of asking for the end is told to the middleware, as if it had been there: its cache has the bytes, and
 * it repeats what failed.
 *
 * @param {() => Promise<typeof import('./layers.js')>} load
 * @returns {typeof import('./layers.js').layered}
 */
export const layeredLater = (load) => (source, options, usage, own) => {
  /** @type {{ length: number, answer: Promise<Stat & { bytes: Uint8Array }>, stat?: Stat } | undefined} */
  let end;
  /** @type {Promise<FullSource> | undefined} */
  let loading;
  /** @type {FullSource | undefined} */
  let whole;

  async function make() {
    const { layered } = await load();
    let told = end?.answer;
    const { tail } = source;
    const below = layer(source, {
      remote: source.remote,
      local: source.local,
      tail:
        tail &&
        ((...args) => {
          const answer = told ?? tail.apply(source, args);
          told = undefined;
          return answer;
        }),
    });
    whole = layered(below, options, usage, own);
    if (end?.stat) await whole.tail(end.length);
    return whole;
  }
  const made = () => (loading ??= make());

  /** @type {FullSource} */
  const self = {
    name: source.name,
    key: source.key,
    transferred: source.transferred ?? usage.cost,
    read: async (...args) => (await made()).read(...args),
    stat: async (how) => (!whole && end?.stat) || (await made()).stat(how),
    async tail(length, how) {
      if (end || loading || !own || !source.remote || !source.tail) return (await made()).tail(length, how);
      const answer = source.tail(length, how);
      const mine = (end = { length, answer });
      try {
        const { bytes, ...stat } = await abortable(answer, how?.signal);
        Object.assign(mine, { stat });
        return { ...stat, bytes };
      } catch (error) {
        if (how?.signal?.aborted && end === mine) end = undefined;
        if (how?.signal?.aborted) throw error;
        return (await made()).tail(length, how);
      }
    },
    stream: (offset, length, { signal } = {}) =>
      lazyStream(async (inner) => (await made()).stream(offset, length, { signal: inner }), signal),
    beside: async (name) => (await made()).beside?.(name),
    reset: () => ((end = undefined), (whole ?? source).reset?.()),
    close: () => (whole ?? source).close?.(),
  };
  return self;
};
