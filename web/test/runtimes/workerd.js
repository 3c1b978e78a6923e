/** workerd through miniflare: all modules of the package and of its tests in one Worker. */
import { readFileSync, readdirSync } from 'node:fs';
import { root } from './files.js';
import { summary } from './browsers.js';
import { within } from './process.js';

/** @type {(folder: string, wanted: RegExp) => string[]} */
function list(folder, wanted) {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : list(path, wanted);
    return wanted.test(path) ? [path] : [];
  });
}

/** @returns {object[]} the entry first */
function modules() {
  const entry = 'web/test/runtimes/worker.js';
  const scripts = [entry, ...list('web/src', /\.js$/), ...list('web/test/support', /\.js$/), ...list('web/test', /^web\/test\/[^/]*\.test\.js$/)];
  const wasm = list('web/src', /\.wasm$/);
  return [
    ...scripts.map((path) => ({ type: 'ESModule', path: root + path, contents: readFileSync(root + path, 'utf8') })),
    ...wasm.map((path) => ({ type: 'CompiledWasm', path: root + path, contents: readFileSync(root + path) })),
  ];
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
  const open = () => new Miniflare({
    modulesRoot: root, modules: modules(), compatibilityDate: '2026-04-01', log: new Log(LogLevel.NONE),
    bindings: { BASE: server.base, OTHER: server.other }, r2Buckets: ['MODELS'],
  });
  let worker = open();
  return {
    async run(file, limit) {
      const answer = worker.dispatchFetch(`http://worker/${file}`).then(
        (/** @type {Response} */ response) => response.text(), (/** @type {Error} */ error) => String(error.stack));
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
