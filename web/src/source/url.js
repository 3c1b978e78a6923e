import { concat } from '../bytes.js';
import { CpbError } from '../errors.js';
import { announcedSize, sizeOf416, spanOf } from './content-range.js';
import { exchanger } from './exchange.js';
import { collect, streamOf, tailByRead } from './pieces.js';
import { refusal } from './refusal.js';
import { pin, tagOf } from './validators.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('./answer.js').Answer} Answer */
/** @typedef {import('./validators.js').Validators} Validators */

/**
 * How a URL is read; all of it may be left out.
 * @typedef {object} UrlOptions
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] instead of the
 *   runtime's; one that signs reads private buckets
 * @property {HeadersInit} [headers] sent beside Range; in browsers they cause preflights
 * @property {RequestCredentials} [credentials]
 * @property {RequestMode} [mode]
 * @property {RequestCache} [cache] of the browser; 'no-store' lets Chrome, whose cache
 *   answers ranges of one URL one by one, ask for several at once
 * @property {number} [timeout] milliseconds without a byte after which a request fails;
 *   default 30,000
 * @property {'auto' | boolean} [suffix] whether the last bytes are asked for as
 *   `bytes=-N`; 'auto': unless that costs a browser a preflight
 * @property {number} [maxWhole] bytes up to which a server may answer a range with the
 *   whole resource, which is then kept; default 1 MiB
 * @property {Partial<import('../types.js').Cost>} [budget] most that it may cost
 */

/** How much is asked for to learn the size. */
const PROBE = 4096;

/** An answer shorter than both this and what was asked for is short of patience. */
const PROGRESS = 65536;

/** How many such answers are continued. */
const PATIENCE = 4;

/** Statuses that a server which knows no suffix ranges may answer one with. */
const noSuffix = [400, 405, 406, 412, 416, 501];

/**
 * A resource read by HTTP ranges. Only GET is sent, with no header but Range (and
 * yours) and the URL as it is, so that signed URLs work; each answer is checked, and
 * the size and the ETag or date of the first one are held against all others.
 *
 * @param {string | URL} url
 * @param {UrlOptions} [options]
 * @returns {Source & { url: string, finalUrl: string }}
 */
