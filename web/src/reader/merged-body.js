/**
 * The message that a .cpb file merges to, by ranges: it is planned on first use, and then only the chunks of a range
 * are read.
 */
import { room } from '../collector.js';
import { CpbError } from '../errors.js';
import { streamOf } from '../source/streams.js';
import { feedAtOnce } from '../wasm/fetching.js';
import { createFeed } from '../wasm/feed.js';
import { NONE } from '../wasm/instance.js';
import { aheadOf } from './ahead.js';
import { chunkRangesOf, joined, rangeAt, WINDOW } from './chunk-ranges.js';
import { big } from './chunks.js';
import { isShared, readChunk, using, verifyOf } from './read-chunk.js';
import { MergePlan } from './merge-plan.js';
import { collect, engineStream } from './output.js';

/** @import { Told } from '../progress.js' */
/** @import { Range, Source } from '../types.js' */
/** @import { FileRange } from './chunk-ranges.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { MergeHow, Segment } from './merge-plan.js' */
/** @import { OpenFile, Verify } from './open-file.js' */

/**
 * A message by ranges: of a file, or merged.
 * @typedef {object} Body
 * @property {(options?: BodyOptions) => Promise<number>} size
 * @property {(offset: number, length: number, options?: BodyOptions) => Promise<Uint8Array>} read the existing part of
 *   the range
 * @property {(offset: number, length: number, options?: BodyOptions) => ReadableStream<Uint8Array>}
 *   stream
 * @property {number} [gap] bytes between two ranges that are worth saving a read; default as for `coalesce`
 * @property {boolean} [goesOn] whether reading on over skipped bytes may be worthwhile, see read-on.js
 * @property {(offset: number) => number} [until] the end of the bytes that are stored together with the byte at
 *   `offset`
 */
/**
 * @typedef {{ signal?: AbortSignal, verify?: Verify, told?: Told, got?: Told }} BodyOptions told: reports bytes of the
 *   message; got: reports bytes of the file that planning reads
 */

/**
 * A merged message, and its ranges in the file.
 * @typedef {object} MergedOnly
 * @property {(chunk: number) => FileRange} rangeOf the Riegeli chunk that has a chunk
 * @property {(offset: number, length: number, options?: BodyOptions) => Promise<FileRange[]>} rangesOf
 *   the Riegeli chunks that have bytes of a range of the message
 * @property {() => FileRange[]} windows the requests of a stream of all of it, in sequence
 * @property {(offset: number, options?: BodyOptions) => Promise<Range>} segmentAt the part from one chunk, or from
 *   none, that has the byte at `offset` of the message
 * @property {(options?: BodyOptions) => Promise<CpbError | undefined>} damage see MergePlan
 * @property {() => void} free frees its data, until it is read again
 */
/**
 * Takes bytes for `offset` of an output at once, because they are lent.
 * @typedef {(offset: number, bytes: Uint8Array) => void} Put
 */
/** @typedef {Body & { write: (put: Put, options?: BodyOptions) => Promise<void> }} Whole all of it can be written */
/** @typedef {Whole & MergedOnly} Merged */

/**
 * @typedef {object} State
 * @property {OpenFile} file
 * @property {Engine} index
 * @property {MergePlan} plan
 * @property {Verify} [verify] the file's choice
 * @property {boolean} partial whether the index lacks chunks, so that it does not show where each ends
 * @property {() => ReturnType<typeof chunkRangesOf>} ranges of the file, made once
 */

/** With less memory than this, windows are not fetched in advance. */
const ROOMY = 16 * WINDOW;

/** Bytes of the message, which may belong to another chunk. */
const GAP = 256;

/** Limits of chunks read at once. */
const AT_ONCE = { bytes: 8 * 2 ** 20, chunks: 64 };

