/** Looking inside a model, on every runtime. */
import { assert, data, test } from './support/test.js';
import { libcpb } from './support/libcpb.js';

const { inspect } = libcpb;
const keras = 'tests/data/cpb/real_tf_keras_functional/orig.pb';
const chunked = 'tests/data/cpb/real_tf_keras_functional/max20000_zstd.cpb';

test('a SavedModel is followed from its signature to its variables', async () => {
  const model = await inspect(await data(keras));
  assert.equal(model.kind, 'saved_model');
  const { signatures } = await model.overview();
  assert.ok(signatures.items.some((/** @type {any} */ s) => s.key === 'serving_default'));
  const signature = await model.signature('serving_default');
  const names = signature.function.captures.map((/** @type {any} */ c) => c.name);
  assert.deepEqual(names.includes('conv2d/kernel'), true);
  const variable = await model.objects(signature.function.captures[0].path);
  assert.equal(variable.kind, 'variable');
  model.close();
});

test('a .cpb gives the answers of the message that it was split from', async () => {
  const [whole, split] = await Promise.all([inspect(await data(keras)), inspect(await data(chunked))]);
  for (const question of ['overview', 'functions', 'ops', 'constants', 'layers']) {
    assert.deepEqual(await split.ask(question), await whole.ask(question), question);
  }
  whole.close();
  split.close();
});

const nameOf = (/** @type {any} */ { name }) => name;

test('the consumers of a node have it among their inputs, in the graph and in a function', async () => {
  const model = await inspect(await data(keras));
  const { functions } = await model.functions();
  for (const name of [undefined, functions.items[0].name]) {
    const { items } = (await model.nodes({ function: name, count: 1000 })).nodes;
    for (const { name: taken } of items.slice(0, 20)) {
      const { consumers } = await model.consumers(taken, { function: name, count: 1000 });
      const found = consumers.items.filter((/** @type {any} */ { is }) => is === 'node').map(nameOf);
      const takes = (/** @type {string} */ input) => input.split(':')[0] === taken;
      const expected = items.filter(
        (/** @type {any} */ one) => one.inputs.some(takes) || one.control_inputs.includes(taken),
      );
      assert.deepEqual(found, expected.map(nameOf));
    }
  }
  await assert.rejects(model.consumers('none'), { code: 'NOT_FOUND' });
  const samediff = await inspect(await data('tests/data/samediff_small/minimal.zip'));
  const { consumers } = await samediff.consumers('weights', { tag: 'FP32' });
  assert.deepEqual(consumers?.items, [
    {
      is: 'node',
      name: 'matmul',
      function: null,
      op: 'matmul',
      inputs: [{ input: 1, output: 'weights', index: 0 }],
      control: false,
    },
  ]);
  samediff.close();
  model.close();
});

test('a model is cut down to some of its objects, and written wherever an output can be', async () => {
  for (const name of [keras, chunked]) {
    const model = await inspect(await data(name));
    const paths = ['root.layer_with_weights-0'];
    const { report, savedModel, kerasMetadata, source } = await model.cut(paths);
    const bytes = await savedModel.bytes();
    assert.deepEqual([bytes.length, kerasMetadata], [report.size, undefined]);
    assert.deepEqual(savedModel.result, { chunks: 0, size: report.size, isSplit: false });
    await assert.rejects(savedModel.bytes(), { code: 'USAGE' });
    const blob = await (await model.cut(paths)).savedModel.blob();
    assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), bytes);
    /** @type {number[]} */
    const written = [];
    await (
      await model.cut(paths)
    ).savedModel.to({
      write: (/** @type {number} */ _, /** @type {Uint8Array} */ more) => written.push(...more),
    });
    assert.deepEqual(written, [...bytes]);
    assert.deepEqual(await source.read(1000, 100), bytes.subarray(1000, 1100));
    const again = await inspect(source);
    const { objects } = await again.overview();
    assert.equal(objects?.total, report.objects.total);
    again.close();
    await assert.rejects(model.cut([]), { code: 'USAGE' });
    await assert.rejects(model.cut(['root.nothing']), { code: 'NOT_FOUND' });
    model.close();
    await assert.rejects(source.read(0, 1000), { code: 'CLOSED' });
  }
  const samediff = await inspect(await data('tests/data/samediff_small/minimal.zip'));
  await assert.rejects(samediff.cut(['root']), { code: 'UNSUPPORTED' });
  samediff.close();
});

