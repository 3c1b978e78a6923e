/**
 * The message that a .cpb file merges to, by ranges: it is planned at first use,
 * and then only the chunks that a range touches are read.
 */
import { room } from '../bytes.js';
import { CpbError } from '../errors.js';
import { streamOf } from '../source/pieces.js';
import { abortable } from '../source/wait.js';
import { createFeed } from '../wasm/feed.js';
import { aheadOf } from './ahead.js';
import { big, chunkInfo, readChunk, using } from './chunks.js';
import { verifyOf } from './file.js';
import { collect, engineStream } from './output.js';
import { joined, placesOf, rangeAt, WINDOW } from './places.js';

/** @import { Range, ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile, Verify } from './file.js' */

/**
 * A message by ranges: of a file, or merged.
 * @typedef {object} Body
 * @property {(options?: ReadOptions) => Promise<number>} size
 * @property {(offset: number, length: number, options?: ReadOptions) => Promise<Uint8Array>} read
 *   what of the range is there
 * @property {(offset: number, length: number, options?: BodyOptions) => ReadableStream<Uint8Array>}
 *   stream
 * @property {(offset: number) => number} [until] how far what is stored together
 *   with the byte at `offset` goes on
 */
/** @typedef {ReadOptions & { verify?: Verify }} BodyOptions */

/**
 * A piece of the merged message: of a chunk, or literal bytes (chunk undefined).
 * @typedef {object} Segment
 * @property {number} offset in the message
 * @property {number} length
 * @property {number | undefined} chunk
 * @property {boolean} whole whether it is the chunk as a whole
 */

/**
 * @typedef {Body & {
 *   segments: (offset: number, length: number, options?: ReadOptions) => Promise<Segment[]>,
 *   place: (chunk: number) => Range, placesIn: (segments: Segment[]) => Range[],
 *   windows: () => Range[]
 * }} Merged
 */

/** A limit of memory below this leaves no room for a window that is not needed yet. */
const ROOMY = 16 * WINDOW;

/** Chunks that are read at once. */
const AT_ONCE = { bytes: 8 * 2 ** 20, chunks: 64 };

/**
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {object} options
 * @param {number} options.type of the merged message, or 0
 * @param {boolean} options.trustSizes
 * @param {Verify} [options.verify]
 * @returns {Merged}
 */
