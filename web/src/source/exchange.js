import { CpbError } from '../errors.js';
import { meter } from '../middleware/budget.js';
import { request } from './answer.js';
import { EXPOSE } from './content-range.js';

/** @typedef {import('./answer.js').Answer} Answer */

/**
 * One after another, the requests for ranges of one URL.
 *
 * @param {string | URL} url
 * @param {import('./url.js').UrlOptions} options
 */
export function exchanger(url, options) {
  const here = /** @type {{ location?: Location }} */ (globalThis).location;
  const target = parse(url, here?.href);
  const name = target.origin + target.pathname;
  const crossOrigin = here !== undefined && here.origin !== target.origin;
  const advice = crossOrigin ? '; perhaps its CORS rules: it must answer with'
    + ` Access-Control-Allow-Origin, Access-Control-Allow-Headers: Range and ${EXPOSE}` : '';
  const usage = meter(options.budget);
  let finalUrl = target.href;
  /** The browser's cache may be wrong. */
  let distrust = false;
  /** Answers to what was asked before a reset tell nothing. */
  let era = 0;

  /** @param {string} range @param {AbortSignal} signal */
  async function send(range, signal) {
    const headers = new Headers(options.headers);
    headers.set('Range', range);
    /** @type {RequestInit} */
    const init = { headers, signal };
    for (const key of /** @type {const} */ (['credentials', 'mode', 'cache'])) {
      if (options[key]) Object.assign(init, { [key]: options[key] });
    }
    if (distrust && here) init.cache = 'no-store';
    return (options.fetch ?? fetch)(target.href, init);
  }

  /**
   * Sends one request and gives so many bytes of its body as `accept` finds that it
   * holds, exactly. When that is done, or nobody wants more, so is the connection.
   *
   * @param {string} range
   * @param {number} length that it asks for
   * @param {AbortSignal | undefined} signal
   * @param {(answer: Answer) => Promise<number>} accept
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async function* exchange(range, length, signal, accept) {
    const bill = usage.begin(length);
    const begun = era;
    /** @type {Answer | undefined} */
    let answer;
    try {
      answer = await request((inner) => send(range, inner),
        { timeout: options.timeout ?? 30_000, signal, name, advice, received: bill.received });
      if (begun !== era) throw new CpbError('CHANGED', `${name} was opened anew`);
      finalUrl = answer.response.url || finalUrl;
      const count = await accept(answer);
      let left = count;
      for (let piece; count > 0 && (piece = await answer.next());) {
        if ((left -= piece.length) < 0) {
          throw new CpbError('RANGE', `${name} sent more bytes than its Content-Range says`);
        }
        yield piece;
      }
      if (left > 0) throw cutOff(count - left, count);
    } finally {
      bill.end();
      answer?.end();
    }
  }

  /**
   * A browser's cache may be what cuts off, so it is not asked again.
   *
   * @param {number} got
   * @param {number} announced
   */
  function cutOff(got, announced) {
    distrust = true;
    return new CpbError('NETWORK',
      `${name} sent ${got} of the ${announced} bytes that it announced`,
      { retryable: true });
  }

  return {
    name,
    crossOrigin,
    exchange,
    cutOff,
    cost: usage.cost,
    url: target.href,
    get finalUrl() { return finalUrl; },
    /** From now on past the browser's cache. */
    doubt() { distrust = true; },
    reset() {
      era++;
      distrust = true;
    },
  };
}

/** @param {string | URL} url @param {string} [base] */
function parse(url, base) {
  try {
    return new URL(url, base);
  } catch (cause) {
    throw new CpbError('USAGE', `no URL: ${String(url).split('?')[0]}`, { cause });
  }
}
