/** How a feed fetches bytes other than its end: on demand, or without waiting into the memory of its engine. */
import { abortable } from '../waiting.js';
import { createFeed, longest } from './feed.js';

/** @import { Told } from '../progress.js' */
/** @import { Prepared } from '../source/index.js' */
/** @import { Cost, ReadOptions, Source } from '../types.js' */
/** @import { Feed, FeedOptions, OpenStream, SourceFeed } from './feed.js' */

/** The largest gap that is skipped by reading on in an open stream. */
const GAP = 256 * 1024;

/** A jump shorter than NEAR suggests more short ones: the next request is then twice as wide, up to WIDEST. */
const NEAR = 64 * 1024;
const WIDEST = 128 * 1024;

/**
 * @param {SourceFeed} feed @param {number} offset @param {number} length @param {number} ahead
 * @param {ReadOptions} [options]
 */
export function fetchFor(feed, offset, length, ahead, options) {
  const { source, stream, recent } = feed;
  const { around, most = longest } = feed.options;
  if (stream && offset >= stream.offset && offset <= stream.offset + GAP && offset < stream.end)
    return readStream(feed, offset, options?.signal);
  const range = around?.(offset);
  if (range && range.length <= most) {
    const begin = recent.at(range.offset) ? offset : range.offset;
    return request(feed, begin, nextAfter(recent, offset, range.offset + range.length), options);
  }
  const wanted = endOf(feed, offset, length, ahead);
  if (source.stream && wanted - offset > most) {
    openStream(feed, offset, wanted - offset);
    return readStream(feed, offset, options?.signal);
  }
  return request(feed, offset, Math.min(wanted, offset + Math.max(length, most)), options);
}

/**
 * How far to fetch from `offset`: the needed bytes, the engine's hint, and more while it makes short jumps; without
 * remembered bytes, and not beyond the limit.
 *
 * @param {SourceFeed} feed @param {number} offset @param {number} length @param {number} hint
 */
function endOf(feed, offset, length, hint) {
  const { ahead = 0, until } = feed.options;
  const near = offset >= feed.asked && offset - feed.asked < NEAR;
  feed.width = near ? Math.min(2 * feed.width, WIDEST) : ahead;
  const end = offset + Math.max(length, hint, feed.width);
  // Beyond the largest number: to the end of the input, wherever that is.
  const sought = end < Number.MAX_SAFE_INTEGER ? end : Infinity;
  const bound = Math.min(feed.size ?? Infinity, until?.(offset) ?? Infinity);
  return nextAfter(feed.recent, offset, Math.min(sought, bound));
}

/**
 * Where the first piece after `offset` begins, or `end`.
 *
 * @param {import('./feed.js').RecentBytes} recent @param {number} offset @param {number} end
 */
function nextAfter({ pieces }, offset, end) {
  for (const piece of pieces) {
    if (piece.offset > offset && piece.offset < end) end = piece.offset;
  }
  return end;
}

/** @param {SourceFeed} feed @param {number} offset @param {number} end @param {ReadOptions} [options] */
async function request(feed, offset, end, options) {
  feed.asked = end;
  const bytes = await feed.source.read(offset, end - offset, options);
  feed.add(offset, bytes);
  if (bytes.length < end - offset) await ended(feed, bytes.length && offset + bytes.length, options);
}

/** The source ends at or before this offset.
 * @param {SourceFeed} feed
 * @param {number} size
 * @param {ReadOptions} [options] */
async function ended(feed, size, options) {
  feed.size ??= size > 0 ? size : (await feed.source.stat(options)).size;
}

/** @param {SourceFeed} feed @param {number} offset @param {number} length */
function openStream(feed, offset, length) {
  feed.stop();
  const source = /** @type {Required<Source>} */ (feed.source);
  const reader = source.stream(offset, length).getReader();
  feed.stream = { reader, offset, end: offset + length };
}

/** @param {SourceFeed} feed @param {number} offset @param {AbortSignal} [signal] */
async function readStream(feed, offset, signal) {
  const open = /** @type {OpenStream} */ (feed.stream);
  while (open.offset <= offset) {
    const { value, done } = await abortable(open.reader.read(), signal);
    if (done) {
      feed.stream = undefined;
      return ended(feed, open.offset, { signal });
    }
    feed.add(open.offset, value);
    open.offset += value.length;
  }
}

/** The largest read at once, unless more is needed. */
const MOST = 2 ** 20;

/**
 * A feed that reads into the engine's own memory, if the source is a file: after a jump shorter than NEAR, twice as much
 * as before, up to NEAR. The code that drives the engine yields to
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