export function urlSource(url, options = {}) {
  const { maxWhole = 1 << 20, suffix: asked = 'auto' } = options;
  const http = exchanger(url, options);
  const { name, crossOrigin } = http;
  let suffix = asked === 'auto' ? !crossOrigin : asked;
  /** @type {Validators | undefined} */
  let pinned;
  /**
   * Bytes that are at hand: a whole resource, its head or its tail.
   * @type {{ begin: number, bytes: Uint8Array } | undefined}
   */
  let held;

  /** @param {{ headers: Headers }} response @param {number} size */
  function agree({ headers }, size) {
    try {
      pinned = pin(pinned, {
        size,
        etag: headers.get('etag') ?? undefined,
        lastModified: headers.get('last-modified') ?? undefined,
      }, name);
    } catch (error) {
      http.doubt();
      throw error;
    }
  }

  /** What a 206 holds. @param {Response} response */
  function agreedSpan(response) {
    const span = spanOf(response, name, crossOrigin);
    agree(response, span.size);
    return span;
  }

  /**
   * A 200: the server does not do ranges, or not this one. Small resources are kept.
   *
   * @param {Answer} answer
   * @param {number} cap
   */
  async function whole(answer, cap) {
    const announced = announcedSize(answer.response.headers);
    /** @type {Uint8Array[]} */
    const pieces = [];
    let size = 0;
    const tooLarge = () => new CpbError('RANGE', `${name} ignores ranges: it sent all`
      + ` ${announced ?? `over ${cap}`} bytes; up to ${cap} (maxWhole) are taken`, { status: 200 });
    if (announced !== undefined && announced > cap) throw tooLarge();
    for (let piece; (piece = await answer.next());) {
      pieces.push(piece);
      if ((size += piece.length) > cap) throw tooLarge();
    }
    if (announced !== undefined && size !== announced) throw http.cutOff(size, announced);
    agree(answer.response, size);
    held = { begin: 0, bytes: concat(pieces) };
  }

  /**
   * The pieces of [begin, end) that one request brings; none when it brought the
   * whole resource, or only its size.
   *
   * @param {number} begin
   * @param {number} end
   * @param {AbortSignal} [signal]
   */
  function once(begin, end, signal) {
    const range = `bytes=${begin}-${end === Infinity ? '' : end - 1}`;
    return http.exchange(range, end - begin, signal, async (answer) => {
      const { response } = answer;
      const { status } = response;
      if (status === 200) {
        await whole(answer, begin === 0 && end < Infinity ? Math.max(end, maxWhole) : maxWhole);
        return 0;
      }
      if (status === 416) return past(response, begin, signal);
      if (status !== 206) throw await refusal(answer, name);
      const span = agreedSpan(response);
      if (span.begin === begin && span.end <= end) return span.end - begin;
      throw new CpbError('RANGE', `${name} was asked for ${range} and`
        + ` gave bytes ${span.begin}-${span.end - 1}`, { status, offset: begin });
    });
  }

  /**
   * A 416 is the answer for ranges past the end only. S3 leaves out where the end is.
   *
   * @param {Response} response
   * @param {number} begin
   * @param {AbortSignal} [signal]
   */
  async function past({ headers }, begin, signal) {
    const size = sizeOf416(headers);
    if (size !== undefined && (pinned || size <= begin)) agree({ headers }, size);
    else if (!pinned && begin > 0) await stat({ signal });
    if (pinned && begin >= pinned.size) return 0;
    throw new CpbError('RANGE', `${name} answered 416 to a range at ${begin}, which is`
      + (pinned ? ` in its ${pinned.size} bytes` : ' its beginning'),
    { status: 416, offset: begin });
  }

  /**
   * @param {number} offset
   * @param {number} end
   * @returns {Uint8Array | undefined}
   */
  function heldAt(offset, end) {
    if (!held || offset < held.begin || offset >= held.begin + held.bytes.length) return undefined;
    return held.bytes.subarray(offset - held.begin, end - held.begin);
  }

  /**
   * @param {number} offset
   * @param {number} length
   * @param {AbortSignal} [signal]
   */
  async function* pieces(offset, length, signal) {
    let patience = PATIENCE;
    const wanted = offset + length;
    const end = () => Math.min(wanted, pinned?.size ?? Infinity);
    while (offset < end()) {
      signal?.throwIfAborted();
      const kept = heldAt(offset, end());
      if (kept) {
        offset += kept.length;
        yield kept;
        continue;
      }
      const before = offset;
      for await (const piece of once(offset, end(), signal)) {
        offset += piece.length;
        yield piece;
      }
      if (offset - before < PROGRESS && offset < end() && patience-- === 0) {
        throw new CpbError('RANGE', `${name} gives too few bytes`, { offset });
      }
    }
  }

  /** @type {Source['read']} */
  function read(offset, length, { signal } = {}) {
    return collect(pieces(offset, length, signal),
      () => Math.min(length, (pinned?.size ?? Infinity) - offset));
  }

  /** @type {Source['stat']} */
  async function stat(statOptions) {
    if (!pinned) {
      const bytes = await read(0, PROBE, statOptions);
      held ??= { begin: 0, bytes };
    }
    const { size, ...rest } = /** @type {Validators} */ (pinned);
    return { size, etag: tagOf({ size, ...rest }) };
  }

  /**
   * Asks for the last bytes. Whatever else the server makes of that is no error: the
   * size, or the whole resource, may be known now, and the rest goes by plain ranges.
   *
   * @param {number} length
   * @param {AbortSignal} [signal]
   */
  function lastBytes(length, signal) {
    return http.exchange(`bytes=-${length}`, length, signal, async (answer) => {
      const { response } = answer;
      const { status } = response;
      if (status === 206) {
        const { begin, end, size } = agreedSpan(response);
        suffix = end === size && begin === Math.max(0, size - length);
        return suffix ? end - begin : 0;
      }
      if (status !== 200 && !noSuffix.includes(status)) throw await refusal(answer, name);
      suffix = false;
      if (status === 200) {
        await whole(answer, maxWhole).catch((error) => {
          if (error.code !== 'RANGE') throw error;
        });
      }
      return 0;
    });
  }

  /** @type {NonNullable<Source['tail']>} */
  async function tail(length, tailOptions = {}) {
    if (!pinned && suffix && length > 0) {
      const bytes = await collect(lastBytes(length, tailOptions.signal),
        () => Math.min(length, pinned?.size ?? length));
      const { size } = pinned ?? /** @type {Validators} */ ({ size: 0 });
      if (bytes.length) held = { begin: size - bytes.length, bytes };
    }
    return tailByRead({ read, stat })(length, tailOptions);
  }

  return {
    name,
    remote: true,
    transferred: http.cost,
    url: http.url,
    get finalUrl() { return http.finalUrl; },
    read,
    stat,
    tail,
    stream: (offset, length, { signal } = {}) =>
      streamOf((inner) => pieces(offset, length, inner), signal),
    reset() {
      http.reset();
      pinned = held = undefined;
    },
  };
}
