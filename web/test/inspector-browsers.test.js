/** The inspector page, as web/inspector/build.js makes it, in browsers: opened in every way, and used. */
// runtimes: chromium, firefox, webkit
import { page, visit } from './support/inspector-frame.js';
import { all, choose, named, until } from './support/inside.js';
import { assert, base, data, json, test } from './support/test.js';

const model = 'tests/data/cpb/real_tf_keras_functional/max20000_zstd.cpb';
const inner = '__inference__wrapped_model_852';

test('by URL: from a signature to its variables', () =>
  visit(`${page}?url=${encodeURIComponent(`${base}/${model}`)}#panel=signatures`, async ({ says, click }) => {
    await says('SignatureDef', inner, 'conv2d/kernel');
    await click('conv2d/kernel');
    await says('f32[3,3,1,4]', 'This object has no children');
  }));

test('a graph is opened, scope by scope, to a node, and saved', () =>
  visit(
    `${page}?url=${encodeURIComponent(`${base}/${model}`)}#panel=graph&open=/`,
    async ({ document, says, click }) => {
      await says('serving_default');
      const box = (/** @type {string} */ id) => all(document, 'svg.window g.box').find((one) => one.dataset.id === id);
      for (const id of ['model', 'model/conv2d', 'model/conv2d/Conv2D']) {
        await until(
          () => box(id),
          () => id,
        );
        box(id).dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
      }
      await says('Used by', 'conv2d/kernel', '3×3×1×4');
      /** @type {Blob[]} */
      const made = [];
      const { URL: urls } = /** @type {any} */ (document.defaultView);
      const make = urls.createObjectURL;
      urls.createObjectURL = (/** @type {Blob} */ blob) => (made.push(blob), make.call(urls, blob));
      for (const kind of ['SVG', 'PNG']) await click(kind);
      await until(
        () => made.length === 2,
        () => 'two files',
      );
      assert.ok((await made[0]?.text())?.includes('>Conv2D</text>'));
      assert.ok((made[1]?.size ?? 0) > 5000, `a picture of ${made[1]?.size} bytes`);
    },
  ));

test('by file: the values of a tensor', async () => {
  const file = new File([await data('tests/data/cpb/real_frozen_conv/orig.pb')], 'graph.pb');
  await visit(page, async ({ document, says, click }) => {
    choose(named(document, 'Open a file', 'input'), [file]);
    await says('Overview', 'Largest weights');
    await click('Bytes');
    await click('model/a/MatMul/ReadVariableOp/resource');
    await says('2,000', 'Standard deviation', '0.070364');
  });
});

test('by file: a file that is no model is named as what it is', async () => {
  const rows = /** @type {any[]} */ (await json('tests/data/foreign.json'));
  for (const name of ['lfs.onnx', 'page.onnx', 'links.pb', 'tfjs_model.json']) {
    const { text, base64, says: said } = rows.find((row) => row.name === name);
    const content = text ?? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    await visit(page, async ({ document, says }) => {
      choose(named(document, 'Open a file', 'input'), [new File([content], name)]);
      const shown = said.replace('12345678', '12,345,678');
      await says('Not a model', `${shown[0].toUpperCase()}${shown.slice(1)}`);
    });
  }
});

test('by folder: the model among its files', async () => {
  const files = [
    new File(['no model'], 'variables.index'),
    new File([await data(model)], 'saved_model.cpb'),
    new File(['x'], 'fingerprint.pb'),
  ];
  await visit(page, async ({ document, says }) => {
    choose(named(document, 'Open a folder', 'input'), files);
    await says('serving_default', '2.21.0', 'saved_model.cpb');
  });
});
