import { piecesOf, tailByRead } from '../source/pieces.js';
import { streamOf } from '../source/streams.js';

/** @import { Middleware, ReadOptions, Source } from '../types.js' */

/**
 * A source with all optional members but its name.
 * @typedef {'tail' | 'stream' | 'reset' | 'close'} Optional
 * @typedef {Source & Required<Pick<Source, Optional>>} FullSource
 */

/** How much is read at a time of a source without `stream`. */
const PIECE = 1 << 20;

/** `stream` by `read`, for a source that has none. @param {Source} source @returns {NonNullable<Source['stream']>} */
const streamByReads =
  (source) =>
  (offset, length, { signal } = {}) =>
    streamOf(async function* reads(inner) {
      const end = offset + length;
      while (offset < end) {
        const bytes = await source.read(offset, Math.min(PIECE, end - offset), { signal: inner });
        if (bytes.length === 0) return;
        offset += bytes.length;
        yield bytes;
      }
    }, signal);

/**
 * A source with its own methods; missing ones are those of the source below, or are built from this
 * one's `read` and `stat`. It is not `remote`, so that no default middleware is added.
 *
 * @param {Source} below @param {Partial<Source>} own @returns {FullSource}
 */
export function layer(below, own) {
  /** @type {Source} */
  const self = {
    name: below.name,
    key: below.key,
    transferred: below.transferred,
    ...around(below, (ask) => ask()),
    stream: below.stream?.bind(below),
    beside: below.beside,
    reset: () => below.reset?.(),
    close: () => below.close?.(),
    ...own,
  };
  self.tail ??= tailByRead(self);
  self.stream ??= streamByReads(self);
  return /** @type {FullSource} */ (self);
}

/**
 * The methods of a source except `stream`, with `wrap` around each call.
 *
 * @param {Source} below
 * @param {<T>(ask: () => Promise<T>, options: ReadOptions | undefined, length: number) =>
 *   Promise<T>} wrap
 * @returns {Pick<Source, 'read' | 'stat' | 'tail'>}
 */
export function around(below, wrap) {
  const { tail } = below;
  return {
    read: (offset, length, options) => wrap(() => below.read(offset, length, options), options, length),
    stat: (options) => wrap(() => below.stat(options), options, 0),
    tail: tail && ((length, options) => wrap(() => tail.call(below, length, options), options, length)),
  };
}

/**
 * The stream of a source, if it has one, whose pieces go through `change`.
 *
 * @param {Source} below
 * @param {(pieces: AsyncGenerator<Uint8Array>, offset: number, length: number,
 *   signal: AbortSignal) => AsyncGenerator<Uint8Array>} change
 * @returns {Source['stream']}
 */
export function streamThrough(below, change) {
  const { stream } = below;
  return (
    stream &&
    ((offset, length, { signal } = {}) =>
      streamOf(
        (inner) => change(piecesOf(stream.call(below, offset, length, { signal: inner })), offset, length, inner),
        signal,
      ))
  );
}

/**
 * `compose(source, a, b)` is b(a(source)).
 *
 * @param {Source} source
 * @param {...Middleware} middleware
 * @returns {Source}
 */
export function compose(source, ...middleware) {
  const composed = middleware.reduce((below, wrap) => wrap(below), source);
  const { beside } = source;
  if (beside && composed !== source) {
    composed.beside = async (name) => {
      const other = await beside(name);
      return other && compose(other, ...middleware);
    };
  }
  return composed;
}

/**
 * Where known facts about a file are kept: `persist` sets it, and reader/outline.js uses it. It is found by the `key`
 * of a source, which all layers around the source share.
 *
 * @typedef {object} Keeper
 * @property {() => Promise<Uint8Array | undefined>} get undefined if nothing is kept, or it cannot be read
 * @property {(bytes: Uint8Array | undefined) => void} put replaces earlier bytes; undefined: removes them
 */

/** @type {WeakMap<object, Keeper>} */
export const keepers = new WeakMap();
