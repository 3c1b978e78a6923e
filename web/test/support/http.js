/** URLs of the test server whose requests are counted; see ../runtimes/server.js. */
import { base, runtime } from './test.js';

let last = 0;

/**
 * @typedef {{requests: number, bytes: number, log: {method: string, url: string, range: string | null, status: number, bytes: number}[]}} Report
 *   without preflights, which a browser may or may not send
 */

/**
 * @param {string} path such as '/tests/data/cpb/x.cpb'
 * @param {string} [origin]
 * @returns {{url: string, report: () => Promise<Report>}}
 */
export function counted(path, origin = base) {
  const token = `${runtime}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${last++}`;
  return {
    url: `${origin}${path}${path.includes('?') ? '&' : '?'}count=${token}`,
    report: async () => (await fetch(`${base}/-/count/${token}`, { cache: 'no-store' })).json(),
  };
}
