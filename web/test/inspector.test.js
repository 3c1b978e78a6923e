/** The inspector page, as it is built, in Chromium: opened, looked through, and without errors. */
import { all, button, click, found, serve, text, watching } from './support/inspector.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { temporary } from './runtimes/process.js';
import { openTab } from './support/chromium.js';
import { beside, HARM, HIDDEN, hostile } from './support/savedmodels.js';
import { assert, test } from './support/test.js';

const model = 'models/cpb/real_tf_keras_functional/max20000_zstd.cpb';
const bytes = readFileSync(`${root}tests/data/cpb/real_tf_keras_functional/max20000_zstd.cpb`);
const inner = '__inference__wrapped_model_852';

/**
 * @param {(page: import('./support/chromium.js').Page, server: Awaited<ReturnType<typeof serve>>,
 *   visit: (url: string, ...words: string[]) => Promise<void>) => Promise<void>} use
 * @param {Record<string, Uint8Array>} [files]
 */
async function withPage(use, files) {
  const server = await serve(files);
  const page = await openTab('about:blank');
  try {
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watching });
    await use(page, server, async (url, ...words) => {
      await page.send('Page.navigate', { url: 'about:blank' });
      await page.send('Page.navigate', { url });
      for (const word of words) await page.until(`${text}.includes(${JSON.stringify(word)})`);
    });
    assert.deepEqual(await page.evaluate('window.broken'), []);
  } finally {
    await page.close();
    server.stop();
  }
}

test('each panel shows what is in the model, and the page keeps its own rules', () =>
  withPage(async (page, { address }, visit) => {
    /** @type {[Record<string, string>, string[]][]} */
    const shows = [
      [{}, ['2.21.0', 'serving_default', 'f32[?,12,12,1]']],
      [{ panel: 'signatures' }, ['SignatureDef', 'conv2d/kernel', 'root.signatures.serving_default']],
      [{ panel: 'objects', at: 'root.layer_with_weights-0' }, ['kernel', 'f32[3,3,1,4]']],
      [{ panel: 'layers' }, ['_tf_keras_network', '2,847']],
      [{ panel: 'functions' }, [inner]],
      [{ panel: 'functions', at: inner }, ['Called by', 'conv2d/kernel']],
      [{ panel: 'graph', at: inner }, ['19 nodes', 'model']],
      [{ panel: 'bytes' }, ['constants', 'SaveV2/tensor_names']],
      [{ panel: 'file' }, ['chunks', 'fetched so far']],
      [{ panel: 'search', at: 'kernel' }, ['conv2d/kernel']],
    ];
    for (const [place, words] of shows) {
      await visit(address(model, place), ...words);
      assert.deepEqual(await page.evaluate('window.broken'), [], place.panel ?? 'overview');
    }
  }));

test('a variable shows its values from the file beside the model', () => {
  const folder = `${root}tests/data/cpb/real_tf_keras_functional`;
  const names = ['variables/variables.index', 'variables/variables.data-00000-of-00001'];
  const files = names.map((name) => [`/saved/${name}`, readFileSync(`${folder}/model/${name}`)]);
  return withPage(
    async (page, { address }, visit) => {
      const at = 'root.layer_with_weights-0.kernel';
      await visit(address('saved/saved_model.pb', { panel: 'objects', at }), 'conv2d/kernel', 'Standard deviation');
      assert.equal(await page.evaluate(`${found('dd')}.textContent`), '36');
      // The same model with nothing beside it.
      await visit(address('alone/saved_model.pb', { panel: 'objects', at }), 'conv2d/kernel', 'no children');
    },
    Object.fromEntries([
      ...files,
      ...['saved', 'alone'].map((name) => [`/${name}/saved_model.pb`, readFileSync(`${folder}/orig.pb`)]),
    ]),
  );
});

test('a SameDiff zip has its graph, and the values of its parameters', () =>
  withPage(async (page, { address }, visit) => {
    await visit(address('models/samediff_small/minimal.zip', { panel: 'graph' }), 'weights');
    await visit(address('models/samediff_small/minimal.zip', { panel: 'bytes', at: 'weights' }), 'Standard deviation');
    assert.equal(await page.evaluate(`${found('dd')}.textContent`), '4');
  }));

