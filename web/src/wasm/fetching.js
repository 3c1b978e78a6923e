/** How a feed fetches bytes other than its end. */
import { abortable } from '../source/abort.js';
import { longest } from './feed.js';

/** @import { ReadOptions, Source } from '../types.js' */
/** @import { OpenStream, SourceFeed } from './feed.js' */

/** The largest gap that is skipped by reading on in an open stream. */
const GAP = 256 * 1024;

/** A jump shorter than NEAR suggests more short ones: the next request is then twice as wide, up to WIDEST. */
const NEAR = 64 * 1024;
const WIDEST = 128 * 1024;

/**
 * @param {SourceFeed} feed
 * @param {number} offset
 * @param {number} length
 * @param {number} ahead
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
 * @param {SourceFeed} feed
 * @param {number} offset
 * @param {number} length
 * @param {number} hint
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
 * @param {import('./recent-bytes.js').RecentBytes} recent
 * @param {number} offset
 * @param {number} end
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
