/** What the inspector's panels say, against the answers they come from and what TensorFlow said. */
import { readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { all, click, found } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { libcpb } from './support/libcpb.js';
import { unpackSameDiff } from './support/models.js';
import { assert, test } from './support/test.js';

/** A model of the corpus with what lies beside it, as files of a server. @param {string} name */
function folder(name) {
  const path = `${root}tests/data/cpb/${name}`;
  const beside = ['fingerprint.pb', 'variables/variables.index', 'variables/variables.data-00000-of-00001'];
  return {
    [`/${name}/saved_model.pb`]: readFileSync(`${path}/orig.pb`),
    ...Object.fromEntries(beside.map((file) => [`/${name}/${file}`, readFileSync(`${path}/model/${file}`)])),
  };
}

const [twice, keras] = ['real_keras_export', 'real_tf_keras_functional'];

/** What the model itself answers. @param {string} name */
const asked = (name) => libcpb.inspect(readFileSync(`${root}tests/data/cpb/${name}/orig.pb`));

test('variables: the largest first, sorted and filtered as the link says; one leads to its values', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    const { variables } = await (await asked(keras)).ask('variables', { count: 'all' });
    const elements = (/** @type {any} */ one) =>
      one.shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    const sizes = variables.items.map(elements).sort((/** @type {number} */ a, /** @type {number} */ b) => b - a);
    await visit(`${keras}/saved_model.pb`, { panel: 'variables' }, 'a/kernel');
    const shown = await rows();
    assert.equal(shown.length, variables.total);
    assert.deepEqual(shown[0], ['a/kernel', 'a', 'float32', '[400, 5]', '7.8 KiB', '70 %']);
    assert.equal(sizes[0], 400 * 5);
    await page.evaluate(click('Name ↕'));
    await page.until(`location.hash.includes('sort=name')`);
    const names = variables.items.map((/** @type {any} */ one) => one.name).sort();
    assert.deepEqual(
      (await rows()).map(([name]) => name?.replace(/ not trainable$/, '')),
      names,
    );
    await visit(`${keras}/saved_model.pb`, { panel: 'variables', q: 'conv2d', sort: '-size' }, 'conv2d/bias');
    assert.deepEqual(
      (await rows()).map(([name]) => name),
      ['conv2d/bias', 'conv2d/kernel'],
    );
    await page.evaluate(click('conv2d/kernel'));
    await says('Standard deviation');
    assert.equal(await page.evaluate(`${found('dd')}.textContent`), '36');
    assert.equal(await page.evaluate(`new URLSearchParams(location.hash.slice(1)).get('q')`), 'conv2d');
  }, folder(keras)));

test('a Keras 3 export stores each weight twice: listed once, with both figures', () =>
  withInspector(async ({ visit, rows }) => {
    const { variables } = await (await asked(twice)).ask('overview');
    assert.equal(variables.total, 16);
    await visit(`${twice}/saved_model.pb`, { panel: 'variables' }, '16 variables are stored, but only 8 weights');
    const shown = await rows();
    assert.equal(shown.length, 8);
    assert.deepEqual(shown[0], [
      'sequential/dense/kernel',
      'sequential/dense',
      'float32',
      '[8, 16]',
      '512 B',
      '49.4 %',
    ]);
    // The second of the two is found, too.
    await visit(`${twice}/saved_model.pb`, { panel: 'variables', at: 'root._all_variables.0' }, 'Standard deviation');
  }, folder(twice)));

test('operations are counted in the graph, each leads to its nodes', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    const { ops } = await (await asked(keras)).ask('ops', { count: 'all' });
    await visit(`${keras}/saved_model.pb`, { panel: 'operations' }, 'None is custom');
    const shown = (await rows()).map(([op, uses, , , graph, functions]) => [op, uses, graph, functions].join(' '));
    const right = ops.items.map((/** @type {any} */ one) =>
      [one.op, one.count, one.in_graph, one.in_functions].join(' '),
    );
    assert.deepEqual(shown, right);
    await page.evaluate(click('Conv2D'));
    await says('model/conv2d/Conv2D');
  }, folder(keras)));

test('strings show their text, and what is no text its bytes; a scalar its value', () => {
  const strings = unpackSameDiff().find((path) => path.endsWith('strings_nonascii_a.fb')) ?? '';
  return withInspector(
    async ({ page, visit }) => {
      const texts = () => page.evaluate(`${all('.texts li')}.map((one) => one.innerText)`);
      const model = await asked('real_tf_module');
      const bytes = await (await model.values('Const', { exactTexts: true })).bytes();
      const length = new DataView(bytes.buffer).getUint32(0, true);
      const first = new TextDecoder().decode(bytes.subarray(8, 8 + length));
      await visit('models/cpb/real_tf_module/orig.pb', { panel: 'bytes', at: 'Const' }, first);
      const shown = await texts();
      assert.deepEqual([shown.length, shown[0]], [50, first]);
      await visit('strings.fb', { panel: 'variables', at: 's' }, 'plain');
      assert.deepEqual(await texts(), ['caf\\xfd', 'plain']);
      const scalar = { panel: 'bytes', at: '__inference_h_84:while/maximum_iterations' };
      await visit('models/cpb/real_tf_module/orig.pb', scalar, 'int32 scalar');
      await page.until(`${found('.value')}?.innerText === '-1'`);
    },
    { '/strings.fb': readFileSync(strings) },
  );
});
