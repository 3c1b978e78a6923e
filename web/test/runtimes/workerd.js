/** workerd through miniflare: all modules of the package and of its tests in one Worker. */
import { readFileSync, readdirSync } from 'node:fs';
import { root } from './files.js';
import { summary } from './browsers.js';
import { within } from './process.js';

const entry = 'web/test/runtimes/worker.js';

/** @type {(folder: string) => string[]} */
function list(folder) {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((found) => {
    const path = `${folder}/${found.name}`;
    if (!found.isDirectory()) return path;
    return ['node_modules', 'runtimes', 'servers'].includes(found.name) ? [] : list(path);
  });
}

/** @returns {object[]} what the Worker is made of, the entry first */
function modules() {
  const files = [entry, ...list('web/src'), ...list('web/test')];
  return files.flatMap((path) => {
    const contents = readFileSync(root + path);
    if (path.endsWith('.wasm')) return { type: 'CompiledWasm', path: root + path, contents };
    return path.endsWith('.js') ? { type: 'ESModule', path: root + path, contents: contents.toString() } : [];
  });
}

/** @type {(text: string) => {results: import('../support/test.js').Result[], errors: string[]}} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { results: [], errors: [text] };
  }
}

/**
 * @param {{base: string, other: string}} server
 * @returns {Promise<import('./run.js').Session>}
 */
export async function startWorkerd(server) {
  const { Log, LogLevel, Miniflare } = await import('miniflare').catch(() => {
    throw new Error('miniflare is not installed; web/test/setup.sh does that');
  });
  const open = () =>
    new Miniflare({
      modulesRoot: root,
      modules: modules(),
      compatibilityDate: '2026-04-01',
      log: new Log(LogLevel.NONE),
      bindings: { BASE: server.base, OTHER: server.other, ALL: Boolean(process.env.CPB_TEST_ALL) },
      r2Buckets: ['MODELS'],
    });
  let worker = open();
  return {
    async run(file, limit) {
      const answer = worker.dispatchFetch(`http://worker/${file}`).then(
        (response) => response.text(),
        (/** @type {Error} */ error) => String(error.stack),
      );
      const text = (await within(answer, limit)) ?? `no answer after ${limit} ms`;
      const { results, errors } = parsed(text);
      if (errors.length > 0) {
        await worker.dispose();
        worker = open();
      }
      return summary(results, errors);
    },
    stop: () => worker.dispose(),
  };
}
