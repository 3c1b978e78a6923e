import { concat } from '../bytes.js';
import { CpbError } from '../errors.js';
import { encodingOf, hasParts, isWeak } from './headers.js';

/** @import { Exchange } from './exchange.js' */
/** @import { Span, Validators } from './headers.js' */
/** @import { Incoming } from './http-request.js' */
/** @import { Resource } from './resource.js' */

/** The header that a server must send so that a page of another origin can read the headers it needs. */
const EXPOSE = 'Access-Control-Expose-Headers: Content-Range, ETag';

/** @type {Record<number, string>} */
const meanings = {
  401: 'pass `headers` or a `fetch` that signs',
  403: 'access is denied',
  404: 'not found',
  429: 'too many requests',
};

const temporary = [408, 425, 429, 500, 502, 503, 504];

/** Number of characters read of an error's body. */
const EXPLANATION = 2048;

/**
 * The error for a response that is neither 200 nor 206. Object stores explain a refusal in the body, such as an expired
 * signature.
 *
 * @param {Incoming} incoming @param {string} name @returns {Promise<CpbError>}
 */
async function refusal(incoming, name) {
  const { response } = incoming;
  const { status } = response;
  const said = [400, 401, 403].includes(status) ? await explanation(incoming) : '';
  const wait = retryAfter(response.headers);
  const meaning = /expired|time frame/i.test(said) ? 'the signature or token has expired' : meanings[status];
  const words = [
    meaning,
    said && `it says “${said}”`,
    wait && `it asks to wait ${Math.ceil(wait / 1000)} s (Retry-After)`,
  ]
    .filter(Boolean)
    .join('; ');
  return new CpbError('HTTP', `${name} answered ${status}${words && `: ${words}`}`, {
    status,
    retryable: temporary.includes(status) || status > 505,
    retryAfter: wait,
  });
}

