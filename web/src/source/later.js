/** Sources that are loaded, or around which more is put, when more is asked of them than an end. */
import { streamOf } from './streams.js';

/** @import { Source, Stat } from '../types.js' */
/** @import { Parts } from '../parts.js' */
/** @import { FullSource } from './index.js' */

/** @typedef {Stat & { bytes: Uint8Array }} End */

/**
 * A source whose code or bytes are still loading.
 * @typedef {Partial<Source> & {
 *   whole: () => Promise<Source>,
 *   end?: (length: number, signal?: AbortSignal) => Promise<End | undefined>
 * }} SourceLater
 *   `whole`: the loaded source, for reading; `end`: its last bytes, as `tail`, if available before that
 */

/**
 * Sources of other inputs. Their code is loaded at the same time as the module.
 *
 * @param {() => Promise<typeof import('./other.js')>} load
 * @returns {Parts['inputs']}
 */
export const inputLater = (load) => (input, memory) => {
  const source = load().then(({ otherSource }) => otherSource(input, memory));
  source.catch(() => {}); // Reads report the error.
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
 * Passes the response of the request for the end to the middleware, which loads later: its cache gets the bytes.
 *
 * @param {() => Promise<typeof import('./layers.js')>} load
 * @returns {Parts['layered']}
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
