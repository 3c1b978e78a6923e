import { CpbError } from '../errors.js';
import { meter } from '../middleware/budget.js';
import { request } from './answer.js';
import { announcedSize, sizeOf416, spanOf } from './content-range.js';
import { collect, streamOf } from './pieces.js';
import { refusal } from './refusal.js';
import { pin, tagOf } from './validators.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('../types.js').ReadOptions} ReadOptions */
/** @typedef {import('./answer.js').Answer} Answer */
/** @typedef {import('./content-range.js').Span} Span */
/** @typedef {import('./validators.js').Validators} Validators */

/**
 * @typedef {object} UrlOptions
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] instead of the
 *   runtime's; one that signs reads private buckets
 * @property {HeadersInit} [headers] sent beside Range; in browsers they cause preflights
 * @property {RequestCredentials} [credentials]
 * @property {RequestMode} [mode]
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
  const { timeout = 30_000, maxWhole = 1 << 20 } = options;
  const here = /** @type {{ location?: Location }} */ (globalThis).location;
  const target = new URL(url, here?.href);
  const name = target.origin + target.pathname;
  const crossOrigin = here !== undefined && here.origin !== target.origin;
  const advice = crossOrigin ? '; perhaps its CORS rules: it must answer with'
    + ' Access-Control-Allow-Origin, Access-Control-Allow-Headers: Range and'
    + ' Access-Control-Expose-Headers: Content-Range, ETag' : '';
  const usage = meter(options.budget);
  let suffix = options.suffix === 'auto' || options.suffix === undefined
    ? !crossOrigin : options.suffix;
  let finalUrl = target.href;

  /** @type {Validators | undefined} */
  let pinned;
  /** Bytes that came unasked: a whole resource, the head, a tail. @type {{ begin: number, bytes: Uint8Array } | undefined} */
  let held;
  /** The browser's cache gave bytes that were wrong. */
  let distrust = false;

  /** @param {string} range @param {AbortSignal} signal */
  function send(range, signal) {
    const headers = new Headers(options.headers);
    headers.set('Range', range);
    /** @type {RequestInit} */
    const init = { headers, signal };
    if (options.credentials) init.credentials = options.credentials;
    if (options.mode) init.mode = options.mode;
    if (distrust && here) init.cache = 'no-store';
    return (options.fetch ?? fetch)(target.href, init);
  }

  /**
   * Sends one request and hands its answer to `use`; when that is done, so is the answer.
   *
   * @template T
   * @param {string} range
   * @param {number} length
   * @param {AbortSignal | undefined} signal
   * @param {(answer: Answer) => AsyncGenerator<T>} use
   * @returns {AsyncGenerator<T>}
   */
  async function* exchange(range, length, signal, use) {
    const bill = usage.begin(length);
    /** @type {Answer | undefined} */
    let answer;
    try {
      const got = answer = await request((inner) => send(range, inner), { timeout, signal, name, advice });
      if (got.response.url) finalUrl = got.response.url;
      yield* use({
        ...got,
        async next() {
          const piece = await got.next();
          if (piece) bill.received(piece.length);
          return piece;
        },
      });
    } finally {
      bill.end();
      answer?.end();
    }
  }

  /** @param {{ headers: Headers }} response @param {number} size */
  function agree({ headers }, size) {
    try {
      pinned = pin(pinned, {
        size,
        etag: headers.get('etag') ?? undefined,
        lastModified: headers.get('last-modified') ?? undefined,
      }, name);
    } catch (error) {
      distrust = true;
      throw error;
    }
  }

  /**
   * The body of a 206, which must be as long as its Content-Range says.
   *
   * @param {Answer} answer
   * @param {number} length
   */
  async function* body(answer, length) {
    let left = length;
    for (let piece; (piece = await answer.next());) {
      left -= piece.length;
      if (left < 0) {
        throw new CpbError('RANGE', `${name} sent more bytes than its Content-Range says`);
      }
      yield piece;
    }
    if (left > 0) {
      distrust = true;
      throw new CpbError('NETWORK',
        `${name} sent ${length - left} of the ${length} bytes that its headers announce`,
        { retryable: true });
    }
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
    const tooLarge = () => new CpbError('RANGE', `${name} does not answer range requests: it sent`
      + ` the whole resource, ${announced ?? `over ${cap}`} bytes; up to ${cap} (maxWhole) are taken`,
    { status: 200 });
    if (announced !== undefined && announced > cap) throw tooLarge();
    for (let piece; (piece = await answer.next());) {
      pieces.push(piece);
      if ((size += piece.length) > cap) throw tooLarge();
    }
    if (announced !== undefined && size !== announced) {
      throw new CpbError('NETWORK', `${name} sent ${size} of ${announced} bytes`, { retryable: true });
    }
    agree(answer.response, size);
    held = { begin: 0, bytes: await new Blob(/** @type {BlobPart[]} */ (pieces)).arrayBuffer().then((b) => new Uint8Array(b)) };
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
    return exchange(range, end - begin, signal, async function* use(answer) {
      const { response } = answer;
      if (response.status === 200) {
        return void await whole(answer, begin === 0 && end < Infinity ? Math.max(end, maxWhole) : maxWhole);
      }
      if (response.status === 416) return past(response, begin, signal);
      if (response.status !== 206) throw await refusal(answer, name);
      const span = spanOf(response, name, crossOrigin);
      agree(response, span.size);
      if (span.begin !== begin || span.end > end) {
        throw new CpbError('RANGE', `${name} was asked for ${range} and answered with bytes`
          + ` ${span.begin}-${span.end - 1}`, { status: 206, offset: begin });
      }
      yield* body(answer, span.end - span.begin);
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
    if (pinned && begin >= pinned.size) return;
    throw new CpbError('RANGE', `${name} answered 416 to a range at ${begin}, which is`
      + (pinned ? ` in its ${pinned.size} bytes` : ' its beginning'), { status: 416, offset: begin });
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
    const end = () => Math.min(offset0 + length, pinned?.size ?? Infinity);
    const offset0 = offset;
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
        throw new CpbError('RANGE', `${name} gives too few bytes for each range`, { offset });
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
    return exchange(`bytes=-${length}`, length, signal, async function* use(answer) {
      const { response } = answer;
      const { status } = response;
      suffix = false;
      if (status === 200) {
        const size = announcedSize(response.headers);
        if (size === undefined || size <= maxWhole) {
          await whole(answer, maxWhole).catch((error) => {
            if (error.code !== 'RANGE') throw error;
          });
        }
      } else if (status === 206) {
        const span = spanOf(response, name, crossOrigin);
        agree(response, span.size);
        suffix = span.end === span.size && span.begin === Math.max(0, span.size - length);
        if (suffix) yield* body(answer, span.end - span.begin);
      } else if (!noSuffix.includes(status)) {
        suffix = true;
        throw await refusal(answer, name);
      }
    });
  }

  /** @type {NonNullable<Source['tail']>} */
  async function tail(length, tailOptions = {}) {
    if (!pinned && suffix && length > 0) {
      const bytes = await collect(lastBytes(length, tailOptions.signal),
        () => Math.min(length, pinned?.size ?? length));
      if (pinned && bytes.length) held = { begin: /** @type {Validators} */ (pinned).size - bytes.length, bytes };
    }
    const found = await stat(tailOptions);
    const offset = Math.max(0, found.size - length);
    return { ...found, bytes: await read(offset, found.size - offset, tailOptions) };
  }

  return {
    name,
    remote: true,
    transferred: usage.cost,
    url: target.href,
    get finalUrl() { return finalUrl; },
    read,
    stat,
    tail,
    stream: (offset, length, { signal } = {}) =>
      streamOf((inner) => pieces(offset, length, inner), signal),
    reset() {
      pinned = held = undefined;
      distrust = true;
    },
  };
}
