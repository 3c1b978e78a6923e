/** The package as it is entered on this runtime: `const { open } = libcpb;`. */
import { runtime } from './test.js';

/** @type {Record<string, string>} */
const entries = { node: 'node', deno: 'node', bun: 'node', workerd: 'workerd' };

export const libcpb = await import(`../../src/${entries[runtime] ?? 'index'}.js`);

/** @type {(path: string) => Promise<WebAssembly.Module>} */
const imported = async (path) => (await import(path)).default;

// A Worker that writes says so, as the module that it needs is large.
if (runtime === 'workerd') {
  await libcpb.init({
    reader: await imported('../../src/wasm/reader.wasm'),
    full: await imported('../../src/wasm/full.wasm'),
    inspect: await imported('../../src/wasm/inspect.wasm'),
    models: await imported('../../src/wasm/models.wasm'),
    json: await imported('../../src/wasm/json.wasm'),
  });
}
