/** In workerd: a request for a test file runs it and answers with its results. */
export default {
  /**
   * @param {Request} request
   * @param {{BASE: string, OTHER: string}} env
   */
  async fetch(request, env) {
    /** @type {any} */ (globalThis).cpbTest = { base: env.BASE, other: env.OTHER, env };
    const file = new URL(request.url).pathname.slice(1);
    try {
      await import(`../../../${file}`);
      const { runCollected } = await import('../support/test.js');
      return Response.json({ results: await runCollected(), errors: [] });
    } catch (error) {
      const { name, message, stack } = /** @type {Error} */ (error);
      return Response.json({ results: [], errors: [`${file} cannot be loaded: ${name}: ${message}\n${stack}`] });
    }
  },
};
