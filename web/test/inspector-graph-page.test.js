/** The panel with the graph, in Chromium: what it opens at, shows, finds and saves. */
// runtimes: node
import { createRequire } from 'node:module';
import { openTab } from './support/chromium.js';
import { all, button, click, found, serve, text, watching } from './support/inspector.js';
import { assert, test } from './support/test.js';

/** @type {(input: Buffer) => any} */
const sharp = createRequire(import.meta.url)('sharp');
const model = 'models/cpb/real_tf_keras_functional/max20000_zstd.cpb';
const inner = '__inference__wrapped_model_852';
const wrapper = '__inference_signature_wrapper_1024';

/** @typedef {import('./support/chromium.js').Page} Page */

/**
 * @param {Record<string, string>} place
 * @param {(page: Page) => Promise<void>} use
 * @param {string} [file]
 */
async function withGraph(place, use, file = model) {
  const server = await serve();
  const page = await openTab('about:blank');
  try {
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watching + saved });
    await page.send('Page.navigate', { url: server.address(file, { panel: 'graph', ...place }) });
    await page.until(found('svg.window g.box'));
    await use(page);
    assert.deepEqual(await page.evaluate('broken'), []);
  } finally {
    await page.close();
    server.stop();
  }
}

/** What is downloaded is kept: names and contents. */
const saved = `window.saved = [];
  const blobs = new Map();
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    const url = make.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function () {
    const blob = blobs.get(this.href);
    const kept = { name: this.download, type: blob.type };
    Object.defineProperty(kept, 'blob', { value: blob });
    saved.push(kept);
    blob.text().then((text) => (kept.text = text));
  };`;

/** Words of all boxes: labels as they are read aloud. */
const boxes = `${all('svg.window g.box')}.map((one) => one.getAttribute('aria-label'))`;
const drawn = `${all('svg.window text')}.map((one) => one.textContent.trim())`;
const hash = `Object.fromEntries(new URLSearchParams(location.hash.slice(1)))`;
const transform = `${found('svg.window .moved')}.getAttribute('transform')`;
const chosen = `${found('svg.window [aria-pressed=true]')}?.getAttribute('data-id')`;
/** The box whose label begins so. @param {string} label */
const box = (label) =>
  `${all('svg.window [role=button]')}.find((one) => one.getAttribute('aria-label').startsWith(${JSON.stringify(label)}))`;

test('the graph opens at the function of the default signature, from its argument to its result', () =>
  withGraph({}, async (page) => {
    assert.equal(
      await page.evaluate(`${found('select.places')}.selectedOptions[0].textContent.trim()`),
      'serving_default',
    );
    const labels = await page.evaluate(boxes);
    assert.ok(labels.includes('argument img, f32[?,12,12,1]'), String(labels));
    assert.ok(
      labels.some((/** @type {string} */ one) => one.startsWith('result a, f32[?,')),
      String(labels),
    );
    // What belongs to a layer is written in its box: variables by their names, not `unknown_0`.
    const words = await page.evaluate(drawn);
    for (const word of ['kernel', '3×3×1×4', '?×10×10×4']) assert.ok(words.includes(word), `${word} in ${words}`);
    assert.ok(!words.some((/** @type {string} */ one) => /unknown|ReadVariableOp|resource/.test(one)), String(words));
  }));

test('the picker goes to functions and to the whole graph', () =>
  withGraph({}, async (page) => {
    const choose = (/** @type {string} */ value) =>
      page.evaluate(`(() => { const one = ${found('select.places')}; one.value = ${JSON.stringify(value)};
        one.dispatchEvent(new Event('change')); })()`);
    await page.until(`[...${found('select.places')}.options].some(({ value }) => value === '${wrapper}')`);
    await choose('/');
    await page.until(`${boxes}.some((one) => one.includes('serving_default'))`);
    assert.equal(await page.evaluate(`${hash}.at`), '/');
    await choose(wrapper);
    await page.until(button('go into → _wrapped_model'));
  }));

test('a call has the name of the function, and leads into it; its captures are variables', () =>
  withGraph({ at: wrapper }, async (page) => {
    const words = await page.evaluate(drawn);
    for (const word of ['→ _wrapped_model', 'kernel', '3×3×1×4'])
      assert.ok(words.includes(word), `${word} in ${words}`);
    await page.evaluate(click('go into → _wrapped_model'));
    await page.until(`${hash}.at === '${inner}' && ${boxes}.includes('argument img, f32[?,12,12,1]')`);
  }));