test('a graph without objects, signatures and variables has an overview too', () =>
  withPage(async (page, { address }, visit) => {
    await visit(address('models/cpb/real_frozen_conv/orig.pb'), 'Parameters', 'Largest weights');
    assert.equal(await page.evaluate(`${found('[role=alert]')}?.textContent`), undefined);
  }));

test('one goes from a signature to a variable, and back', () =>
  withPage(async (page, { address }, visit) => {
    await visit(address(model, { panel: 'signatures' }), 'conv2d/kernel');
    await page.evaluate(click('conv2d/kernel'));
    await page.until(`new URLSearchParams(location.hash.slice(1)).get('at') === 'root.layer_with_weights-0.kernel'`);
    await page.until(`${text}.includes('f32[3,3,1,4]')`);
    await page.evaluate('history.back()');
    await page.until(`${text}.includes('SignatureDef')`);
  }));

test('a URL that is no model says what is wrong', () =>
  withPage(async (page, { address }, visit) => {
    await visit(address('none.pb'));
    await page.until(`${found('[role=alert]')}?.textContent.includes('404')`);
  }));

test('a server that does not let the page read says which headers it needs', () =>
  withPage(async (page, { base }, visit) => {
    const other = await serve();
    try {
      await visit(`${base}?url=${encodeURIComponent(other.base + model)}`);
      await page.until(
        `${found('[role=alert]')}?.textContent.includes('Access-Control-Allow-Origin: ${base.slice(0, -1)}')`,
      );
    } finally {
      other.stop();
    }
  }));

test('files beside a SavedModel are looked for and counted; none of them is needed', () => {
  const files = Object.entries({ ...beside(), 'saved_model.cpb': bytes }).map(([name, content]) => [
    `/keras/${name}`,
    content,
  ]);
  return withPage(async (page, server, visit) => {
    await visit(server.address('keras/saved_model.cpb'), 'Fingerprint', '118527510556');
    await visit(server.address('keras/saved_model.cpb', { panel: 'layers' }), 'Functional', 'by_the_file');
    await page.evaluate(click('File'));
    await page.until(`${text}.includes('keras_metadata.pb')`);
    await visit(`${server.base}?url=examples/keras/saved_model.cpb#panel=layers`, '2,847');
    await page.evaluate(click('File'));
    await page.until(`${text}.includes('keras_metadata.pb (not found)')`);
  }, Object.fromEntries(files));
});

test('each of the examples opens', () =>
  withPage(async (page, { base }, visit) => {
    await visit(base, 'Or look at an example');
    const count = await page.evaluate(`${all('.examples button')}.length`);
    assert.ok(count >= 3);
    for (let i = 0; i < count; i++) {
      await visit(base, 'Or look at an example');
      await page.evaluate(`${all('.examples button')}[${i}].click()`);
      await page.until(`${text}.includes('Overview') && ${found('.head')}`);
      assert.ok((await page.evaluate('location.search')).startsWith('?url=examples'));
    }
  }));

test('names that are HTML, or that hide, are shown as text; circles end', () =>
  withPage(
    async (page, { address }, visit) => {
      /** @type {[Record<string, string>, string][]} */
      const places = [
        [{}, '<img src=x'],
        [{ panel: 'signatures', at: HARM }, '<script>broken'],
        [{ panel: 'objects' }, HARM],
        [{ panel: 'objects', at: `root.${HARM}` }, '\\u{202e}'],
        [{ panel: 'layers' }, 'Layer'],
        [{ panel: 'functions' }, '\\u{202e}'],
        [{ panel: 'functions', at: HARM }, 'Called by'],
        [{ panel: 'graph' }, 'nodes'],
        [{ panel: 'graph', at: HIDDEN }, '1 node'],
        [{ panel: 'search', at: 'img' }, HARM],
      ];
      for (const [place, word] of places) {
        await visit(address('hostile/saved_model.pb', place), word);
        await page.until(`!${text}.includes('Reading…')`);
        assert.equal(await page.evaluate(`${all('img, script:not([src])')}.length`), 0, place.panel);
        assert.ok(!/[\u0007\u202e]/.test(await page.evaluate(text)), place.panel);
        assert.deepEqual(await page.evaluate('broken'), [], place.panel);
      }
    },
    { '/hostile/saved_model.pb': hostile() },
  ));

