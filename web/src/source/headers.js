/** Reads the headers of a response: its range, and the state of the resource. */

/** How much is asked for to learn the size of a resource whose last bytes cannot be asked for as such. */
export const PROBE = 4096;

/**
 * The bytes [begin, end) of `size`.
 * @typedef {{ begin: number, end: number, size: number }} Span
 */

/**
 * Which range of the resource a 206 has; undefined where it leaves this unclear: several parts, an encoding (its
 * ranges count other bytes), an unknown total.
 *
 * @param {Headers} headers @returns {Span | undefined}
 */
export function spanOf(headers) {
  const [, first, last, total] = /^bytes\s+(\d+)-(\d+)\/(\d+)$/i.exec(headers.get('content-range') ?? '') ?? [];
  const span = { begin: Number(first), end: Number(last) + 1, size: Number(total) };
  const isRange = span.begin < span.end && span.end <= span.size && Number.isSafeInteger(span.size);
  return isRange && !hasParts(headers) && !encodingOf(headers) ? span : undefined;
}

/** @param {Headers} headers */
export const hasParts = (headers) => /^multipart\//i.test(headers.get('content-type') ?? '');

/** @param {Headers} headers */
export function encodingOf(headers) {
  const encoding = headers.get('content-encoding') ?? '';
  return /^identity$/i.test(encoding) ? '' : encoding;
}

/**
 * Distinguish states of a resource (RFC 9110, 8.8).
 *
 * @typedef {object} Validators
 * @property {number} size
 * @property {string} [etag]
 * @property {string} [lastModified]
 */

/** @param {string} etag */
export const isWeak = (etag) => etag.startsWith('W/');

/** The tag from `stat`: a date alone makes a weak one. @param {Validators} validators */
export const tagOf = ({ etag, lastModified }) => etag ?? (lastModified && `W/"${lastModified}"`);

/**
 * The validators in a response.
 *
 * @param {Headers} headers @param {number} size @param {import('./url.js').UrlOptions} options @returns {Validators}
 */
export const validatorsOf = (headers, size, { ignoreEtag }) => ({
  size,
  etag: (!ignoreEtag && headers.get('etag')) || undefined,
  lastModified: headers.get('last-modified') ?? undefined,
});