test('control edges, and nodes that only they reach, are drawn on request', () =>
  withGraph({ at: inner }, async (page) => {
    const control = `${all('svg.window path.control')}.length`;
    const noOp = `${boxes}.some((one) => one.includes('NoOp'))`;
    assert.deepEqual(await page.evaluate(`[${control}, ${noOp}]`), [0, false]);
    await page.evaluate(`${all('label.switch input')}[0].click()`);
    await page.until(`${control} > 0 && ${noOp}`);
    assert.equal(await page.evaluate(`${hash}.control`), '1');
    await page.evaluate(`${all('label.switch input')}[0].click()`);
    await page.until(`${control} === 0 && !${noOp}`);
  }));

test('constants and variables are boxes on request', () =>
  withGraph({ at: inner, open: 'model model/conv2d' }, async (page) => {
    await page.evaluate(`${all('label.switch input')}[1].click()`);
    await page.until(`${boxes}.some((one) => one.startsWith('conv2d/kernel, variable'))`);
  }));

test('a link restores opened scopes, and the node in the middle', () =>
  withGraph({ at: inner, node: 'model/conv2d/BiasAdd', open: 'model model/conv2d' }, async (page) => {
    await page.until(`${chosen} === 'model/conv2d/BiasAdd'`);
    await page.until(`${text}.includes('Used by')`);
    const folded = await page.evaluate(`${all('g.frame')}.map((one) => one.getAttribute('aria-label'))`);
    assert.deepEqual(folded, ['fold model', 'fold model/conv2d']);
    const inside = await page.evaluate(`(() => {
      const [a, b] = [${found('svg.window')}, ${found('svg.window [aria-pressed=true]')}].map((one) => one.getBoundingClientRect());
      return b.top >= a.top && b.bottom <= a.bottom && b.left >= a.left && b.right <= a.right;
    })()`);
    assert.ok(inside);
    // A fold is a step of the history.
    await page.evaluate(click('fold model/conv2d'));
    await page.until(`${hash}.open === 'model' && ${all('g.frame')}.length === 1`);
    await page.evaluate('history.back()');
    await page.until(`${chosen} === 'model/conv2d/BiasAdd'`);
  }));

