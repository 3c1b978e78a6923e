/** Sources that are loaded, or around which more is put, when more is asked of them than an end. */
import { abortable } from './abort.js';
import { lazyStream } from './streams.js';

/** @import { Source, Stat } from '../types.js' */
/** @import { FullSource, Meter, SourceOptions } from './index.js' */

/**
 * Sources of inputs that are none. They are loaded at once, while the module is.
 *
 * @param {() => Promise<typeof import('./other.js')>} load
 * @returns {typeof import('./other.js').otherSource}
 */
export const inputLater = (load) => (input, memory) => {
  const source = load().then(({ otherSource }) => otherSource(input, memory));
  source.catch(() => {}); // Whoever reads is told.
  const isAddress = typeof input === 'string' || input instanceof URL;
  return {
    name: isAddress ? 'the URL' : input?.name,
    read: async (...args) => (await source).read(...args),
    stat: async () => (await source).stat(),
    reset: async () => (await source).reset?.(),
    close: async () => (await source).close?.(),
  };
};

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
    const { layered, telling } = await load();
    whole = layered(telling(source, end?.answer), options, usage, own);
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
