/** The default middleware around sources. */
import { budget } from '../middleware/budget.js';
import { cache } from '../middleware/cache.js';
import { check } from '../middleware/check.js';
import { coalesce } from '../middleware/coalesce.js';
import { compose, layer } from '../middleware/layer.js';
import { retry } from '../middleware/retry.js';
import { smallReads } from '../middleware/small-reads.js';

export { piecesOf } from './pieces.js';
export { urlSourceFrom } from './url.js';

/** @import { FullSource } from '../middleware/layer.js' */
/** @import { Meter } from '../middleware/meter.js' */
/** @import { Source, Stat } from '../types.js' */
/** @import { LocalSource, SourceOptions } from './index.js' */

/**
 * Check, retry, coalesce and cache for URLs and other remote sources; check for all others, unless they contain it
 * already. Consecutive small reads become larger ones, unless there is a budget of bytes. The cost is counted.
 *
 * @param {LocalSource} source
 * @param {SourceOptions} options
 * @param {Meter} usage
 * @param {boolean} own whether it is the package's, and not the caller's
 * @returns {FullSource}
 */
export function layered(source, options, usage, own) {
  const middleware = source.transferred ? [] : [budget(undefined, usage)];
  middleware.push(check());
  if (source.remote) {
    if (options.retry !== false) middleware.push(retry(options.retry));
    middleware.push(coalesce(options.coalesce));
    if (options.cache !== false) middleware.push(cache(options.cache));
  }
  // It reads more than was requested, and waits for the requests of others.
  const { budget: limit, http, cache: how } = options;
  const plain = (limit ?? http?.budget)?.bytes === undefined && !(how && how.share === false);
  if (plain) middleware.push(smallReads(source.local ?? (own && !source.remote)));
  return /** @type {FullSource} */ (compose(source, ...middleware));
}

/**
 * A source that first repeats its earlier answer about its end.
 *
 * @param {Source} source @param {Stat & { bytes: Uint8Array }} [told] @returns {Source}
 */
export const telling = (source, told) =>
  layer(source, {
    remote: source.remote,
    local: source.local,
    tail:
      source.tail &&
      (async (...args) => {
        const answer = told ?? /** @type {Required<Source>} */ (source).tail(...args);
        told = undefined;
        return answer;
      }),
  });