test('back leads to the part of the drawing that was seen, from another panel too', () =>
  withGraph({ at: inner, open: 'model' }, async (page) => {
    await page.evaluate(click('Larger'));
    const before = await page.evaluate(transform);
    await page.evaluate(`${box('open scope conv2d')}.dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
    await page.until(`${all('g.frame')}.length === 2`);
    await page.evaluate(click('Fit'));
    const opened = await page.evaluate(transform);
    await page.evaluate('history.back()');
    await page.until(`${all('g.frame')}.length === 1 && ${transform} === ${JSON.stringify(before)}`);
    await page.evaluate('history.forward()');
    await page.until(`${all('g.frame')}.length === 2 && ${transform} === ${JSON.stringify(opened)}`);
    await page.evaluate('history.back()');
    await page.until(`${transform} === ${JSON.stringify(before)}`);
    await page.evaluate(click('Operations'));
    await page.until(`${text}.includes('No custom operations')`);
    await page.evaluate('history.back()');
    await page.until(`${found('svg.window .moved')} && ${transform} === ${JSON.stringify(before)}`);
  }));

test('an open scope is drawn round its nodes, and round nothing else', () =>
  withGraph({ at: inner, open: 'model model/conv2d model/a model/b' }, async (page) => {
    await page.until(`${all('g.frame')}.length === 4`);
    const wrong = await page.evaluate(`(() => {
      const frames = ${all('g.frame')}.map((one) => [one.getAttribute('aria-label').slice(5), one.getBoundingClientRect()]);
      return ${all('g.box')}.flatMap((one) => frames.flatMap(([scope, frame]) => {
        const [id, box] = [one.dataset.id, one.getBoundingClientRect()];
        const within = box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
        const outside = box.left >= frame.right || box.right <= frame.left || box.top >= frame.bottom || box.bottom <= frame.top;
        return (id.startsWith(scope + '/') ? within : outside) ? [] : [id + ' and ' + scope];
      }));
    })()`);
    assert.deepEqual(wrong, []);
    const bare = await page.evaluate(`${all('text.scope')}.filter((one) => {
      const [name, ground] = [one.getBBox(), one.previousElementSibling.getBBox()];
      return ground.x > name.x || ground.x + ground.width < name.x + name.width;
    }).map((one) => one.textContent)`);
    assert.deepEqual(bare, [], 'each name hides the edge below it');
  }));

test('beside a node: what it takes with shapes, who uses it, its attributes', () =>
  withGraph({ at: inner, node: 'model/conv2d/Conv2D' }, async (page) => {
    await page.until(`${text}.includes('Used by')`);
    const words = await page.evaluate(`${found('cpb-graph-details')}.shadowRoot.textContent.replace(/\\s+/g, ' ')`);
    for (const word of [
      'f32[?,12,12,1]',
      'conv2d/kernel',
      'f32[3,3,1,4]',
      'f32[?,10,10,4]',
      'model/conv2d/BiasAdd',
      'strides',
      '[1, 1, 1, 1]',
    ])
      assert.ok(words.includes(word), `${word} in ${words}`);
    await page.evaluate(`${all('button.link')}.find((one) => one.textContent.trim() === 'conv2d/kernel').click()`);
    await page.until(`${text}.includes('Variable') && ${text}.includes('See its values')`);
  }));

test('Ctrl+F finds nodes, layers and variables while one types, and leads there', () =>
  withGraph({}, async (page) => {
    const key = (/** @type {object} */ options) =>
      page.evaluate(`dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ cancelable: true, ...options })}))`);
    await key({ key: 'f', ctrlKey: true });
    assert.equal(await page.evaluate(`${found('cpb-graph-find')}.shadowRoot.activeElement?.tagName`), 'INPUT');
    await page.send('Input.insertText', { text: 'conv2d' });
    const list = `${all('[role=option]')}.map((one) => one.textContent.replace(/\\s+/g, ' ').trim())`;
    await page.until(`${list}.some((one) => one.startsWith('variable conv2d/kernel'))`);
    const seen = await page.evaluate(list);
    assert.ok(
      seen.some((/** @type {string} */ one) => /^scope model\/conv2d/.test(one)),
      String(seen),
    );
    assert.ok(
      seen.some((/** @type {string} */ one) => /^node model\/conv2d\/Conv2D/.test(one)),
      String(seen),
    );
    await page.evaluate(
      `${all('[role=option]')}.find((one) => /node\\s*model\\/conv2d\\/Conv2D/.test(one.textContent.replace(/\\s+/g, ' ').trim())).click()`,
    );
    await page.until(`${chosen} === 'model/conv2d/Conv2D' && ${hash}.node === 'model/conv2d/Conv2D'`);
  }));

test('a result found before the graph is loaded leads to the graph that has it', () =>
  withGraph({}, async (page) => {
    const find = found('cpb-graph-find');
    // So it is until the graph is there.
    await page.evaluate(`${find}.at = '', ${find}.text = 'conv2d/Relu'`);
    await page.until(`${all('[role=option]')}.length || ((${find}.shown = true), false)`);
    await page.until(`${all('[role=option]')}.some((one) => one.textContent.includes('model/conv2d/Relu'))`);
    await page.evaluate(`${all('[role=option]')}.find((one) => one.textContent.includes('model/conv2d/Relu')).click()`);
    await page.until(`${hash}.node === 'model/conv2d/Relu' && ${text}.includes('Used by')`);
    assert.equal(await page.evaluate(`${hash}.at`), inner);
  }));

test('the wheel zooms about the pointer, dragging moves, keys zoom and fit', () =>
  withGraph({ at: inner }, async (page) => {
    const { x, y } = await page.evaluate(`(({ x, y }) => ({ x, y }))(${found('svg.window')}.getBoundingClientRect())`);
    const before = await page.evaluate(transform);
    const under = (/** @type {number} */ left, /** @type {number} */ top) =>
      page.evaluate(`(() => { const at = ${found('svg.window .moved')}.getScreenCTM().inverse();
        return [at.a * ${left} + at.e, at.d * ${top} + at.f].map(Math.round); })()`);
    const point = await under(x + 100, y + 80);
    await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: x + 100, y: y + 80, deltaX: 0, deltaY: -240 });
    await page.until(`${transform} !== ${JSON.stringify(before)}`);
    const after = await under(x + 100, y + 80);
    assert.ok(
      after.every((/** @type {number} */ n, /** @type {number} */ i) => Math.abs(n - point[i]) <= 1),
      'what the pointer is on stays there',
    );
    const mouse = (/** @type {string} */ type, /** @type {number} */ left) =>
      page.send('Input.dispatchMouseEvent', { type, x: left, y: y + 150, button: 'left', buttons: 1, clickCount: 1 });
    const zoomed = await page.evaluate(transform);
    await mouse('mousePressed', x + 40);
    await mouse('mouseMoved', x + 60);
    await mouse('mouseMoved', x + 90);
    await mouse('mouseReleased', x + 90);
    const moved = await page.evaluate(transform);
    const left = (/** @type {string} */ value) => Number(/translate\(([-\d.]+)/.exec(value)?.[1]);
    assert.equal(Math.round(left(moved) - left(zoomed)), 50);
    await page.evaluate(`${found('svg.window')}.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }))`);
    assert.ok((await page.evaluate(transform)) !== moved);
  }));

test('the drawing is saved: SVG that stands alone, and PNG', () =>
  withGraph({ at: inner, open: 'model model/conv2d' }, async (page) => {
    await page.evaluate(click('SVG'));
    await page.until('saved[0]?.text');
    const { name, text: saved } = await page.evaluate('saved[0]');
    assert.equal(name, 'wrapped_model.svg');
    for (const word of ['Conv2D', 'BiasAdd', 'kernel', '3×3×1×4', '<title>max20000_zstd.cpb · _wrapped_model</title>'])
      assert.ok(saved.includes(word), word);
    assert.ok(!/light-dark|var\(|<style|class=|aria-|<!--/.test(saved), 'it needs no stylesheet');
    // Another program draws the bands of categories, too.
    const drawn = sharp(Buffer.from(saved)).removeAlpha().raw();
    const { data, info } = await drawn.toBuffer({ resolveWithObject: true });
    const colours = new Set();
    for (let i = 0; i < data.length; i += 3) colours.add(data.subarray(i, i + 3).toString('hex'));
    for (const colour of ['3f7fe0', 'c2553f', 'ffffff']) assert.ok(colours.has(colour), colour);
    await page.evaluate(click('PNG'));
    await page.until('saved[1]?.text');
    assert.deepEqual(await page.evaluate('[saved[1].name, saved[1].type, saved[1].text.slice(1, 4)]'), [
      'wrapped_model.png',
      'image/png',
      'PNG',
    ]);
    const size = await page.evaluate(
      `createImageBitmap(saved[1].blob).then(({ width, height }) => ({ width, height }))`,
    );
    assert.deepEqual(size, { width: 2 * info.width, height: 2 * info.height });
  }));

/** @param {Page} page @param {string} name */
async function press(page, name) {
  for (const type of ['keyDown', 'keyUp']) await page.send('Input.dispatchKeyEvent', { type, key: name, code: name });
}

test('the graph is walked through by keyboard, along its edges; a scope keeps the focus when it opens and folds', () =>
  withGraph({ at: inner, open: '/' }, async (page) => {
    await page.until(box('open scope model, '));
    const at = `${found('cpb-graph')}.shadowRoot.activeElement?.getAttribute('aria-label')`;
    await page.evaluate(`${all('svg [tabindex="0"]')}[0].focus()`);
    assert.equal(await page.evaluate(at), 'argument img, f32[?,12,12,1]');
    await press(page, 'ArrowDown');
    assert.ok((await page.evaluate(at)).startsWith('open scope model, '));
    await press(page, 'Enter');
    await page.until(box('open scope conv2d, 3 nodes'));
    assert.equal(await page.evaluate(`${hash}.open`), 'model');
    await page.until(`${at} === 'fold model'`);
    await press(page, 'Enter');
    await page.until(`${at}?.startsWith('open scope model, ')`);
    await press(page, 'Enter');
    await page.until(`${at} === 'fold model'`);
    await page.evaluate(`${box('flatten, ')}.focus()`);
    await press(page, 'ArrowDown');
    assert.match(await page.evaluate(at), /^open scope [ab], /);
    await press(page, 'ArrowUp');
    assert.ok((await page.evaluate(at)).startsWith('flatten, '));
  }));

test('the inputs of a node and the path to another are highlighted and listed; a step back ends each', () =>
  withGraph({ at: inner, open: 'model', node: 'model/flatten/Reshape' }, async (page) => {
    const pale = `${all('svg.window g.box.pale')}.map((one) => one.dataset.id).sort()`;
    const lit = `${all('svg.window path.lit')}.length`;
    const list = `${all('ol li')}.map((one) => one.textContent.replace(/\\s+/g, ' ').trim())`;
    await page.until(button('All it needs'));
    assert.deepEqual(await page.evaluate(pale), []);
    await page.evaluate(click('All it needs'));
    await page.until(`${pale}.length`);
    assert.deepEqual(await page.evaluate(pale), ['model/a', 'model/b', 'return:identity', 'return:identity_1']);
    assert.equal(await page.evaluate(lit), 2);
    assert.equal((await page.evaluate(list))[0], '1 model/conv2d/Relu Relu');
    await page.evaluate('history.back()');
    await page.until(`!${pale}.length`);
    await page.evaluate(click('Way to…'));
    await page.until(`${text}.includes('Choose the other node')`);
    await page.evaluate(`${box('argument img')}.dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
    await page.until(`${hash}.to === 'img' && ${pale}.length`);
    assert.equal(await page.evaluate(`${hash}.node`), 'model/flatten/Reshape');
    assert.deepEqual((await page.evaluate(list))[0], '0 img argument');
  }));

