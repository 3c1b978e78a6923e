import { layer } from '../middleware/layer.js';
import { lazyStream } from './pieces.js';

/** @import { Source } from '../types.js' */

/**
 * A source that is loaded when it is first used; `known` are its members until then.
 *
 * @param {Partial<Source>} known @param {() => Promise<Source>} load @returns {Source}
 */
export function lazySource(known, load) {
  /** @type {Promise<import('../middleware/layer.js').FullSource> | undefined} */
  let loaded;
  const source = () => (loaded ??= load().then((found) => layer(found, {})));
  const settled = async () => (await loaded) ?? known;
  return {
    ...known,
    read: async (...args) => (await source()).read(...args),
    stat: async (options) => (await source()).stat(options),
    tail: async (...args) => (await source()).tail(...args),
    stream: (offset, length, { signal: outer } = {}) =>
      lazyStream(async (signal) => (await source()).stream(offset, length, { signal }), outer),
    beside: async (name) => (await source()).beside?.(name),
    reset: async () => (await settled()).reset?.(),
    close: async () => (await settled()).close?.(),
  };
}
