/** Sources that are loaded, or get more layers, when more than their end is read. */
import { streamOf } from './streams.js';

/** @import { Source, Stat } from '../types.js' */
/** @import { Parts } from '../parts.js' */
/** @import { FullSource } from '../middleware/layer.js' */

/** @typedef {Stat & { bytes: Uint8Array }} End */

/**
 * The parts of a source that are available before it is loaded completely.
 * @typedef {Partial<Source> & {
 *   whole: () => Promise<Source>,
 *   end?: (length: number, signal?: AbortSignal) => Promise<End | undefined>
 * }} SourceLater `whole` has a single reader; `end`: its last bytes, like `tail`, if they are available without loading
 *   the source
 */

/**
 * Sources of inputs that are not sources. They are loaded at once, in parallel with the module.
 *
 * @param {() => Promise<typeof import('./other.js')>} load @returns {Parts['inputs']}
 */
export const inputLater = (load) => (input, memory) => {
  const source = load().then(({ otherSource }) => otherSource(input, memory));
  source.catch(() => {}); // The reader gets the error.
  const isAddress = typeof input === 'string' || input instanceof URL;
  /** @type {SourceLater} */
  const known = {
    name: isAddress ? 'the URL' : input?.name,
    whole: () => source,
    close: async () => (await source).close?.(),
  };
  return /** @type {any} */ (known);
};

/**
 * The result of reading the end is passed to the middleware, as if the middleware had read it: its cache then has the
 * bytes.
 *
 * @param {() => Promise<typeof import('./layers.js')>} load @returns {Parts['layered']}
 */
export const layeredLater = (load) => (source, options, usage, own) => {
  const later = /** @type {Partial<SourceLater>} */ (own ? source : {});
  /** @type {{ length: number, answer: Promise<End | undefined> } | undefined} */
  let end;
  /** @type {Promise<FullSource> | undefined} */
  let loading;
  /** @type {FullSource | undefined} */
  let whole;
  /** @type {End | undefined} */
  let told;

  async function make() {
    const { layered, telling } = await load();
    await end?.answer.catch(() => {});
    const all = (await later.whole?.()) ?? /** @type {Source} */ (source);
    whole = layered(telling(all, told), options, usage, own);
    if (end && told) await whole.tail(end.length);
    return whole;
  }
  const made = () =>
    (loading ??= make().catch((error) => {
      loading = undefined;
      throw error;
    }));

  /** @type {FullSource} */
  const self = {
    name: source.name,
    key: source.key,
    transferred: source.transferred ?? usage.cost,
    read: async (...args) => (await made()).read(...args),
    stat: async (how) => (!whole && told) || (await made()).stat(how),
    async tail(length, how) {
      if (!end && !loading && later.end) {
        end = { length, answer: later.end(length, how?.signal) };
        try {
          if ((told = await end.answer)) return told;
        } catch (error) {
          end = undefined;
          throw error;
        }
      }
      return (await made()).tail(length, how);
    },
    stream: (offset, length, { signal } = {}) =>
      streamOf(async function* pieces(inner) {
        const source = await made();
        yield* (await load()).piecesOf(source.stream(offset, length, { signal: inner }));
      }, signal),
    beside: async (name) => (await made()).beside?.(name),
    reset: () => ((end = told = undefined), (whole ?? source).reset?.()),
    close: () => (whole ?? source).close?.(),
  };
  return self;
};
