/** Where redirects lead, so that they are followed once and not for each range. */

/** @param {string} url */
const originOf = (url) => new URL(url).origin;

/** @param {string} url */
const isSafe = (url) => url.startsWith('https:');

export class Redirects {
  #home;
  #keeps;
  #keepsAway;
  /** Whether the target has given a range. */
  #served = false;
  /** What was led to: ranges are requested there until that fails. @type {string | undefined} */
  target;

  /**
   * @param {string} home where they begin
   * @param {import('./url.js').UrlOptions} options
   */
  constructor(home, { fetch, redirects = fetch ? undefined : 'keep' }) {
    this.#home = home;
    this.#keeps = redirects !== 'again';
    // A fetch of the caller's may sign, or know other secrets.
    this.#keepsAway = redirects === 'keep';
  }

  /** Whether a URL is of another origin, for which what is secret is not. @param {string} url */
  isAway(url) {
    return originOf(url) !== originOf(this.#home);
  }

  /** After a response that is good to a request of `from`. @param {Response} response @param {string} from */
  came({ redirected, url }, from) {
    if (from === this.target) this.#served = true;
    const may = redirected && url && this.#keeps && (this.#keepsAway || !this.isAway(url));
    if (!may || (isSafe(this.#home) && !isSafe(url))) return;
    this.target = url;
    this.#served = false;
  }

  /**
   * After a failure of a request of `from`, which is not used again, and none if that failed at once: it is good for
   * one request, or in a browser for none that did not begin elsewhere. Whether the URL itself may say otherwise.
   *
   * @param {any} error
   * @param {string} from
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
