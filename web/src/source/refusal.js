import { concat } from '../bytes.js';
import { CpbError } from '../errors.js';
import { announcedSize, encodingOf, EXPOSE, hasParts } from './content-range.js';

/** @typedef {import('./exchange.js').Exchange} Exchange */
/** @typedef {import('./http-request.js').Incoming} Incoming */

/** @type {Record<number, string>} */
const meanings = {
  401: 'pass `headers` or a `fetch` that signs',
  403: 'access is denied',
  404: 'not found',
  429: 'too many requests',
};

const temporary = [408, 425, 429, 500, 502, 503, 504];

/** How many characters of an error's body are read. */
const EXPLANATION = 2048;

/**
 * The error for a response that is neither 200 nor 206. Object stores say in the
 * body why they refuse, such as an expired signature.
 *
 * @param {Incoming} incoming
 * @param {string} name
 * @returns {Promise<CpbError>}
 */
export async function refusal(incoming, name) {
  const { response } = incoming;
  const { status } = response;
  const said = [400, 401, 403].includes(status) ? await explanation(incoming) : '';
  const meaning = /expired|time frame/i.test(said) ? 'the signature or token has expired' : meanings[status];
  const words = [meaning, said && `“${said}”`].filter(Boolean).join('; it says ');
  return new CpbError('HTTP', `${name} answered ${status}${words && `: ${words}`}`, {
    status,
    retryable: temporary.includes(status) || status > 505,
    retryAfter: retryAfter(response.headers),
  });
}

/** @param {Incoming} incoming */
async function explanation(incoming) {
  const decoder = new TextDecoder();
  let text = incoming.response.headers.get('www-authenticate') ?? '';
  try {
    for (let piece; text.length < EXPLANATION && (piece = await incoming.next());) {
      text += decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
  }
  const message = /<Message>([^<]*)/i.exec(text)?.[1] ?? text;
  return message
    .replace(/<[^>]*>|[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 200);
}

/**
 * @param {Headers} headers
 * @returns {number | undefined} milliseconds
 */
export function retryAfter(headers) {
  const text = headers.get('retry-after');
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const until = Date.parse(text) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

/**
 * All of a resource of which a server sends no ranges.
 *
 * @param {Incoming} incoming
 * @param {Exchange} http
 * @param {number} cap the most bytes that are taken
 */
export async function wholeOf(incoming, http, cap) {
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
  if (announced !== undefined && size !== announced) throw http.cutOff(size, announced);
  return concat(pieces);
}

/**
 * The error for a 206 that does not say which range of the resource it has.
 *
 * @param {Headers} headers
 * @param {Exchange} http
 */
export function unclear(headers, { name, crossOrigin }) {
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
 * The error for a 416 to a range that is not past the end.
 *
 * @param {Exchange} http
 * @param {number} begin
 * @param {{ size: number }} [known]
 */
export const notPastEnd = ({ name }, begin, known) =>
  new CpbError(
    'RANGE',
    `${name} answered 416 to a range at ${begin}, which is ${known ? `in its ${known.size} bytes` : 'its beginning'}`,
    { status: 416, offset: begin },
  );

/**
 * The error for a 206 with another range.
 *
 * @param {Exchange} http
 * @param {string} range that was asked for
 * @param {number} offset where it begins
 * @param {import('./content-range.js').Span} span
 */
export const anotherRange = ({ name }, range, offset, { begin, end }) =>
  new CpbError('RANGE', `${name} was asked for ${range} and gave bytes ${begin}-${end - 1}`, { status: 206, offset });

/** What may be wrong when a server of another origin does not respond. */
const ADVICE =
  '; perhaps its CORS rules: it must answer with' +
  ` Access-Control-Allow-Origin, Access-Control-Allow-Headers: Range and ${EXPOSE}`;

const ASTRAY =
  '; it redirects, which the browser does not follow: there are too many redirects, or the CORS rules of the server that' +
  ' they lead to do not allow this page';

/**
 * The error for a request without a response, in a browser.
 *
 * @param {CpbError} error
 * @param {Exchange} http
 * @param {string} [type] of the response to the same request that follows no redirect, if there is one
 */
export function explained({ message, cause }, { crossOrigin }, type) {
  const isRedirect = type === 'opaqueredirect';
  const advice = isRedirect ? ASTRAY : crossOrigin ? ADVICE : '';
  return new CpbError('NETWORK', message + advice, { retryable: !isRedirect, cause });
}
