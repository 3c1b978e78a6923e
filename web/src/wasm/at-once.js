/** Feeds an engine whose output is written while it is read: both synchronously if possible. */
import { createFeed } from './feed.js';

/** @import { Told } from '../progress.js' */
/** @import { Cost } from '../types.js' */
/** @import { Prepared } from '../source/index.js' */
/** @import { Feed, FeedOptions } from './feed.js' */

/** The largest read, unless more is needed. */
const MOST = 2 ** 20;

/** After a jump shorter than NEAR a read is twice as wide as the one before, up to NEAR. */
const NEAR = 64 * 1024;

/**
 * A feed that reads into the engine's own memory, if the source is a file. The code that drives the engine yields to
 * other work in between, so that it does no more at once than in `turn.js`.
 *
 * @param {Prepared} source
 * @param {FeedOptions} [options]
 * @param {Told} [got] called with the number of bytes read
 * @returns {Feed}
 */
export function feedAtOnce(source, options, got) {
  const feed = createFeed(source, options);
  const read = source.local && source.below?.readInto;
  const cost = /** @type {Cost} */ (source.transferred);
  let asked = -Infinity,
    width = 0;
  if (!read) return feed;

  feed.readInto = (offset, length, ahead, room) => {
    if (feed.size === undefined) return 0;
    width = offset >= asked && offset - asked < NEAR ? Math.min(Math.max(2 * width, length), NEAR) : 0;
    const most = Math.max(length, width, Math.min(ahead, MOST));
    const count = read(offset, room(Math.min(feed.size - offset, most))) ?? 0;
    asked = offset + count;
    cost.requests++;
    cost.bytes += count;
    got?.(count);
    return count;
  };
  return feed;
}
