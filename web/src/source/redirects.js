/** Where redirects lead, so that they are followed once and not for each range. */
import { CpbError } from '../errors.js';

/** How many are followed in a row, as by the command. */
const MOST = 10;

/** @param {string} url */
const originOf = (url) => new URL(url).origin;

/** @param {string} url */
const isSafe = (url) => url.startsWith('https:');

/** Whether a response is a redirect. @param {Response} response */
const leads = ({ status, headers }) => status > 300 && status < 309 && headers.has('location');

/** @param {string} location @param {string} from @returns {string} '' if it is no URL */
function resolved(location, from) {
  try {
    return new URL(location, from).href;
  } catch {
    return '';
  }
}

export class Redirects {
  #home;
  #name;
  #keeps;
  #keepsAway;
  /** Whether the target has given a range. */
  #served = false;
  /** The target of the redirects: ranges are requested there until that fails. @type {string | undefined} */
  target;

  /**
   * @param {string} home where they begin
   * @param {string} name for messages
   * @param {import('./url.js').UrlOptions} options
   */
  constructor(home, name, { fetch, redirects = fetch ? undefined : 'keep' }) {
    this.#home = home;
    this.#name = name;
    this.#keeps = redirects !== 'again';
    // A fetch of the caller's may sign, or know other secrets.
    this.#keepsAway = redirects === 'keep';
  }

  /** Whether a URL has another origin, which must not get secrets. @param {string} url */
  isAway(url) {
    return originOf(url) !== originOf(this.#home);
  }

  /**
   * Where a response leads: to http and https, never from https to http.
   *
   * @param {Response} response
   * @param {string} from
   * @param {number} hops that led to it
   */
  #next({ status, headers }, from, hops) {
    const fail = (/** @type {string} */ what) => new CpbError('HTTP', `${this.#name} ${what}`, { status });
    if (hops >= MOST) throw fail(`redirects more than ${MOST} times in a row`);
    const to = resolved(headers.get('location') ?? '', from);
    if (!/^https?:/.test(to)) throw fail(`answered ${status}, which leads to no http or https URL`);
    if (isSafe(from) && !isSafe(to)) throw fail(`answered ${status}, which leads from https to http`);
    return to;
  }

  /**
   * Follows a redirect, and counts the requests: redirects that the runtime followed count as one. Each
   * response is passed on, so that it can be ended.
   *
   * @param {import('./http-request.js').Incoming} incoming @param {string} to @param {{ again: () => void }} bill
   * @param {(url: string) => Promise<import('./http-request.js').Incoming>} ask
   */
  async *follow(incoming, to, bill, ask) {
    for (let hops = 0; leads(incoming.response); hops++) {
      incoming.end();
      to = this.#next(incoming.response, to, hops);
      bill.again();
      incoming = await ask(to);
      yield { incoming, to };
    }
    if (!incoming.response.redirected) return;
    yield { incoming, to: incoming.response.url };
    bill.again();
  }

  /**
   * After a response that is good to a request of `from`, which redirects led `to`.
   *
   * @param {string} to @param {string} from
   */
  came(to, from) {
    if (from === this.target) this.#served = true;
    const may = to !== from && this.#keeps && (this.#keepsAway || !this.isAway(to));
    if (!may || (isSafe(this.#home) && !isSafe(to))) return;
    this.target = to;
    this.#served = false;
  }

  /**
   * After a failure of a request of `from`, which is not used again, and none if that failed at once: it is good for
   * one request, or in a browser for none that did not begin elsewhere. Whether the URL itself may say otherwise.
   *
   * @param {any} error @param {string} from
   */
  ledAstray({ code, retryable }, from) {
    if (from === this.#home) return false;
    const early = !this.#served;
    if (from === this.target) {
      this.target = undefined;
      this.#keeps &&= !early;
    }
    return (early && code === 'NETWORK') || (code === 'HTTP' && !retryable);
  }
}