/** @param {Incoming} incoming */
async function explanation(incoming) {
  const decoder = new TextDecoder();
  let text = incoming.response.headers.get('www-authenticate') ?? '';
  try {
    for (let piece; text.length < EXPLANATION && (piece = await incoming.next());)
      text += decoder.decode(piece, { stream: true });
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
  }
  const message = /<Message>([^<]*)/i.exec(text)?.[1] ?? text;
  return message
    .replace(/<[^>]*>|[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 200);
}

/** @param {Headers} headers @returns {number | undefined} milliseconds */
function retryAfter(headers) {
  const text = headers.get('retry-after');
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const until = Date.parse(text) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

/** The size in a 416. @param {Headers} headers @returns {number | undefined} */
function sizeOf416(headers) {
  const size = /^bytes\s+\*\/(\d+)$/i.exec(headers.get('content-range') ?? '')?.[1];
  return size === undefined ? undefined : Number(size);
}

/**
 * The size of a whole body as announced; undefined for an encoded one.
 *
 * @param {Headers} headers @returns {number | undefined}
 */
function announcedSize(headers) {
  const size = headers.get('content-length');
  return size === null || encodingOf(headers) ? undefined : Number(size);
}

/**
 * The whole resource, from a server that does not send ranges of it.
 *
 * @param {Incoming} incoming
 * @param {Exchange} http
 * @param {number} cap largest number of bytes to accept
 */
async function wholeOf(incoming, http, cap) {
  const announced = announcedSize(incoming.response.headers);
  /** @type {Uint8Array[]} */
  const pieces = [];
  let size = 0;
  const tooLarge = () =>
    new CpbError(
      'RANGE',
      `${http.name} ignores ranges: it sent all` +
        ` ${announced ?? `over ${cap}`} bytes; up to ${cap} (maxWhole) are taken`,
      { status: 200 },
    );
  if (announced !== undefined && announced > cap) throw tooLarge();
  for (let piece; (piece = await incoming.next());) {
    pieces.push(piece);
    if ((size += piece.length) > cap) throw tooLarge();
  }
  if (announced !== undefined && size !== announced) throw http.cutOff(size, announced, 200);
  return concat(pieces);
}

/** The error for a server without any validator, so that a change would go unnoticed. @param {Exchange} http */
export const unmarked = ({ name, crossOrigin }) =>
  new CpbError(
    'RANGE',
    `${name} ${crossOrigin ? 'shows' : 'gives'} neither ETag nor Last-Modified, as requireValidator demands${
      crossOrigin ? `; it may have to answer with ${EXPOSE}` : ''
    }`,
  );

/** Number of requests allowed to find the end of a resource. */
const LOOKS = 4;

/**
 * The range of a response without the total size: `bytes 0-9/*`.
 *
 * @param {Headers} headers @param {Resource} resource
 */
export async function spanOfUnknown(headers, resource) {
  const found = openSpan(headers);
  if (!found || hasParts(headers) || encodingOf(headers)) throw unclear(headers, resource.http);
  const size = resource.size(-1) < 0 ? await sizeByRanges(resource.http) : resource.size();
  if (size < found.end) throw unclear(headers, resource.http);
  return { ...found, size };
}

/** @param {Headers} headers */
function openSpan(headers) {
  const [, first, last] = /^bytes\s+(\d+)-(\d+)\/\*$/i.exec(headers.get('content-range') ?? '') ?? [];
  const [begin, end] = [Number(first), Number(last) + 1];
  return begin < end && Number.isSafeInteger(end) ? { begin, end } : undefined;
}

/** Finds the size of a resource whose ranges lack it: the offset after which nothing is left. @param {Exchange} http */
async function sizeByRanges(http) {
  let size = 0;
  for (let left = LOOKS; left > 0; left--) {
    let isEnd = false;
    const looked = http.exchange(`bytes=${size}-`, 0, undefined, async ({ response }) => {
      const { status, headers } = response;
      const span = status === 206 ? openSpan(headers) : undefined;
      isEnd = status === 416 && (sizeOf416(headers) ?? size) === size;
      if (!isEnd && span?.begin !== size) throw unclear(headers, http);
      size = span?.end ?? size;
      return 0;
    });
    await looked.next();
    if (isEnd) return size;
  }
  throw new CpbError(
    'RANGE',
    `${http.name} does not say how many bytes there are, and ${LOOKS} ranges end before ${size}`,
  );
}

/** Statuses with which servers without support for suffix ranges may answer one. */
const noSuffix = [400, 405, 406, 412, 416, 501];

/**
 * Interprets a response without a range: how many bytes of its body belong to the requested range.
 *
 * @param {Incoming} incoming
 * @param {Resource} resource
 * @param {number} begin -1: the request was for the last bytes
 * @param {number} end
 * @param {AbortSignal} [signal]
 * @returns {Promise<0>}
 */
export async function withoutRange(incoming, resource, begin, end, signal) {
  const { http, maxWhole } = resource;
  const { status, headers } = incoming.response;
  const isSuffix = begin < 0;
  if (status === 200) {
    const least = begin === 0 && end < Infinity ? end : 0;
    try {
      // The server ignores ranges, or this range. A small resource is kept as a whole.
      const bytes = await wholeOf(incoming, http, Math.max(least, maxWhole));
      await resource.agree(headers, bytes.length);
      resource.hold(0, bytes);
    } catch (/** @type {any} */ error) {
      if (!isSuffix || error.code !== 'RANGE') throw error;
    }
    return 0;
  }
  if (isSuffix && noSuffix.includes(status)) return 0;
  if (status !== 416) throw await refusal(incoming, http.name);
  // A 416 is correct only for ranges beyond the end. S3 does not tell the size.
  const size = sizeOf416(headers);
  const known = () => resource.size(-1);
  if (size !== undefined && (known() >= 0 || size <= begin)) await resource.agree(headers, size);
  else if (known() < 0 && begin > 0) await resource.stat({ signal });
  if (known() < 0 || begin < known()) throw notPastEnd(http, begin, known());
  return 0;
}

/** The error for a 206 that does not tell its range of the resource. @param {Headers} headers @param {Exchange} http */
function unclear(headers, { name, crossOrigin }) {
  const encoding = encodingOf(headers);
  const text = headers.get('content-range');
  let what = `answered with Content-Range: ${text}, which is no range of a known size`;
  // A browser hides headers that are not exposed.
  if (!text && crossOrigin) what = `shows no Content-Range; it must answer with ${EXPOSE}`;
  else if (!text) what = 'answered 206 without Content-Range';
  if (encoding) what = `answered a range with Content-Encoding: ${encoding}`;
  if (hasParts(headers)) what = 'answered a range with several parts';
  return new CpbError('RANGE', `${name} ${what}`, { status: 206 });
}

/**
 * The error for a 416 to a range before the end.
 *
 * @param {Exchange} http
 * @param {number} begin
 * @param {number} size -1: unknown
 */
const notPastEnd = ({ name }, begin, size) =>
  new CpbError(
    'RANGE',
    `${name} answered 416 to a range at ${begin}, which is ${size < 0 ? 'its beginning' : `in its ${size} bytes`}`,
    { status: 416, offset: begin },
  );

/**
 * The error for a 206 with another range.
 *
 * @param {Exchange} http
 * @param {string} range the requested range
 * @param {number} offset where it begins
 * @param {Span} span
 */
export const anotherRange = ({ name }, range, offset, { begin, end }) =>
  new CpbError('RANGE', `${name} was asked for ${range} and gave bytes ${begin}-${end - 1}`, { status: 206, offset });

/** Possible reasons why a server of another origin does not respond. */
const ADVICE =
  '; perhaps its CORS rules: it must answer with' +
  ` Access-Control-Allow-Origin, Access-Control-Allow-Headers: Range and ${EXPOSE}`;

const ASTRAY =
  '; it redirects, which the browser does not follow: there are too many redirects, or the CORS rules of the server that' +
  ' they lead to do not allow this page';

/**
 * The error for a request without a response, in a browser, which gives scripts little information.
 *
 * @param {CpbError} error
 * @param {Exchange} http
 * @param {() => Promise<Response>} probe the same request without following redirects; it is sent once
 */
export async function explained({ message, cause }, http, probe) {
  const response = http.probed ? undefined : await probe().catch(() => undefined);
  http.probed = true;
  const isRedirect = response?.type === 'opaqueredirect';
  const advice = isRedirect ? ASTRAY : http.crossOrigin ? ADVICE : '';
  return new CpbError('NETWORK', message + advice, { retryable: !isRedirect, cause });
}

/** Adds a hint to damage in a file if only its size would show a change. @param {CpbError} error */
export const perhapsChanged = (error) =>
  new CpbError(
    error.code,
    `${error.message}; perhaps the file changed while it was read: neither an ETag nor a date tells of that`,
    { offset: error.offset, cause: error },
  );

/**
 * Adds a response's validators to the known ones; if they contradict these, the resource has changed, which is an
 * error.
 *
 * @param {Validators} known @param {Validators} found @param {string} name @returns {Validators}
 */
export function pin(known, found, name) {
  const difference = differs(known, found);
  if (difference) throw new CpbError('CHANGED', `${name} changed while it was read: ${difference}`);
  return {
    size: known.size,
    etag: known.etag ?? found.etag,
    lastModified: known.lastModified ?? found.lastModified,
  };
}

/**
 * ETags are compared weakly: a server that sometimes compresses weakens the tag of the same bytes. If one is weak or
 * missing, the date must agree as well.
 *
 * @param {Validators} a @param {Validators} b
 */
function differs(a, b) {
  /** @param {string} what @param {keyof Validators} key */
  const changed = (what, key) => `its ${what} was ${a[key]}, now ${b[key]}`;
  if (a.size !== b.size) return changed('size', 'size');
  if (a.etag && b.etag) {
    if (opaque(a.etag) !== opaque(b.etag)) return changed('ETag', 'etag');
    if (!isWeak(a.etag) && !isWeak(b.etag)) return '';
  }
  return a.lastModified && b.lastModified && a.lastModified !== b.lastModified
    ? changed('Last-Modified', 'lastModified')
    : '';
}

/** @param {string} etag */
const opaque = (etag) => etag.replace(/^W\//, '');
