/** In workerd: a request for a test file runs it and answers with its results. */

/** @type {string[]} */
const errors = [];
addEventListener('unhandledrejection', (event) =>
  errors.push(`unhandled: ${event.reason} ${event.reason?.stack ?? ''}`),
);

export default {
  /**
   * @param {Request} request
   * @param {{BASE: string, OTHER: string, ALL: boolean}} env
   */
  async fetch(request, env) {
    /** @type {any} */ (globalThis).cpbTest = { base: env.BASE, other: env.OTHER, all: env.ALL, env };
    const file = new URL(request.url).pathname.slice(1);
    /** @type {import('../support/test.js').Result[]} */
    let results = [];
    try {
      await import(`../../../${file}`);
      const { runCollected } = await import('../support/test.js');
      results = await runCollected();
    } catch (error) {
      const { name, message, stack } = /** @type {Error} */ (error);
      errors.push(`${file} cannot be loaded: ${name}: ${message}\n${stack}`);
    }
    return Response.json({ results, errors: errors.splice(0) });
  },
};
