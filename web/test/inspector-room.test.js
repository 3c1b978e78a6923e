/** The room on the inspector page, in Chromium: what the bar, the graph and its details take of a window. */
// runtimes: node
import { all, found } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { small } from './support/onnx.js';
import { assert, test } from './support/test.js';

const model = 'models/cpb/real_tf_keras_functional/max20000_zstd.cpb';
const inner = '__inference__wrapped_model_852';
const node = { panel: 'graph', at: inner, node: 'model/conv2d/BiasAdd' };

/** @typedef {import('./support/chromium.js').Page} Page */

/** @param {Page} page @param {number} width @param {number} height */
const resize = (page, width, height) =>
  page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });

/** @param {Page} page @param {string} key */
const press = async (page, key) => {
  const code = key.length > 1 ? key : `Key${key.toUpperCase()}`;
  const windowsVirtualKeyCode = key === 'Escape' ? 27 : undefined;
  for (const type of ['keyDown', 'keyUp'])
    await page.send('Input.dispatchKeyEvent', { type, key, code, windowsVirtualKeyCode });
};

/** Names of the tabs that can be seen. */
const tabs = `${all('[role=tab]')}.filter((one) => one.checkVisibility()).map((one) => one.textContent.trim())`;
const drawing = `(({ height, width, left }) => ({ high: height / innerHeight, width, left }))(${found('svg.window')}.getBoundingClientRect())`;

test('the graph has 85 % of a window’s height, 75 % of a small one’s, from edge to edge; nothing scrolls', () =>
  withInspector(async ({ page, visit }) => {
    for (const [width, height, least] of [
      [1440, 900, 0.85],
      [1024, 768, 0.75],
      [390, 844, 0.75],
    ]) {
      await resize(page, Number(width), Number(height));
      await visit(model, { panel: 'graph' }, 'nodes');
      await page.until(found('g.box'));
      const { high, left, width: wide } = await page.evaluate(drawing);
      assert.ok(high >= Number(least), `${width}: ${high}`);
      assert.deepEqual([left, wide], [0, width]);
      const { scrollWidth, scrollHeight } = await page.evaluate(
        `(({ scrollWidth, scrollHeight }) => ({ scrollWidth, scrollHeight }))(document.documentElement)`,
      );
      assert.deepEqual([scrollWidth, scrollHeight], [width, height]);
      const row = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(${found('[role=tablist]')})`;
      assert.equal(await page.evaluate(row), 0, 'all tabs are in the row');
    }
  }));

test('the border of the details moves by keys and by mouse, and stays there', () =>
  withInspector(async ({ page, visit }) => {
    await resize(page, 1200, 800);
    await visit(model, node, 'Used by');
    const border = found('[role=separator]');
    const state = `(() => { const one = ${border}; return [one.ariaOrientation, Number(one.ariaValueNow),
      Math.round(100 * ${found('.side')}.offsetWidth / innerWidth)]; })()`;
    assert.deepEqual(await page.evaluate(state), ['vertical', 29, 29]);
    await page.evaluate(`${border}.focus()`);
    await press(page, 'ArrowLeft');
    assert.deepEqual(await page.evaluate(state), ['vertical', 32, 32]);
    await press(page, 'End');
    assert.deepEqual(await page.evaluate(state), ['vertical', 80, 80]);
    const mouse = (/** @type {string} */ type, /** @type {number} */ x) =>
      page.send('Input.dispatchMouseEvent', { type, x, y: 400, button: 'left', buttons: 1, clickCount: 1 });
    await mouse('mousePressed', 240);
    await mouse('mouseMoved', 500);
    await mouse('mouseMoved', 600);
    await mouse('mouseReleased', 600);
    assert.deepEqual(await page.evaluate(state), ['vertical', 50, 50]);
    await visit(model, node, 'Used by');
    assert.deepEqual(await page.evaluate(state), ['vertical', 50, 50]);
    await resize(page, 390, 800);
    await page.until(`${border}.ariaOrientation === 'horizontal'`);
    assert.equal(await page.evaluate(`${border}.ariaValueNow`), '45');
  }));

test('F is full screen and back, but a letter in a field', () =>
  withInspector(async ({ page, visit }) => {
    await visit(model, { panel: 'graph' }, 'nodes');
    await page.until(found('g.box'));
    await press(page, 'f');
    await page.until(`document.fullscreenElement?.localName === 'cpb-inspector'`);
    await press(page, 'f');
    await page.until('!document.fullscreenElement');
    await page.evaluate(`${found('input[type=search]')}.focus()`);
    await press(page, 'f');
    assert.equal(await page.evaluate('document.fullscreenElement'), null);
  }));

test('a panel without contents has no tab unless a link leads there; on a phone the panels are a list', () =>
  withInspector(
    async ({ page, visit }) => {
      await resize(page, 1200, 800);
      await visit('models/samediff_small/minimal.zip', {}, 'default tag');
      await page.until(`${tabs}.length && !${tabs}.includes('Training')`);
      await visit('models/samediff_small/minimal.zip', { panel: 'training' }, 'no training configuration');
      assert.ok((await page.evaluate(tabs)).includes('Training'));
      await visit('small.onnx', {}, 'none custom');
      await page.until(`${tabs}.includes('Functions')`);
      await resize(page, 390, 844);
      assert.deepEqual(await page.evaluate(tabs), []);
      await page.evaluate(`(() => { const one = ${found('select.tabs')}; one.value = 'operations';
        one.dispatchEvent(new Event('change')); })()`);
      await page.until(`location.hash === '#panel=operations'`);
    },
    { '/small.onnx': small() },
  ));

test('the menu has the form that opens another model, and closes by Escape', () =>
  withInspector(async ({ page, visit, says }) => {
    await visit(model, {}, 'serving_default');
    const menu = found('#menu');
    assert.equal(await page.evaluate(`${menu}.checkVisibility()`), false);
    await page.evaluate(`${found('[popovertarget=menu]')}.click()`);
    assert.equal(await page.evaluate(`${menu}.checkVisibility()`), true);
    const within = `(({ left, right, top }) => left >= 0 && right <= innerWidth && top > 20)(${menu}.getBoundingClientRect())`;
    assert.equal(await page.evaluate(within), true);
    await press(page, 'Escape');
    assert.equal(await page.evaluate(`${menu}.checkVisibility()`), false);
    await page.evaluate(`(() => { const field = ${found('input[name=url]')}; field.value = 'models/samediff_small/minimal.zip';
      field.form.requestSubmit(); })()`);
    await says('default tag');
  }));
