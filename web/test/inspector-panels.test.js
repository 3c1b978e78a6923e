/** What the inspector's panels say, against the answers they come from and what TensorFlow said. */
import { existsSync, readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { all, click, found, text } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { libcpb } from './support/libcpb.js';
import { sameDiffModels } from './support/models.js';
import { assert, test } from './support/test.js';

/** A model of the corpus with what lies beside it, as files of a server. @param {string} name */
function folder(name) {
  const path = `${root}tests/data/cpb/${name}`;
  const beside = [
    'fingerprint.pb',
    'keras_metadata.pb',
    'variables/variables.index',
    'variables/variables.data-00000-of-00001',
  ];
  return {
    [`/${name}/saved_model.pb`]: readFileSync(`${path}/orig.pb`),
    ...Object.fromEntries(
      beside
        .filter((file) => existsSync(`${path}/model/${file}`))
        .map((file) => [`/${name}/${file}`, readFileSync(`${path}/model/${file}`)]),
    ),
  };
}

const [twice, keras] = ['real_keras_export', 'real_tf_keras_functional'];

/** What the model itself answers. @param {string} name */
const asked = (name) => libcpb.inspect(readFileSync(`${root}tests/data/cpb/${name}/orig.pb`));

/** What the headline says. */
const headed = `${found('.head')}?.innerText.replace(/\\s+/g, ' ')`;

test('the overview begins with name, inputs, outputs, parameters and bytes', () =>
  withInspector(
    async ({ page, visit, says }) => {
      const { parameters } = await (await asked(keras)).ask('overview');
      await visit(`${keras}/saved_model.pb`, {}, 'Largest weights');
      const head = await page.evaluate(headed);
      for (const fact of [
        'SavedModel · Keras',
        'img f32[?,12,12,1] → a f32[?,5] b f32[?,2]',
        'Parameters 2,847 ',
        '2.21.0',
        'that the exporter lists, none custom; all, counted',
      ])
        assert.ok(head.includes(fact), `${fact}: ${head}`);
      const weights = `Weights ${(parameters.bytes / 1024).toFixed(1)} KiB ${parameters.tensors} variables`;
      assert.ok(head.includes(weights), head);
      // Each weight of Keras 3 counts once.
      await visit(`${twice}/saved_model.pb`, {}, 'Largest weights');
      await says('16 variables are stored for these 8 weights');
      assert.match(
        await page.evaluate(headed),
        /keras_tensor f32\[\?,8\] → output_0 f32\[\?,3\] Parameters 259 227 trainable Weights 1 KiB/,
      );
      await visit('models/cpb/real_frozen_conv/orig.pb', {}, 'none custom');
      assert.match(
        await page.evaluate(headed),
        /orig.pb img f32\[\?,12,12,1\] → Identity Identity Identity_1 Identity Parameters 2,847 Weights 11.1 KiB 6 tensors/,
      );
    },
    { ...folder(keras), ...folder(twice) },
  ));

test('the headline counts the parameters of a graph that the overview does not read', () => {
  const model = readFileSync(`${root}build/models/mobilenet/saved_model.pb`);
  return withInspector(
    async ({ page, visit }) => {
      const { constants, parameters } = await (await libcpb.inspect(model)).ask('constants', { count: 1_000_000 });
      const weights = constants.items.filter((/** @type {any} */ { use }) => use === 'weight');
      const total = weights.reduce((/** @type {number} */ sum, /** @type {any} */ { elements }) => sum + elements, 0);
      assert.deepEqual([parameters.total, parameters.tensors], [total, weights.length]);
      await visit('frozen/saved_model.pb', {}, 'Largest weights');
      const head = await page.evaluate(headed);
      assert.ok(head.includes(`Parameters ${total.toLocaleString('en')} `), head);
    },
    { '/frozen/saved_model.pb': model },
  );
});

test('the headline waits for nothing but the overview', () =>
  withInspector(async ({ page, server, visit, says }) => {
    server.hold(/variables|fingerprint/);
    await visit(`${twice}/saved_model.pb`, {}, 'output_0', '2.21.0');
    assert.ok((await page.evaluate(headed)).includes('Parameters 259 227 trainable Weights 1 KiB 8 variables'));
    assert.ok(!(await page.evaluate(text)).includes('Largest weights'));
    server.release();
    await says('Largest weights');
  }, folder(twice)));

test('a SameDiff file has its parameters, operations and tags', () =>
  withInspector(async ({ page, visit, rows }) => {
    await visit('models/samediff_small/minimal.zip', {}, 'default tag');
    await page.until(`${headed}.includes('Training')`);
    assert.equal(
      await page.evaluate(headed),
      'SameDiff zip · tag: FP32, the newest minimal.zip x f64[?,2] → y f64[*] Parameters 6 Weights 48 B 2 tensors Nodes 2 Operations 2 kinds none custom File 2.1 KiB Tags 1 Training none',
    );
    assert.deepEqual(
      (await rows()).map(([name]) => name),
      ['FP32 default tag', 'matmul', 'add', 'weights', 'shared'],
    );
  }));

test('variables: the largest first, sorted and filtered as the link says; one leads to its values', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    const { variables } = await (await asked(keras)).ask('variables', { count: 'all' });
    const elements = (/** @type {any} */ one) =>
      one.shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    const sizes = variables.items.map(elements).sort((/** @type {number} */ a, /** @type {number} */ b) => b - a);
    await visit(`${keras}/saved_model.pb`, { panel: 'variables' }, 'a/kernel');
    const shown = await rows();
    assert.equal(shown.length, variables.total);
    assert.deepEqual(shown[0], ['a/kernel', 'a', 'float32', '[400,5]', '7.8 KiB', '70 %']);
    assert.equal(sizes[0], 400 * 5);
    await page.evaluate(click('Name ↕'));
    await page.until(`location.hash.includes('sort=name')`);
    const called = variables.items.map((/** @type {any} */ one) => one.name);
    // Of several with the same name, each by its path.
    const names = variables.items
      .map((/** @type {any} */ { name, path }) =>
        called.filter((/** @type {string} */ one) => one === name).length > 1 ? path : name,
      )
      .sort((/** @type {string} */ a, /** @type {string} */ b) => a.localeCompare(b, 'en', { numeric: true }));
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
    assert.deepEqual(shown[0], ['sequential/dense/kernel', 'sequential/dense', 'float32', '[8,16]', '512 B', '49.4 %']);
    // The second of the two is found, too.
    await visit(`${twice}/saved_model.pb`, { panel: 'variables', at: 'root._all_variables.0' }, 'Standard deviation');
  }, folder(twice)));

