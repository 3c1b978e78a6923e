/**
 * A URL whose end is requested with little code, which is enough to open a file. Everything else is loaded on demand.
 */
import { loadSoon, parts } from '../parts.js';
import { PROBE, spanOf, tagOf, validatorsOf } from './headers.js';
import { placeOf, request, send } from './http-request.js';

/** @import { Parts } from '../parts.js' */
/** @import { SourceLater } from './later.js' */

/**
 * State from before all of the code was loaded: known facts about the resource, and a request whose response is to be
 * checked against them.
 * @typedef {object} First
 * @property {import('./headers.js').Validators} [pinned]
 * @property {import('./resource.js').Held} [held]
 * @property {import('./exchange.js').Begun} [begun]
 */

/** @param {Uint8Array[]} pieces @param {number} [last] how many of the bytes */
const joined = async (pieces, last = Infinity) =>
  new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (pieces)).slice(-last).arrayBuffer());

/**
 * @typedef {object} Asked
 * @property {string} href
 * @property {string} name
 * @property {import('./url.js').UrlOptions} options
 * @property {import('../middleware/meter.js').Meter} usage
 * @property {First} first
 */

/**
 * A range, if the response is as expected; otherwise undefined, and the response is kept.
 *
 * @param {Asked} of
 * @param {string} range
 * @param {number} length
 * @param {(size: number) => number} beginOf where it must begin
 * @param {AbortSignal} [signal]
 */
async function rangeOf({ href, name, options, usage, first }, range, length, beginOf, signal) {
  const bill = usage.begin(length);
  const how = { signal, name, received: bill.received };
  let asked = request((inner) => send(href, range, options, inner), options, length, how);
  /** @type {Uint8Array[]} */
  const pieces = [];
  try {
    const incoming = await asked;
    asked = Promise.resolve({ ...incoming, next: async () => pieces.shift() ?? incoming.next() });
    const { status, redirected, headers } = incoming.response;
    const span = status === 206 && !redirected && spanOf(headers);
    if (span) {
      const { begin, end, size } = span;
      const found = validatorsOf(headers, size, options);
      const same = JSON.stringify(first.pinned ?? found) === JSON.stringify(found);
      let left = same && begin === beginOf(size) && end === Math.min(size, begin + length) ? end - begin : -1;
      for (let piece; left >= 0 && (piece = await incoming.next()); left -= piece.length) pieces.push(piece);
      if (left === 0) {
        first.pinned = found;
        incoming.end();
        bill.end();
        return joined(pieces);
      }
    }
  } catch (error) {
    if (signal?.aborted) {
      bill.end();
      throw error;
    }
  }
  first.begun = { range, bill, asked };
}

/** @param {Asked} of @param {boolean} bySuffix @param {number} length @param {AbortSignal} [signal] */
async function lastBytes(of, bySuffix, length, signal) {
  if (bySuffix) return rangeOf(of, `bytes=-${length}`, length, (size) => Math.max(0, size - length), signal);
  // This would need a preflight.
  const bytes = await rangeOf(of, `bytes=0-${PROBE - 1}`, PROBE, () => 0, signal);
  const { size = 0 } = of.first.pinned ?? {};
  if (!bytes || size <= PROBE) return bytes?.slice(-length);
  of.first.held = { begin: 0, bytes };
  const begin = Math.max(PROBE, size - length);
  const rest = await rangeOf(of, `bytes=${begin}-${size - 1}`, size - begin, () => begin, signal);
  return rest && joined([bytes, rest], length);
}

/** @param {() => Promise<typeof import('./layers.js')>} load @returns {Parts['urls']} */
export const urlLater = (load) => (url, options, usage) => {
  const { url: href, name, home, crossOrigin } = placeOf(url);
  const { suffix = 'auto', requireValidator, headers } = options;
  /** @type {First} */
  const first = {};
  const bySuffix = suffix === 'auto' ? !crossOrigin : suffix;
  const of = { href, name, options, usage, first };
  const isUsual = home && !requireValidator;
  if (!isUsual) loadSoon(load, parts.unusual);
  const whole = async () => (await load()).urlSourceFrom(url, options, usage, first);
  /** @type {SourceLater} */
  const source = {
    name,
    key: [href, headers],
    remote: true,
    transferred: usage.cost,
    whole,
    beside: async (path) => (await whole()).beside?.(path),
    async end(length, signal) {
      const bytes = isUsual && length ? await lastBytes(of, bySuffix, length, signal) : undefined;
      const { pinned } = first;
      return bytes && pinned && { size: pinned.size, etag: tagOf(pinned), bytes };
    },
  };
  return /** @type {any} */ (source);
};
