/** In workerd: does what a request asks for. */
import { work } from './work.js';

export default {
  /** @param {Request} request */
  async fetch(request) {
    const { what, url, count } = /** @type {any} */ (await request.json());
    try {
      return Response.json(await work[what]?.(url, count));
    } catch (error) {
      return Response.json({ error: String(/** @type {Error} */ (error).stack) });
    }
  },
};