test('all is opened as far as there is room, and coloured by what one chooses, with a legend', () =>
  withGraph({ at: inner }, async (page) => {
    await page.evaluate(click('Open all'));
    await page.until(`${hash}.open?.split(' ').sort().join(' ') === 'model model/a model/b model/conv2d'`);
    const legend = `[...${found('ul.legend')}.children].map((one) => one.textContent.trim())`;
    await page.until(`${legend}.join('; ') === 'products, convolutions; activation; shape and type'`);
    await page.evaluate(`(() => { const one = ${found('select.colours')}; one.value = 'type';
      one.dispatchEvent(new Event('change')); })()`);
    await page.until(`${hash}.colour === 'type'`);
    await page.until(`${legend}.join() === 'f32'`);
    const fill = `${box('Conv2D, ')}.querySelector('.band').getAttribute('fill')`;
    assert.equal(await page.evaluate(fill), await page.evaluate(`${found('ul.legend rect')}.getAttribute('fill')`));
  }));

test('a SameDiff graph has its placeholders, parameters and outputs', () =>
  withGraph(
    {},
    async (page) => {
      const labels = await page.evaluate(boxes);
      assert.ok(labels.includes('input x, f64[?,2]') && labels.includes('output y, f64'), String(labels));
      assert.ok((await page.evaluate(drawn)).includes('weights'));
    },
    'models/samediff_small/minimal.zip',
  ));

