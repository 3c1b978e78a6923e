// Time, requests and bytes until a page shows an ONNX model of 1 GB and 10,000 nodes, over a slow
// link and from an empty cache, in three browsers: the inspector compared with Netron.
//
//   node web/inspector/build.js
//   python3 -m pip download --no-deps --require-hashes -r web/bench/netron.txt -d build/netron
//   python3 -m zipfile -e build/netron/*.whl build/netron
//   node web/bench/onnx-views.js [--browser NAME ...] [--page NAME ...] [--scale 0.1] [KIND ...]
//
// onnx-models.js makes the models (`kinds`), with `--scale` of their weights. The server is
// that of first-view.js. A browser is started again for each view. The overview is complete when it
// shows its headline, the graph when its boxes are drawn, and Netron when a node is drawn. Netron
// downloads the whole model, which takes 400 s for 1 GB.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launch } from '../test/runtimes/browsers.js';
import { within } from '../test/runtimes/process.js';
import { kinds, makeModel } from './onnx-models.js';
import { ready, refusal, servePages } from './pages.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mbit: { type: 'string', default: '20' },
    delay: { type: 'string', default: '50' },
    log: { type: 'boolean', default: false }, // each request
    rounds: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    page: { type: 'string', multiple: true, default: ['inspector', 'netron'] },
    browser: { type: 'string', multiple: true, default: ['chromium', 'firefox', 'webkit'] },
    inspector: { type: 'string', default: join(root, 'build/inspector') },
    netron: { type: 'string', default: join(root, 'build/netron/netron') },
    models: { type: 'string', default: join(root, 'build/models/onnx-views') },
    seconds: { type: 'string', default: '900' },
  },
});

/** @type {(outcome: { seconds: number, refused: string }) => void} */
let report = () => {};
const pages = await servePages({
  mbit: Number(options.mbit),
  delay: Number(options.delay),
  log: options.log,
  folders: { inspector: options.inspector, netron: options.netron, models: options.models },
  own({ pathname, searchParams }, response) {
    if (!pathname.startsWith('/-/')) return false;
    if (pathname === '/-/begin') pages.begin();
    if (pathname === '/-/there')
      report({ seconds: Number(searchParams.get('ms')) / 1000, refused: searchParams.get('refused') ?? '' });
    const isScript = pathname.endsWith('.js');
    response.writeHead(200, {
      'Content-Type': isScript ? 'text/javascript' : 'text/html',
      'Cache-Control': 'no-store',
    });
    response.end(/watch\.(html|js)$/.test(pathname) ? readFileSync(join(here, pathname.slice(3))) : '');
    return true;
  },
});

/** @param {any} browser @param {string} page @param {string} file @param {'overview' | 'graph'} view */
async function look(browser, page, file, view) {
  const condition = page === 'netron' ? ready.netron : ready[view];
  const query = new URLSearchParams({ page: pages.addressOf(page, file, view), condition, refusal });
  /** @type {Promise<{ seconds: number, refused: string }>} */
  const reported = new Promise((resolve) => (report = resolve));
  const { close } = launch(browser, `${pages.base}/-/watch.html?${query}`);
  try {
    const outcome = await within(reported, 1000 * Number(options.seconds));
    return { ...(outcome ?? { seconds: Infinity, refused: '' }), ...pages.taken };
  } finally {
    await close();
  }
}

/**
 * The fastest round.
 *
 * @param {any} browser
 * @param {string} page
 * @param {string} file
 * @param {'overview' | 'graph'} view
 */
async function best(browser, page, file, view) {
  const rounds = [];
  for (let i = 0; i < Number(options.rounds); i++) rounds.push(await look(browser, page, file, view));
  return /** @type {typeof rounds[0]} */ (rounds.sort((a, b) => a.seconds - b.seconds)[0]);
}

const count = (/** @type {number} */ n) => n.toLocaleString('en');
const time = (/** @type {{ seconds: number, refused: string }} */ { seconds, refused }) =>
  refused ? `refused: ${refused}` : Number.isFinite(seconds) ? seconds.toFixed(2) : `not in ${options.seconds} s`;

mkdirSync(options.models, { recursive: true });
const columns = ['until it asks', 'overview', 'graph', 'requests', 'bytes', 'times the structure', 'with the page'];
console.log(`| model | browser | page | ${columns.join(' | ')} |`);
console.log(`|---|---|---|${'--:|'.repeat(columns.length)}`);
for (const kind of positionals.length ? positionals : Object.keys(kinds)) {
  const file = `${kind}.onnx`;
  const { bytes, structure } = makeModel(join(options.models, file), kind, Number(options.scale));
  const size = `${kind}, ${(bytes / 1e6).toFixed(0)} MB`;
  for (const browser of options.browser)
    for (const page of options.page) {
      const overview = page === 'netron' ? undefined : await best(browser, page, file, 'overview');
      const graph = await best(browser, page, file, 'graph');
      const { ofModels: of } = graph;
      const times = [of.first.toFixed(2), overview ? time(overview) : '', time(graph)];
      const cells = [size, browser, page, ...times, of.requests, count(of.bytes)];
      const all = `${graph.requests}, ${count(graph.bytes)}`;
      console.log(`| ${[...cells, (of.bytes / structure).toFixed(1), all].join(' | ')} |`);
    }
}
process.exit();
