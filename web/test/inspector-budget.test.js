/** What the page reads of a model of 1 GB, counted by the server: for each action, and unasked. */
// runtimes: node
import { budgetOf } from '../inspector/src/model/budget.js';
import { readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { openPage } from './support/chromium.js';
import { click, found, compareItself, go, says, serve, type, watching } from './support/inspector.js';
import { largeOnnx, largeSavedModel } from './support/large-models.js';
import { assert, test } from './support/test.js';

/** Milliseconds of each answer: with less, the page asks as if asking were free. */
const DELAY = 20;

/**
 * The page with a model, and what is done there.
 *
 * @param {string} path
 * @param {import('./support/files.js').Sparse} file
 * @param {(act: (name: string, what: string, ready: string) => Promise<{ requests: number, bytes: number }>) => Promise<void>} use
 */
async function withPage(path, file, use) {
  const server = await serve({ [`/${path}`]: file });
  server.slow(DELAY);
  const page = await openPage('about:blank');
  const spent = () => {
    const lengths = server.ranges.splice(0).filter((one) => one.startsWith(`/${path} `));
    const bytes = lengths.reduce((sum, one) => sum + Number(one.split('+')[1]), 0);
    return { requests: lengths.length, bytes };
  };
  try {
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watching });
    await page.send('Page.navigate', { url: server.address(path) });
    await use(async (name, what, ready) => {
      await page.evaluate(what);
      await page.until(ready);
      let all = spent();
      for (let idle = 0; idle < 3; idle++) {
        await new Promise((resolve) => setTimeout(resolve, 5 * DELAY));
        const more = spent();
        if (more.requests) idle = -1;
        all = { requests: all.requests + more.requests, bytes: all.bytes + more.bytes };
      }
      console.log(`# ${path}, ${name}: ${all.requests} requests, ${all.bytes} bytes`);
      return all;
    });
    assert.deepEqual(await page.evaluate('broken'), []);
  } finally {
    await page.close();
    server.stop();
  }
}

/** @param {{ requests: number, bytes: number }} cost @param {number} requests @param {number} bytes */
function within(cost, requests, bytes) {
  assert.ok(cost.requests <= requests, `${cost.requests} requests; expected at most ${requests}`);
  assert.ok(cost.bytes <= bytes, `${cost.bytes} bytes; expected at most ${bytes}`);
}

/** Bytes of the model but its weights, and what a window around them may have. */
const STRUCTURE = 2 ** 20;

/** So many guesses of 4 KiB may be wrong (reader/equal-jumps.js). */
const GUESSES = 512;

test('an ONNX model: what nobody asked for stays within its budget, the rest has a price', async () => {
  const file = largeOnnx(250, 4 * 2 ** 20);
  const { size } = await file.source.stat();
  assert.ok(size > 10 ** 9);
  const budget = budgetOf(size);
  await withPage('large.onnx', file, async (act) => {
    const opened = await act('opening', '0', says('weights are not read yet: about'));
    within(opened, 10 + budget.requests, STRUCTURE + budget.bytes);
    within(await act('graph', go({ panel: 'graph' }), found('g.box')), 0, 0);
    within(await act('find', type('weight_17'), says('initializer weight_17 ')), 0, 0);
    within(await act('search', go({ panel: 'search', at: 'add_24' }), says('block/add_24')), 0, 0);
    within(await act('operations', go({ panel: 'operations' }), says('250 nodes in the graph')), 0, 0);
    within(await act('compare with itself', compareItself, says('nothing to compare')), 0, 0);
    await act('overview', go({ panel: 'overview' }), says('weights are not read yet: about'));
    const rest = await act('read them', click('Read them'), says('250 tensors'));
    // Each weight is passed over once; where the next one begins is guessed for 2 MiB at most.
    within(rest, 250 + GUESSES, STRUCTURE + 2 * 2 ** 20);
  });
});

test('a SavedModel: its overview, and what is read with it', async () => {
  const file = largeSavedModel(readFileSync(`${root}tests/data/cpb/real_tf_keras_functional/orig.pb`));
  const budget = budgetOf((await file.source.stat()).size);
  await withPage('model/saved_model.pb', file, async (act) => {
    within(await act('opening', '0', says('serving_default')), 10 + budget.requests, 2 * STRUCTURE + budget.bytes);
  });
});