/** @param {OpenFile} file @param {Engine} index @param {MergeHow} how @returns {Merged} */
export function mergedBody(file, index, how) {
  /** @type {ReturnType<typeof chunkRangesOf> | undefined} */
  let ranges;
  /** @type {State} */
  const state = {
    file,
    index,
    plan: new MergePlan(file, index, how),
    verify: how.verify,
    partial: how.only !== undefined,
    ranges: () => (ranges ??= chunkRangesOf(file, index)),
  };
  const { plan } = state;
  return {
    size: (options) => plan.size(options),
    read: (offset, length, options) => read(state, offset, length, options),
    stream: (offset, length, options) => stream(state, offset, length, options),
    write: (put, options) => write(state, put, options),
    gap: GAP,
    until: (offset) => plan.endOfSegment(offset),
    rangeOf: (chunk) => state.ranges().of(chunk),
    rangesOf: async (...range) => rangesOf(state, await plan.segments(...range)),
    windows: () => windows(state),
    segmentAt: async (offset, o) => /** @type {Segment} */ ((await plan.segments(offset, 1, o))[0]),
    damage: (o) => plan.damage(o),
    free: () => plan.forget(),
  };
}

/** @param {State} state @param {Segment[]} segments */
const rangesOf = ({ ranges }, segments) =>
  segments.flatMap(({ chunk }) => (chunk === undefined ? [] : ranges().of(chunk)));

/** @param {State} state */
const windows = ({ ranges }) => joined(ranges().all, WINDOW);

/* --- Reading ------------------------------------------------------------------- */

/**
 * Reads whole chunks concurrently, each with its own reader, and the rest with the plan.
 *
 * @param {State} state @param {number} offset @param {number} length @param {BodyOptions} [options]
 */
async function read(state, offset, length, options) {
  const { plan } = state;
  const end = Math.min(offset + length, await plan.size(options));
  const shared = (/** @type {number} */ chunk) => isShared(state.file, state.index, chunk);
  const parts = partsOf(await plan.segments(offset, end - offset, options), offset, end, shared);
  const out = room(Math.max(end - offset, 0));
  options?.told?.(0, out.length);
  await inGroups(parts, async (part) => {
    const begin = part.begin - offset;
    const bytes = await readPart(state, part, out.subarray(begin, begin + part.length), options);
    if (bytes.length !== part.length)
      throw new CpbError('DAMAGED', `chunk ${part.chunk} is shorter than the index says`);
  });
  return out;
}

/**
 * A part of a range that one engine reads: of a chunk, or (chunk undefined) with the plan. Chunks that share a Riegeli
 * chunk are read with the plan, which decodes it once.
 * @typedef {{ begin: number, length: number, chunk?: number, chunkOffset: number, all: boolean, shared?: boolean }} Part
 */

/**
 * @param {State} state
 * @param {Part} part
 * @param {Uint8Array<ArrayBuffer>} out to be filled
 * @param {BodyOptions} [options]
 */
function readPart(state, { begin, length, chunk, chunkOffset, all }, out, options) {
  const { file, index, plan, verify } = state;
  const checked = options?.verify ?? verify ?? (all ? 'late' : 'never');
  if (chunk === undefined) return plan.read(begin, length, out, { ...options, verify: all ? checked : undefined });
  const how = verifyOf(checked, 'late');
  return using(readChunk(file, index, chunk, chunkOffset, length, how), (reader) =>
    collect(file, reader, { signal: options?.signal, told: options?.told }, length, out),
  );
}

/**
 * Divides a range into parts read from chunks directly, and the parts between.
 *
 * @param {Segment[]} segments @param {number} offset @param {number} end @param {(chunk: number) => boolean} isShared
 */
function partsOf(segments, offset, end, isShared) {
  /** @type {Part[]} */
  const parts = [];
  for (const segment of segments) {
    const begin = Math.max(segment.offset, offset);
    const length = Math.min(segment.offset + segment.length, end) - begin;
    const last = parts.at(-1);
    const all = segment.whole && length === segment.length;
    const shared = segment.chunk === undefined ? last?.shared : isShared(segment.chunk);
    if (segment.whole && !shared) {
      parts.push({ begin, length, chunk: segment.chunk, chunkOffset: begin - segment.offset, all });
    } else if (last && last.chunk === undefined && last.shared === shared) {
      last.length += length;
      last.all ||= all;
    } else {
      parts.push({ begin, length, chunkOffset: 0, all, shared });
    }
  }
  return parts;
}

/**
 * Works on parts in groups of limited size; the parts of a group begin in the same turn of the event loop, so that
 * `coalesce` joins requests that are close together.
 *
 * @template {{ length: number }} T @param {T[]} parts @param {(part: T) => Promise<void>} work
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

/* --- Streaming ------------------------------------------------------------------ */

