/** URLs of the test server whose requests are counted; see ../runtimes/server.js. */
import { base, runtime } from './test.js';

let last = 0;

/**
 * @typedef {object} Asked
 * @property {string} method
 * @property {string} url
 * @property {string | null} range
 * @property {number} status
 * @property {number} bytes
 */

/**
 * What was asked for, without preflights, which a browser may or may not send.
 * @typedef {object} Report
 * @property {number} requests
 * @property {number} bytes of all bodies
 * @property {Asked[]} log
 */

/**
 * @param {string} path such as '/tests/data/cpb/x.cpb'
 * @param {string} [origin]
 * @returns {{url: string, report: () => Promise<Report>}}
 */
export function counted(path, origin = base) {
  const token = `${runtime}-${Math.random().toString(36).slice(2)}-${last++}`;
  return {
    url: `${origin}${path}${path.includes('?') ? '&' : '?'}count=${token}`,
    report: async () => (await fetch(`${base}/-/count/${token}`, { cache: 'no-store' })).json(),
  };
}
