import { CpbError } from '../errors.js';

/** What a server must send so that a page of another origin can read the headers it needs. */
export const EXPOSE = 'Access-Control-Expose-Headers: Content-Range, ETag';

/**
 * The bytes [begin, end) of `size`.
 * @typedef {{ begin: number, end: number, size: number }} Span
 */

/**
 * Which range of the resource a 206 has. Responses that leave this unclear are refused:
 * several parts, an encoding (its ranges count other bytes), an unknown total.
 *
 * @param {Response} response
 * @param {string} name
 * @param {boolean} crossOrigin whether a browser hides the headers that are not exposed
 * @returns {Span}
 */
export function spanOf({ headers }, name, crossOrigin) {
  /** @param {string} what @returns {never} */
  const refuse = (what) => {
    throw new CpbError('RANGE', `${name} ${what}`, { status: 206 });
  };
  if (/^multipart\//i.test(headers.get('content-type') ?? '')) {
    refuse('answered a range with several parts');
  }
  const encoding = encodingOf(headers);
  if (encoding) refuse(`answered a range with Content-Encoding: ${encoding}`);
  const text = headers.get('content-range');
  if (!text) {
    refuse(
      crossOrigin ? `shows no Content-Range; it must answer with ${EXPOSE}` : 'answered 206 without Content-Range',
    );
  }
  const [, first, last, total] = /^bytes\s+(\d+)-(\d+)\/(\d+)$/i.exec(text ?? '') ?? [];
  const span = { begin: Number(first), end: Number(last) + 1, size: Number(total) };
  if (!(span.begin < span.end && span.end <= span.size && Number.isSafeInteger(span.size))) {
    refuse(`answered with Content-Range: ${text}, which is no range of a known size`);
  }
  return span;
}

/**
 * The size that a 416 tells.
 *
 * @param {Headers} headers
 * @returns {number | undefined}
 */
export function sizeOf416(headers) {
  const size = /^bytes\s+\*\/(\d+)$/i.exec(headers.get('content-range') ?? '')?.[1];
  return size === undefined ? undefined : Number(size);
}

/**
 * The size of a whole body as announced; undefined for an encoded one.
 *
 * @param {Headers} headers
 * @returns {number | undefined}
 */
export function announcedSize(headers) {
  const size = headers.get('content-length');
  return size === null || encodingOf(headers) ? undefined : Number(size);
}

/** @param {Headers} headers */
export function encodingOf(headers) {
  const encoding = headers.get('content-encoding') ?? '';
  return /^identity$/i.test(encoding) ? '' : encoding;
}