/** @param {State} state @param {number} offset @param {number} length @param {BodyOptions} [options] */
function stream(state, offset, length, options = {}) {
  const { signal: outer, told } = options;
  if (length > AT_ONCE.bytes)
    return engineStream(state.file, (signal) => begin(state, offset, length, { ...options, signal }), outer, told);
  return streamOf(async function* pieces(signal) {
    yield await read(state, offset, length, { ...options, signal });
  }, outer);
}

/** Size of merged pieces before they are put, in the instance's memory. */
const PIECE = 256 * 1024;

/** @param {State} state @param {Put} put @param {BodyOptions} [options] */
const write = ({ file, plan, verify }, put, { signal } = {}) =>
  using(plan.newMerge(verify ?? 'late'), async (merge) => {
    const { instance, source, held } = file;
    merge.feed = feedAtOnce(source, { size: file.size, held });
    await file.drive(merge, { signal });
    merge.check('read', 0n, NONE);
    const size = merge.call('size');
    const room = Math.max(1, Math.min(size, PIECE));
    const bytes = merge.own(room);
    const filled = merge.own(4);
    instance.setU32(filled, 0);
    let done = 0;
    /** Puts the merged bytes. */
    function give() {
      const length = instance.u32(filled);
      if (length > 0) put(done, instance.view(bytes, length));
      instance.setU32(filled, 0);
      done += length;
    }
    await file.drive(merge, { signal, step: 'fill', args: [bytes, room, filled], onStep: give });
    give();
  });

/**
 * An engine for a long range: a reader of its single chunk, or a merge with a plan of its own, because the shared one
 * serves other reads at the same time.
 *
 * @param {State} state @param {number} offset @param {number} length @param {BodyOptions} options
 */
async function begin(state, offset, length, { signal, told, verify = state.verify }) {
  const { file, index, plan } = state;
  const found = length === Infinity ? [] : await plan.segments(offset, length, { signal });
  const [only] = found;
  if (found.length === 1 && only?.whole) {
    told?.(0, Math.min(length, only.offset + only.length - offset));
    const how = verifyOf(verify, length < only.length ? 'never' : 'late');
    return readChunk(file, index, only.chunk ?? 0, offset - only.offset, length, how);
  }
  const ranges = windowsFor(state, length === Infinity ? undefined : found);
  const { source, stop } = ahead(file, ranges[0] ?? []);
  const merge = plan.newMerge(verify ?? 'late', stop);
  try {
    feedBy(merge, source, ranges, file);
    await file.drive(merge, { signal });
    told?.(0, Math.max(0, Math.min(length, merge.call('size') - offset)));
    merge.check('read', big(offset), big(length));
    return merge;
  } catch (error) {
    merge.free();
    throw error;
  }
}

/**
 * The ranges to request at a time, by the numbers of the files; empty if the index does not show them.
 *
 * @param {State} state
 * @param {Segment[]} [segments] by default all
 */
function windowsFor(state, segments) {
  if (state.partial) return [];
  return state.ranges().byFile(segments ? joined(rangesOf(state, segments), WINDOW) : windows(state));
}

/**
 * The engine outlives a file that is no longer referenced, and must not refer to it.
 *
 * @param {Engine} merge @param {Source} source @param {FileRange[][]} ranges @param {OpenFile} file
 */
function feedBy(merge, source, ranges, { size, held }) {
  const around = (/** @type {number} */ other) => (/** @type {number} */ at) => rangeAt(ranges[other] ?? [], at);
  merge.around = around;
  merge.feed = createFeed(source, { size, held, around: around(0) });
}

/** The file, with the next of these ranges fetched early, except for bytes that are held already or come as a stream.
 * @param {OpenFile} file
 * @param {Range[]} ranges */
function ahead(file, ranges) {
  if ((file.limits?.memory ?? ROOMY) < ROOMY) return { source: file.source, stop() {} };
  const end = file.held[0]?.offset ?? Infinity;
  const windows = ranges.map(({ offset, length }) => ({
    offset,
    length: length > 2 * WINDOW ? 0 : Math.max(0, Math.min(length, end - offset)),
  }));
  return aheadOf(file.source, windows);
}