test('two fingers zoom and move the drawing', () =>
  withGraph({ at: inner }, async (page) => {
    const { x, y } = await page.evaluate(`(({ x, y }) => ({ x, y }))(${found('svg.window')}.getBoundingClientRect())`);
    const scale = `Number(/scale\\(([\\d.]+)/.exec(${transform})[1])`;
    const before = await page.evaluate(scale);
    const touch = (/** @type {string} */ type, /** @type {number} */ apart) =>
      page.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd' ? [] : [1, -1].map((side, id) => ({ x: x + 200 + side * apart, y: y + 90, id })),
      });
    await touch('touchStart', 30);
    for (const apart of [40, 50, 60]) await touch('touchMove', apart);
    await touch('touchEnd', 0);
    const factor = (await page.evaluate(scale)) / before;
    assert.ok(factor > 1.8 && factor < 2.2, `${factor} times as large`);
  }));

test('the search panel finds while one types', () =>
  withGraph({}, async (page) => {
    await page.evaluate(click('Search'));
    await page.until(found('form[role=search] input'));
    await page.evaluate(`${found('form[role=search] input')}.focus()`);
    await page.send('Input.insertText', { text: 'conv2d/ker' });
    await page.until(`${all('td button.link')}.some((one) => one.textContent.trim() === 'conv2d/kernel')`);
    await page.evaluate(`${all('td button.link')}[0].click()`);
    await page.until(`${hash}.panel === 'variables'`);
  }));