test('operations are counted in the graph, each leads to its nodes', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    const { ops } = await (await asked(keras)).ask('ops', { count: 'all' });
    await visit(`${keras}/saved_model.pb`, { panel: 'operations' }, 'No custom operations');
    const shown = (await rows()).map(([op, uses, , , graph, functions]) => [op, uses, graph, functions].join(' '));
    const right = ops.items.map((/** @type {any} */ one) =>
      [one.op, one.count, one.in_graph, one.in_functions].join(' '),
    );
    assert.deepEqual(shown, right);
    await page.evaluate(click('Conv2D'));
    await says('model/conv2d/Conv2D');
  }, folder(keras)));

test('strings show their text, and what is no text its bytes; a scalar its value', () => {
  const strings = sameDiffModels().find((path) => path.endsWith('strings_nonascii_a.fb')) ?? '';
  return withInspector(
    async ({ page, visit }) => {
      const texts = () => page.evaluate(`${all('.texts li')}.map((one) => one.innerText)`);
      const model = await asked('real_tf_module');
      const bytes = await (await model.values('Const', { exactTexts: true })).bytes();
      const length = new DataView(bytes.buffer).getUint32(0, true);
      const first = new TextDecoder().decode(bytes.subarray(8, 8 + length));
      await visit('models/cpb/real_tf_module/orig.pb', { panel: 'bytes', at: 'Const' }, first);
      await page.until(`${all('.texts li')}.length > 0`);
      const shown = await texts();
      assert.deepEqual([shown.length, shown[0]], [50, first]);
      await visit('strings.fb', { panel: 'variables', at: 's' }, 'plain');
      assert.deepEqual(await texts(), ['caf\\xfd', 'plain']);
      const scalar = { panel: 'bytes', at: '__inference_h_84:while/maximum_iterations' };
      await visit('models/cpb/real_tf_module/orig.pb', scalar, 'i32[]');
      await page.until(`${found('.value')}?.innerText === '-1'`);
    },
    { '/strings.fb': readFileSync(strings) },
  );
});

test('search lists kind and place of each name', () =>
  withInspector(async ({ visit, rows }) => {
    const { found } = await (await asked(keras)).ask('search', { name: 'kernel' });
    await visit(`${keras}/saved_model.pb`, { panel: 'search', at: 'kernel' }, `${found.total} names`);
    const right = found.items.map((/** @type {any} */ { is, name, path, function: inside, op, kind }) => [
      is,
      name ?? path,
      op ?? kind ?? '',
      path ?? inside ?? 'the main graph',
    ]);
    assert.deepEqual(await rows(), right);
    const kinds = right.map((/** @type {string[]} */ [is]) => is);
    assert.ok(kinds.includes('object') && kinds.includes('node'));
  }, folder(keras)));