export function mergedOf(file, index, { type, trustSizes, verify }) {
  const { instance } = file;
  /** @type {Promise<Engine> | undefined} */
  let planned;
  /** @type {Engine | undefined} its merge, once it is done */
  let ready;
  /** @type {Promise<unknown>} the last read of it */
  let queue = Promise.resolve();

  /** @param {Verify} how @param {() => void} [onFree] */
  const newMerge = (how, onFree) =>
    file.make('cpb_merge', (scope) => {
      const options = scope.struct('merge_options', {
        verify: verifyOf(how, 'late'),
        trust_sizes: Number(trustSizes),
        type,
        limits: file.limitsIn(scope),
      });
      return instance.c.cpb_merge_new(0, index.pointer, options);
    }, onFree);

  async function makePlan() {
    const merge = newMerge(verify ?? 'never');
    try {
      await file.drive(merge);
    } catch (error) {
      merge.free();
      throw error;
    }
    return (ready = merge);
  }

  /** What others wait for goes on when one is aborted.
   * @param {ReadOptions} [options] */
  async function plan(options) {
    file.check();
    planned ??= makePlan();
    try {
      return await abortable(planned, options?.signal);
    } catch (error) {
      if (!options?.signal?.aborted) planned = undefined;
      throw error;
    }
  }

  /** An engine that failed says the same for ever: the next call plans anew. */
  function forget() {
    ready?.free();
    ready = planned = undefined;
  }

  /** One after another, as there is one engine.
   * @param {number} offset @param {number} length @param {ReadOptions} [options] */
  function readPlanned(offset, length, options) {
    const work = queue.then(async () => {
      const merge = await plan();
      merge.check('read', big(offset), big(length));
      try {
        return await collect(file, merge, {}, length);
      } catch (error) {
        forget();
        throw error;
      }
    });
    queue = work.catch(() => {});
    return abortable(work, options?.signal);
  }

  /** @param {number} i @returns {Segment} */
  const segmentAt = (i) =>
    instance.scope((scope) => {
      const out = scope.struct('segment');
      /** @type {Engine} */ (ready).call('get_segment', i, out);
      const { offset, length, chunk, literal } = instance.get('segment', out);
      if (literal) return { offset, length, chunk: undefined, whole: false };
      return { offset, length, chunk, whole: chunkInfo(file, index, chunk).size === length };
    });

  /** @type {Merged['segments']} */
  async function segments(offset, length, options) {
    const merge = await plan(options);
    const count = merge.call('num_segments');
    /** @type {Segment[]} */
    const found = [];
    for (let i = merge.call('find_segment', big(offset)); i < count; i++) {
      const segment = segmentAt(i);
      if (segment.offset >= offset + length) break;
      found.push(segment);
    }
    return found;
  }

  /**
   * Large chunks side by side, each by a reader of its own; the rest as planned.
   *
   * @param {number} offset
   * @param {number} length
   * @param {BodyOptions} [options]
   */
  async function read(offset, length, options) {
    const size = await merged.size(options);
    const end = Math.min(offset + length, size);
    const parts = partsOf(await segments(offset, end - offset, options), offset, end);
    const out = room(Math.max(end - offset, 0));
    await inGroups(parts, async ({ begin, length: n, chunk, chunkOffset, all }) => {
      const how = verifyOf(options?.verify ?? verify, all ? 'late' : 'never');
      const bytes =
        chunk === undefined
          ? await readPlanned(begin, n, options)
          : await using(readChunk(file, index, chunk, chunkOffset, n, how), (reader) =>
              collect(file, reader, { signal: options?.signal }, n),
            );
      if (bytes.length !== n)
        throw new CpbError('DAMAGED', `chunk ${chunk} is shorter than the index says`);
      out.set(bytes, begin - offset);
    });
    return out;
  }

  /**
   * An engine that gives a long range: its chunk's own, or a merge with a plan of
   * its own, as the shared one answers other reads meanwhile.
   *
   * @param {number} offset
   * @param {number} length
   * @param {BodyOptions} options
   */
  async function begin(offset, length, { signal, verify: asked = verify }) {
    const found = length === Infinity ? [] : await segments(offset, length, { signal });
    const [only] = found;
    if (found.length === 1 && only?.whole) {
      const how = verifyOf(asked, length < only.length ? 'never' : 'late');
      return readChunk(file, index, only.chunk ?? 0, offset - only.offset, length, how);
    }
    const places = length === Infinity ? merged.windows() : joined(merged.placesIn(found), WINDOW);
    const { source, stop } = ahead(places);
    const merge = newMerge(asked ?? 'late', stop);
    try {
      const { size, held } = file;
      merge.feed = createFeed(source, { size, held, around: (at) => rangeAt(places, at) });
      await file.drive(merge, { signal });
      merge.check('read', big(offset), big(length));
      return merge;
    } catch (error) {
      merge.free();
      throw error;
    }
  }

  /** What is held already is not fetched again, nor what comes as a stream.
   * @param {Range[]} places */
  function ahead(places) {
    if ((file.limits?.memory ?? ROOMY) < ROOMY) return { source: file.source, stop() {} };
    const end = file.held[0]?.offset ?? Infinity;
    const windows = places.map(({ offset, length }) => ({
      offset,
      length: length > 2 * WINDOW ? 0 : Math.max(0, Math.min(length, end - offset)),
    }));
    return aheadOf(file.source, windows);
  }

  /** @type {ReturnType<typeof placesOf> | undefined} */
  let known;
  const places = () => (known ??= placesOf(file, index));

  /** @type {Merged} */
  const merged = {
    segments,
    place: (chunk) => places().of(chunk),
    placesIn: (found) =>
      found.flatMap(({ chunk }) => (chunk === undefined ? [] : merged.place(chunk))),
    windows: () => joined(places().all, WINDOW),
    read,
    size: async (options) => (await plan(options)).call('size'),
    stream: (offset, length, options = {}) =>
      length > AT_ONCE.bytes
        ? engineStream(
            file,
            (signal) => begin(offset, length, { ...options, signal }),
            options.signal,
          )
        : streamOf(async function* pieces(signal) {
            yield await read(offset, length, { ...options, signal });
          }, options.signal),
    until(offset) {
      if (!ready) return Infinity;
      const { offset: begin, length } = segmentAt(ready.call('find_segment', big(offset)));
      return begin + length;
    },
  };
  return merged;
}

/**
 * What is read from a chunk directly, and what lies between by the merge.
 *
 * @param {Segment[]} segments
 * @param {number} offset
 * @param {number} end
 */
function partsOf(segments, offset, end) {
  /**
   * @type {{ begin: number, length: number, chunk?: number, chunkOffset: number, all: boolean }[]}
   */
  const parts = [];
  for (const segment of segments) {
    const begin = Math.max(segment.offset, offset);
    const length = Math.min(segment.offset + segment.length, end) - begin;
    const last = parts.at(-1);
    if (segment.whole) {
      const all = length === segment.length;
      parts.push({ begin, length, chunk: segment.chunk, chunkOffset: begin - segment.offset, all });
    } else if (last && last.chunk === undefined) {
      last.length += length;
    } else {
      parts.push({ begin, length, chunkOffset: 0, all: false });
    }
  }
  return parts;
}

/**
 * In groups that are not too large; the parts of a group begin in one turn, so that
 * requests for what lies near each other are joined.
 *
 * @template {{ length: number }} T
 * @param {T[]} parts
 * @param {(part: T) => Promise<void>} work
 */
async function inGroups(parts, work) {
  for (let i = 0; i < parts.length;) {
    const group = [];
    for (let bytes = 0; i < parts.length && group.length < AT_ONCE.chunks; i++) {
      const part = /** @type {T} */ (parts[i]);
      bytes += part.length;
      if (group.length > 0 && bytes > AT_ONCE.bytes) break;
      group.push(part);
    }
    await Promise.all(group.map(work));
  }
}
