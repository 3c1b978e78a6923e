// Measures the cost of each action on the page with a model of 1 GB over a slow link: seconds, and requests and bytes of
// the model, counted by the server; and the same for reads that the page makes by itself afterwards, until it has made
// no read for a second.
//
//   node web/inspector/build.js && node web/bench/actions.js [KIND ...]
//
// The models are those of onnx-models.js, in Chromium, from an empty cache.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openPage } from '../test/support/chromium.js';
import { click, compareItself, found, go, says, type } from '../test/support/inspector.js';
import { kinds, makeModel } from './onnx-models.js';
import { servePages } from './pages.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mbit: { type: 'string', default: '20' },
    delay: { type: 'string', default: '50' },
    scale: { type: 'string', default: '1' },
    models: { type: 'string', default: join(root, 'build/models/onnx-views') },
  },
});
const folders = { inspector: join(root, 'build/inspector'), netron: '/none', models: options.models };
const pages = await servePages({
  mbit: Number(options.mbit),
  delay: Number(options.delay),
  folders,
  log: !!process.env.LOG,
});

const figures = `${found('.figures')}?.textContent`;
/** Name, what is done, and what is there then. @type {[string, string, string][]} */
const actions = [
  ['opened: the overview', '0', `${found('.head')}`],
  ['the graph', go({ panel: 'graph' }), found('g.box')],
  ['finding "weight"', type('weight'), found('[role=option][aria-selected]')],
  ['a search for "Relu"', go({ panel: 'search', at: 'Relu' }), says(' names ')],
  ['its operations', go({ panel: 'operations' }), says('10,000 nodes in the graph')],
  ['compared with itself', compareItself, says('nothing to compare')],
  ['back to the overview', go({ panel: 'overview' }), found('.head')],
  ['"Read them", if it is offered', `${click('Read them')}`, `/Parameters\\s*[0-9]/.test(${figures})`],
  ['the list of weights', go({ panel: 'variables' }), `${found('td')}`],
];

/** As long as it takes. @param {import('../test/support/chromium.js').Page} page @param {string} ready */
async function until(page, ready) {
  for (let minutes = 1; ; minutes++) {
    const error = await page.until(ready).then(
      () => undefined,
      (cause) => cause,
    );
    if (!error) return;
    if (minutes === 10) throw error;
  }
}

/** Until no request came for a second. @param {() => number} count */
async function quiet(count) {
  for (let before = -1; before !== count(); await sleep(1000)) before = count();
}

/** @param {string} kind */
async function visit(kind) {
  const { bytes } = makeModel(join(options.models, `${kind}.onnx`), kind, Number(options.scale));
  const page = await openPage('about:blank');
  await page.send('Page.enable');
  pages.begin();
  const start = performance.now();
  await page.send('Page.navigate', { url: pages.addressOf('inspector', `${kind}.onnx`, 'overview') });
  for (const [name, act, ready] of actions) {
    const begun = name.startsWith('opened') ? start : performance.now();
    if (!name.startsWith('opened')) pages.begin();
    await page.evaluate(act).catch(() => {}); // what is not offered cannot be pressed
    await until(page, ready);
    const seconds = ((performance.now() - begun) / 1000).toFixed(2);
    const at = { ...pages.taken.ofModels };
    await quiet(() => pages.taken.ofModels.requests);
    const { requests, bytes: all } = pages.taken.ofModels;
    const count = (/** @type {number} */ n) => n.toLocaleString('en');
    const cells = [seconds, at.requests, count(at.bytes), requests - at.requests, count(all - at.bytes)];
    console.log(`| ${kind}, ${(bytes / 1e6).toFixed(0)} MB | ${[name, ...cells].join(' | ')} |`);
  }
  await page.close();
}

mkdirSync(options.models, { recursive: true });
console.log('| model | action | seconds | requests | bytes | behind it, unasked: requests | bytes |');
console.log('|---|---|--:|--:|--:|--:|--:|');
for (const kind of positionals.length ? positionals : Object.keys(kinds)) await visit(kind);
process.exit();
