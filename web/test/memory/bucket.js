/**
 * The Worker of the examples, as it is, but for two more paths: /-/put fetches a model into
 * its bucket, /-/wasm tells how large WebAssembly's memory is.
 */
import { wasm } from './instances.js';
import worker from '../../examples/worker/worker.js';

export default {
  /** @param {Request} request @param {any} env */
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/-/wasm') return Response.json(wasm());
    if (pathname !== '/-/put') return worker.fetch(request, env);
    const { body } = await fetch(String(searchParams.get('url')));
    await env.MODELS.put(searchParams.get('key'), body);
    return new Response('it is there');
  },
};