test('functions: the most called first, filtered; one with its arguments as the tree that Python has', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    const { functions } = await (await asked(keras)).ask('functions', { count: 'all' });
    await visit(`${keras}/saved_model.pb`, { panel: 'functions' }, `${functions.total} functions`);
    const uses = (await rows()).map(([, called]) => Number(called));
    const right = functions.items
      .map((/** @type {any} */ one) => one.called_by)
      .sort((/** @type {number} */ a, /** @type {number} */ b) => b - a);
    assert.deepEqual(uses, right);
    const concrete = functions.items.filter((/** @type {any} */ one) => one.captures !== undefined);
    await visit(`${keras}/saved_model.pb`, { panel: 'functions', only: 'concrete' }, 'only the');
    assert.equal((await rows()).length, concrete.length);
    await visit('models/cpb/real_tf_keras_functional/orig.pb', { panel: 'functions', q: 'wrapped' }, 'wrapped_model');
    assert.equal((await rows()).length, 1);
    await page.evaluate(click('__inference__wrapped_model_852'));
    await says('Arguments in Python', 'Called by');
    assert.match(
      await page.evaluate(`${found('.tree')}.innerText.replace(/\\s+/g, ' ')`),
      /^args_0 f32\[\?,12,12,1\] as img$/,
    );
  }, folder(keras)));

test('a layer leads to its configuration, its variables and parameters', () =>
  withInspector(async ({ page, visit, says }) => {
    await visit(`${keras}/saved_model.pb`, { panel: 'layers' }, 'InputLayer');
    await page.evaluate(click('conv2d'));
    await says('Configuration', 'kernel_size', '[3,3]', 'conv2d/bias');
    await page.evaluate(click('conv2d/bias'));
    await says('Standard deviation');
    await visit(`${keras}/saved_model.pb`, {}, 'Conv2D', '2,847');
  }, folder(keras)));

test('all tags of a SameDiff file are there, with configuration and state of their training', () => {
  const zip = sameDiffModels().find((path) => path.endsWith('/three_tags.zip')) ?? '';
  const { tags } = JSON.parse(readFileSync(`${zip}.json`, 'utf8'));
  return withInspector(
    async ({ page, visit, says, rows }) => {
      await visit('tags.zip', {}, 'default tag');
      assert.deepEqual(
        (await rows()).slice(0, tags.length).map(([tag]) => tag?.replace(' default tag', '')),
        tags,
      );
      await page.evaluate(click('FP32'));
      await says('Adam', 'learning rate', 'Updater state of 4 parameters');
      await visit('tags.zip', { panel: 'training', at: 'FP32', node: '1 w1' }, 'Standard deviation');
      assert.equal(
        await page.evaluate(`${found('dd')} && ${all('cpb-tensor')}[0].shadowRoot.querySelector('dd').textContent`),
        '18',
      );
      await visit('tags.zip', { panel: 'variables', tag: 'int8-quant', at: '' }, 'of the tag');
      assert.equal((await rows()).length, 3);
      // The tag remains, wherever one goes; its graph is another.
      await page.evaluate(click('Graph'));
      await page.until(`${all('svg [aria-label]')}.some((one) => one.getAttribute('aria-label').startsWith('cast'))`);
      await page.evaluate(click('Operations'));
      await says('4 operations');
    },
    { '/tags.zip': readFileSync(zip) },
  );
});

test('the map has variables and constants together, and the saver’s nodes folded at the end', () =>
  withInspector(async ({ page, visit, rows }) => {
    const { variables } = await (await asked(twice)).ask('overview');
    await visit(`${twice}/saved_model.pb`, { panel: 'bytes' }, 'of the saver');
    const boxes = await page.evaluate(`${all('g[role=button] title')}.map((one) => one.textContent)`);
    assert.ok(boxes.includes('sequential/dense/kernel, f32[8,16], 512 B'), boxes.join('; '));
    assert.ok(boxes.some((/** @type {string} */ one) => one.includes('batchnorm/add/y')));
    assert.ok(!boxes.some((/** @type {string} */ one) => /tensor_names/.test(one)));
    assert.ok((await page.evaluate(`${found('details')}.textContent`)).includes('SaveV2/tensor_names'));
    const listed = await rows();
    assert.equal(listed.filter(([, what]) => what === 'variable').length, variables.total / 2);
    // A constant, in its place, with its value.
    const scalar = listed.find(([name]) => /batchnorm\/add\/y/.test(name ?? ''));
    assert.deepEqual(scalar?.slice(1), ['constant', '__inference___call___361', 'f32[]', '0.001', '4 B']);
    await visit(`${twice}/saved_model.pb`, { panel: 'bytes', at: 'root.variables.0' }, 'Standard deviation');
  }, folder(twice)));
