/** The inspector page with a model of 100,000 nodes in 2,000 functions: the page's thread stays free. */
// runtimes: node
// alone: it measures how long the page is busy
import { click, found, serve, text, watching } from './support/inspector.js';
import { openPage } from './support/chromium.js';
import { large } from './support/savedmodels.js';
import { assert, test } from './support/test.js';

/** No task of the page's thread may take longer, in milliseconds. */
const LONGEST = 200;

/** What takes long only once, something else on the machine made so. */
const TIMES = 3;

const tasks = `window.tasks = []; window.step = 'opening';
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => [step, Math.round(duration)])))
    .observe({ entryTypes: ['longtask'] });`;

/**
 * The steps of a visit that held the page up.
 *
 * @param {string} url
 */
async function visit(url) {
  const page = await openPage('about:blank');
  try {
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watching + tasks });
    await page.send('Page.navigate', { url });
    await page.until(`${text}.includes('serving_default')`);
    const step = async (/** @type {string} */ name, /** @type {string} */ act, /** @type {string} */ ready) => {
      await page.evaluate(`step = ${JSON.stringify(name)}; ${act}`);
      await page.until(ready);
    };
    await step('functions', click('Functions'), `${text}.includes('2,000 functions')`);
    await step(
      'graph',
      `history.pushState(0, '', '#panel=graph&at=/'); dispatchEvent(new PopStateEvent('popstate'))`,
      `${text}.includes('10,000 nodes') && ${found('g.box')}`,
    );
    for (const scope of ['tower_3', 'block_0', 'layer_1'])
      await step(
        scope,
        `${found(`g.scope[aria-label^="open scope ${scope}"]`)}.dispatchEvent(new MouseEvent('click', { bubbles: true }))`,
        `${found(`g.frame[aria-label$="${scope}"]`)}`,
      );
    await step(
      'node',
      `history.pushState(0, '', '#panel=graph&node=' + encodeURIComponent('tower_3/block_0/layer_1/op_10')); dispatchEvent(new PopStateEvent('popstate'))`,
      `${text}.includes('layer_5/op_50')`,
    );
    await step(
      'function',
      `history.pushState(0, '', '#panel=graph&at=__inference_step_7'); dispatchEvent(new PopStateEvent('popstate'))`,
      `${text}.includes('45 nodes')`,
    );
    await step('bytes', click('Bytes'), `${text}.includes('constants')`);
    await step(
      'search',
      `history.pushState(0, '', '#panel=search&at=op_99'); dispatchEvent(new PopStateEvent('popstate'))`,
      `${text}.includes('op_99')`,
    );
    assert.deepEqual(await page.evaluate('broken'), []);
    /** @type {[string, number][]} */
    const all = await page.evaluate('tasks');
    console.log(`# tasks over 50 ms: ${JSON.stringify(all)}`);
    return new Set(all.filter(([, duration]) => duration > LONGEST).map(([name]) => name));
  } finally {
    await page.close();
  }
}

test('100,000 nodes: opening, graphs, scopes and search never hold the page up', async () => {
  const server = await serve({ '/large/saved_model.pb': large(100_000, 2000) });
  try {
    const url = server.address('large/saved_model.pb');
    let slow = await visit(url);
    for (let left = TIMES - 1; slow.size > 0 && left > 0; left--) {
      const again = await visit(url);
      slow = new Set([...slow].filter((step) => again.has(step)));
    }
    assert.deepEqual([...slow], []);
  } finally {
    server.stop();
  }
});
