import { CpbError } from '../errors.js';

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
