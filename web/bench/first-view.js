// Time, bytes, requests, processor time and memory until a page shows a model, over a slow
// link and from an empty cache: the inspector compared with Netron.
//
//   node web/inspector/build.js
//   python3 -m pip download --no-deps --require-hashes -r web/bench/netron.txt -d build/netron
//   python3 -m zipfile -e build/netron/*.whl build/netron
//   CPB_TEST_ALL=1 python3 tests/support/models.py facts_tfk_mobilenet ...   # see `views` below
//   cp -r tests/data/samediff build/models
//   node web/bench/first-view.js [--mbit 20] [--delay 50] [--rounds 3] [NAME ...]
//
// One server has pages and models. It answers 50 ms after each request, and then at 20 Mbit/s in
// total. It compresses the pages' own files (gzip), as hosts of pages do, but not models. Chromium
// is started again for each view. A view is complete when the inspector shows its headline (in the
// overview), the graph's boxes, or a tensor's statistics, and when Netron has drawn a node of the graph.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openPage } from '../test/support/chromium.js';
import { ready, refusal, servePages } from './pages.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mbit: { type: 'string', default: '20' },
    delay: { type: 'string', default: '50' },
    log: { type: 'boolean', default: false }, // each request
    rounds: { type: 'string', default: '3' },
    page: { type: 'string', multiple: true, default: ['inspector', 'netron'] },
    inspector: { type: 'string', default: join(root, 'build/inspector') },
    netron: { type: 'string', default: join(root, 'build/netron/netron') },
    models: { type: 'string', default: join(root, 'build/models') },
    seconds: { type: 'string', default: '240' },
  },
});

const pages = await servePages({
  mbit: Number(options.mbit),
  delay: Number(options.delay),
  log: options.log,
  folders: { inspector: options.inspector, netron: options.netron, models: options.models },
});

// --- What is looked at -------------------------------------------------------------

/**
 * Names, files in build/models, and places in the inspector.
 *
 * @type {[name: string, file: string, view?: 'graph' | 'values', at?: string][]}
 */
const views = [
  ['tf_keras MobileNetV2', 'facts_tfk_mobilenet/saved_model.pb'],
  ['tf_keras MobileNetV2, graph', 'facts_tfk_mobilenet/saved_model.pb', 'graph'],
  ['tf_keras ResNet50', 'facts_tfk_resnet/saved_model.pb'],
  ['tf_keras ResNet50, graph', 'facts_tfk_resnet/saved_model.pb', 'graph'],
  ['tf_keras BiLSTM', 'facts_tfk_bilstm/saved_model.pb'],
  ['Keras 3 MobileNetV2', 'facts_k3_mobilenet/saved_model.pb'],
  ['Keras 3 ResNet50', 'facts_k3_resnet/saved_model.pb'],
  ['Keras 3 transformer', 'facts_k3_transformer/saved_model.pb'],
  ['Keras 3 transformer, graph', 'facts_k3_transformer/saved_model.pb', 'graph'],
  ['module with tables and loops', 'facts_module/saved_model.pb'],
  ['module with a custom operation', 'facts_custom/saved_model.pb'],
  ['module with a custom operation, graph', 'facts_custom/saved_model.pb', 'graph'],
  ['12,001 nodes', 'facts_nodes/saved_model.pb'],
  ['12,001 nodes, graph', 'facts_nodes/saved_model.pb', 'graph'],
  ['two meta graphs of TensorFlow 1', 'saved_models_v1/saved_model.pb'],
  ['SameDiff zip of three tags', 'samediff/three_tags.zip'],
  ['SameDiff zip of three tags, graph', 'samediff/three_tags.zip', 'graph'],
  ['constants of 336 MB', 'facts_constants/saved_model.pb'],
  ['one of 16 MB of them', 'facts_constants/saved_model.pb', 'values', 'layer_0/weight'],
];

// --- Looking -----------------------------------------------------------------------

/** Processes by their number: that of the parent, and the seconds of work so far. */
function processes() {
  /** @type {Map<number, { parent: number, cpu: number }>} */
  const found = new Map();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const [, , parent, ...rest] = [
        0,
        ...(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []),
      ];
      found.set(Number(name), { parent: Number(parent), cpu: (Number(rest[9]) + Number(rest[10])) / 100 });
    } catch {
      // It has ended.
    }
  }
  return found;
}

/** For this program's browser: the memory of the page's process in megabytes, and the CPU seconds of all processes. */
function taken() {
  const all = processes();
  const isOurs = (/** @type {number} */ pid) => {
    for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (at === process.pid) return true;
    return false;
  };
  let [memory, cpu] = [0, 0];
  for (const [pid, { cpu: seconds }] of all) {
    if (pid === process.pid || !isOurs(pid)) continue;
    cpu += seconds;
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    memory = Math.max(memory, Number(kilobytes) / 1024);
  }
  return { memory, cpu };
}

/**
 * Reports when the view is there, counted from the start of navigation, or why it never will be.
 *
 * @param {string} condition
 */
const watch = (condition) => `(() => {
  document.cookie = 'consent=1'; // Netron asks for it once, which is no part of this
  const look = () => {
    if (${condition}) window.thereAt = performance.now();
    else if (!(window.refused = ${refusal})) setTimeout(look, 15);
  };
  look();
})()`;

/** @param {string} page @param {string} file @param {string} view @param {string} at */
async function look(page, file, view, at) {
  const tab = await openPage('about:blank');
  try {
    await sleep(500);
    const before = taken().cpu;
    await tab.send('Page.enable');
    const condition = page === 'netron' ? ready.netron : ready[/** @type {keyof typeof ready} */ (view)];
    await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: watch(condition) });
    pages.begin();
    const begun = performance.now();
    await tab.send('Page.navigate', { url: pages.addressOf(page, file, view, at) });
    let [there, refused] = [0, ''];
    while (!there && !refused && performance.now() - begun < 1000 * Number(options.seconds)) {
      await sleep(50);
      [there, refused] = await tab.evaluate(`[window.thereAt ?? 0, window.refused ?? '']`).catch(() => [0, '']);
    }
    const seconds = (there || Infinity) / 1000;
    const { memory, cpu } = taken();
    return { seconds, refused, cpu: cpu - before, memory, ...pages.taken };
  } finally {
    await tab.close();
  }
}

/** @param {string} page @param {(typeof views)[number]} which */
async function measure(page, [name, file, view = 'overview', at = '']) {
  const rounds = [];
  for (let i = 0; i < Number(options.rounds); i++) {
    rounds.push(await look(page, file, view, at));
    if (rounds[0] && rounds[0].seconds > 20) break; // the link is what it takes, or it is refused
  }
  rounds.sort((a, b) => a.seconds - b.seconds);
  const { seconds, refused, cpu, memory, requests, bytes } = /** @type {typeof rounds[0]} */ (rounds[0]);
  const what = page === 'netron' ? `${name}, Netron` : name;
  const time = refused ? `refused: ${refused}` : seconds.toFixed(2);
  const cells = [what, time, cpu.toFixed(2), requests, bytes.toLocaleString('en'), memory.toFixed(0)];
  console.log(`| ${cells.join(' | ')} |`);
}

console.log('| view | seconds | CPU | requests | bytes | MB |\n|---|---|---|---|---|---|');
for (const which of views) {
  const [name, file, view] = which;
  if (positionals.length && !positionals.includes(name)) continue;
  if (!existsSync(join(options.models, file))) console.error(`${file} is not there`);
  else for (const page of options.page) if (page === 'inspector' || !view) await measure(page, which);
}
process.exit();