test('a folder that is dropped is a model with what lies beside it', () =>
  withPage(async (page, { base }, visit) => {
    const { path, remove } = temporary();
    for (const [name, content] of Object.entries({ ...beside(), 'saved_model.cpb': bytes }))
      writeFileSync(`${path}/${name}`, content);
    await visit(base, 'Drop a model here');
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await page.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    for (const word of ['saved_model.cpb', 'serving_default', '118527510556'])
      await page.until(`${text}.includes(${JSON.stringify(word)})`);
    await page.evaluate(click('Layers'));
    await page.until(`${text}.includes('by_the_file')`);
    remove();
  }));

test('long work says how far it is, and can be cancelled', () =>
  withPage(async (page, server, visit) => {
    await visit(server.address(model), 'Overview');
    server.hold();
    await visit(server.address(model), 'Opening…');
    await page.evaluate(click('Cancel'));
    await page.until(`${text}.includes('Cancelled.')`);
    server.release();
    await page.evaluate(click('Try again'));
    await page.until(`${text}.includes('serving_default')`);
  }));

test('the inspector is an element of another page, with that page’s colours and rules', () =>
  withPage(async (page, { base }, visit) => {
    await visit(`${base}embedded.html`, 'SignatureDef', 'conv2d/kernel');
    const inspector = `document.querySelector('cpb-inspector')`;
    assert.equal(await page.evaluate(`${all('form')}.length`), 0, 'bare');
    assert.equal(await page.evaluate(`getComputedStyle(${button('conv2d/kernel')}).color`), 'rgb(138, 59, 18)');
    await page.evaluate(`window.events = []; for (const name of ['open', 'failed', 'navigate', 'progress'])
      ${inspector}.addEventListener(name, ({ type, detail }) => events.push([type, detail]))`);
    await page.evaluate(click('conv2d/kernel'));
    await page.until(`${text}.includes('f32[3,3,1,4]')`);
    assert.deepEqual(
      await page.evaluate(`[${inspector}.panel, ${inspector}.at, events.findLast(([type]) => type !== 'progress')[0]]`),
      ['objects', 'root.layer_with_weights-0.kernel', 'navigate'],
    );
    await page.evaluate(`${inspector}.panel = 'overview'; ${inspector}.src = 'examples/frozen/graph.pb'`);
    await page.until(`events.some(([type, detail]) => type === 'open' && detail.kind === 'graph_def')`);
    await page.until(`events.some(([type, detail]) => type === 'progress' && detail.bytes > 0)`);
    await page.evaluate(`${inspector}.src = 'none.pb'`);
    await page.until(`events.some(([type, detail]) => type === 'failed' && /404/.test(detail.message))`);
  }));

test('the address holds how a place is seen, and the meta graph wherever one goes', () =>
  withPage(async (page, { address }, visit) => {
    const inspector = `document.querySelector('cpb-inspector')`;
    const hash = `location.hash.slice(1)`;
    await visit(address(model, { panel: 'functions', first: '100', meta: '0' }), 'Functions');
    assert.deepEqual(await page.evaluate(`${inspector}.view`), { first: '100', meta: '0' });
    const places = await page.evaluate('history.length');
    const say = (/** @type {string} */ type, /** @type {object} */ detail) =>
      page.evaluate(`${inspector}.dispatchEvent(new CustomEvent('${type}', { detail: ${JSON.stringify(detail)} }))`);
    await say('see', { first: '', filter: 'a,b', wide: 1 });
    assert.equal(await page.evaluate(hash), 'panel=functions&meta=0&filter=a%2Cb&wide=1');
    assert.equal(await page.evaluate('history.length'), places, 'the same place');
    await say('go', { panel: 'graph', at: inner, view: { open: 'model' } });
    assert.equal(await page.evaluate(hash), `panel=graph&at=${inner}&meta=0&open=model`);
    assert.equal(await page.evaluate('history.length'), places + 1, 'another place');
    await page.evaluate('history.back()');
    await page.until(`${inspector}.view.filter === 'a,b' && ${inspector}.panel === 'functions'`);
  }));