test('an aborted cut leaves nothing behind, and the model as it was', async () => {
  const model = await inspect(await data(keras));
  const { savedModel } = await model.cut(['root']);
  let aborted = false;
  const sink = { write() {}, abort: () => (aborted = true) };
  await assert.rejects(savedModel.to(sink, { signal: AbortSignal.abort(new Error('enough')) }), { message: 'enough' });
  assert.equal(aborted, true);
  assert.equal((await model.overview()).kind, 'saved_model');
  model.close();
});

test('questions that are asked at once are answered one by one', async () => {
  const model = await inspect(await data(keras));
  const [nodes, functions, overview] = await Promise.all([
    model.nodes({ count: 2 }),
    model.functions({ count: 3 }),
    model.overview(),
  ]);
  assert.equal(nodes.nodes.items.length, 2);
  assert.equal(functions.functions.items.length, 3);
  assert.equal(overview.kind, 'saved_model');
  model.close();
});

test('a question that fails leaves the model as it was', async () => {
  const model = await inspect(await data(keras));
  await assert.rejects(model.signature('none'), { code: 'NOT_FOUND' });
  await assert.rejects(model.ask('nonsense'), { code: 'USAGE' });
  assert.equal((await model.overview()).kind, 'saved_model');
  model.close();
  await assert.rejects(model.overview(), { code: 'CLOSED' });
});

test('a file that is no model is refused', async () => {
  const text = new TextEncoder().encode('This is a text and no model at all, however long it is.');
  await assert.rejects(inspect(text), {
    code: 'FORMAT',
    message: /^text that begins "This is a text and no model at all.*"; expected one of SavedModel, GraphDef, /,
  });
});

test('an empty file is no model, even if its kind is given', async () => {
  const message = /^an empty file; get it again/;
  for (const options of [{}, { kind: 'graph_def' }, { kind: 'samediff_zip' }]) {
    await assert.rejects(inspect(new Uint8Array(0), options), { code: 'FORMAT', message });
  }
});

test('the tag without a name is the newest, as the values are', async () => {
  const model = await inspect(await data('tests/data/samediff_small/minimal.zip'), { kind: 'samediff_zip' });
  const { tags, default_tag: newest } = await model.overview();
  assert.equal(newest, tags.items.at(-1)?.tag);
  const { tag, default: isDefault } = await model.tag();
  assert.deepEqual([tag, isDefault], [newest, true]);
  assert.deepEqual(await model.tag(undefined, { count: 1 }), await model.tag(newest, { count: 1 }));
  model.close();
});

test('the values of an array of a SameDiff zip come at once or in pieces', async () => {
  const model = await inspect(await data('tests/data/samediff_small/minimal.zip'));
  assert.equal(model.kind, 'samediff_zip');
  const { constants } = await model.constants();
  const { node: name } = constants.items[0];
  const values = await model.values(name);
  const bytes = await values.bytes();
  assert.equal(bytes.length, values.size);
  const again = await model.values(name);
  const pieces = [];
  for (const reader = again.stream().getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(...value);
  }
  assert.deepEqual(pieces, [...bytes]);
  model.close();
});

test('the values of a constant, by its name or from where it lies', async () => {
  const model = await inspect(await data('tests/data/cpb/real_tf_module/orig.pb'));
  const { items } = (await model.constants()).constants;
  const { node, dtype, shape, tensor, values: where } = items[0];
  assert.deepEqual([dtype, shape], ['float32', [34, 34]]);
  const stored = await model.message.read(where.offset, where.size);
  for (const options of [{}, { tensor }]) {
    const array = await model.values(node, options);
    assert.deepEqual([array.dtype, array.numpy, array.shape], ['float32', '<f4', shape]);
    assert.deepEqual(await array.bytes(), stored);
  }
  const inside = items.find((/** @type {any} */ item) => item.function);
  const array = await model.values(inside.node, { function: inside.function });
  assert.deepEqual(array.shape, inside.shape);
  array.close();
  await assert.rejects(model.values(inside.node, { metaGraph: 7 }), { code: 'NOT_FOUND' });
  const texts = items.find((/** @type {any} */ item) => item.dtype === 'string' && item.shape[0] === 50);
  const raw = await (await model.values(texts.node, { tensor: texts.tensor, exactTexts: true })).bytes();
  const padded = await model.values(texts.node, { tensor: texts.tensor });
  assert.match(padded.numpy ?? '', /^\|S\d+$/);
  assert.equal(new DataView(raw.buffer).getBigUint64(0, true) <= BigInt(padded.itemSize), true);
  padded.close();
  model.close();
});
