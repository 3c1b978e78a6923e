/** Variables of a SavedModel, and their values beside it, on every runtime. */
import { assert, data, test } from './support/test.js';
import { libcpb } from './support/libcpb.js';

const { blobSource, inspect } = libcpb;
const folder = 'tests/data/cpb/real_tf_keras_functional';
const files = `${folder}/model/variables`;
const DATA = 'variables.data-00000-of-00001';

/** What was read of the data file. @typedef {{ offset: number, length: number }} Read */

/**
 * @param {object} [options]
 * @param {(bytes: Uint8Array<ArrayBuffer>) => void} [options.change] of the data file
 * @param {Read[]} [options.reads]
 */
async function opened({ change, reads } = {}) {
  const model = await data(`${folder}/orig.pb`);
  const [index, values] = [await data(`${files}/variables.index`), await data(`${files}/${DATA}`)];
  change?.(values);
  const source = Object.create(blobSource(new Blob([values])));
  source.stream = undefined;
  source.read = async (/** @type {number} */ offset, /** @type {number} */ length) => {
    reads?.push({ offset, length });
    return values.slice(offset, offset + length);
  };
  const checkpoint = {
    index,
    data(/** @type {string} */ name) {
      assert.equal(name, DATA);
      return source;
    },
  };
  return { model: await inspect(model, { checkpoint }), values };
}

test('each variable of a model has its key, type, shape and place', async () => {
  const { model } = await opened();
  const { variables, checkpoint, problems } = await model.variables({ count: 1000 });
  const kernel = variables.items.find((/** @type {any} */ { name }) => name === 'conv2d/kernel');
  assert.equal(kernel.key, 'layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE');
  assert.deepEqual([kernel.stored.dtype, kernel.stored.shape], [kernel.dtype, kernel.shape]);
  assert.deepEqual([problems, checkpoint.without_value], [[], 0]);
  const { stored } = (await model.overview()).variables;
  assert.deepEqual(stored, checkpoint);
  assert.deepEqual((await model.variables({ name: kernel.path })).variables.items, [kernel]);
  model.close();
});

test('files beside a model can be added later: the answers are the same', async () => {
  const { model, values } = await opened();
  const plain = await inspect(await data(`${folder}/orig.pb`));
  const kerasMetadata = await data(`${folder}/model/keras_metadata.pb`);
  assert.equal((await plain.variables()).checkpoint, null);
  await assert.rejects(plain.values('conv2d/kernel', { variable: true }), { code: 'USAGE' });
  const checkpoint = { index: await data(`${files}/variables.index`), data: () => values };
  await plain.add({ checkpoint, kerasMetadata });
  await model.add({ kerasMetadata });
  for (const question of /** @type {const} */ (['overview', 'variables', 'layers']))
    assert.deepEqual(await plain.ask(question), await model.ask(question), question);
  const kernel = await plain.values('conv2d/kernel', { variable: true });
  assert.equal((await kernel.bytes()).length, kernel.size);
  await assert.rejects(plain.add(/** @type {any} */ ({ checkpoints: true })), { code: 'USAGE' });
  plain.close();
  model.close();
  await assert.rejects(plain.add({ checkpoint }), { code: 'CLOSED' });
});

test('the fingerprint beside it is in the overview', async () => {
  const { model } = await opened();
  const largest = [...Array(9).fill(0xff), 1];
  await model.add({ fingerprint: Uint8Array.of(8, ...largest, 0x32, 2, 8, 4, 0x3a, 1, 0x37) });
  const { fingerprint } = /** @type {any} */ (await model.overview());
  const version = { producer: 4, min_consumer: 0 };
  assert.deepEqual(fingerprint, { saved_model_checksum: '18446744073709551615', version, uuid: '7' });
  await model.add({ fingerprint: Uint8Array.of(8, 1, 8) });
  const { fingerprint: cut, problems } = /** @type {any} */ (await model.overview());
  assert.deepEqual(cut, { saved_model_checksum: '1' });
  assert.match(problems[0].text, /fingerprint/);
  model.close();
});

test('the values of a variable are read by one range, by its path, key or name', async () => {
  /** @type {Read[]} */
  const reads = [];
  const { model, values } = await opened({ reads });
  const { variables } = await model.variables({ count: 1000 });
  for (const { path, key, name, stored } of variables.items) {
    const expected = values.slice(stored.offset, stored.offset + stored.size);
    const others = variables.items.filter((/** @type {any} */ other) => other.name === name);
    if (others.length > 1) await assert.rejects(model.values(name, { variable: true }), { code: 'NOT_FOUND' });
    for (const called of others.length > 1 ? [path, key] : [path, key, name]) {
      reads.length = 0;
      const array = await model.values(called, called === path ? {} : { variable: true });
      assert.deepEqual([array.dtype, array.shape, array.size], [stored.dtype, stored.shape, stored.size]);
      assert.deepEqual(await array.bytes(), expected);
      // With the beginning, which tells whether the file is a shard at all.
      const length = Math.max(256, stored.offset + stored.size);
      assert.deepEqual(reads, stored.size > 0 ? [{ offset: 0, length }] : []);
    }
  }
  model.close();
});

test('Keras 3 stores a weight twice: it is one weight, under its own name', async () => {
  const keras = 'tests/data/cpb/real_keras_export';
  const beside = `${keras}/model/variables`;
  const checkpoint = {
    index: await data(`${beside}/variables.index`),
    data: async (/** @type {string} */ name) => blobSource(new Blob([await data(`${beside}/${name}`)])),
  };
  const model = await inspect(await data(`${keras}/orig.pb`), { checkpoint });
  const items = /** @type {any[]} */ ((await model.variables({ count: 1000 })).variables.items);
  const bytes = async (/** @type {string} */ name) => (await model.values(name)).bytes();
  const copies = items.filter((one) => one.copy_of);
  assert.ok(copies.length > 0);
  for (const { name, path, copy_of: original } of copies) {
    const { key } = items.find((one) => one.path === original.path);
    assert.deepEqual(await bytes(name), await bytes(key));
    assert.deepEqual(await bytes(path), await bytes(original.path));
  }
  await assert.rejects(model.values('none'), { code: 'NOT_FOUND', message: /no node "none"; .*variable "none"/ });
  await assert.rejects(model.values('none', { function: 'f' }), {
    code: 'NOT_FOUND',
    message: /^there is no function "f"/,
  });
  model.close();
});

test('values that do not have their checksum are refused', async () => {
  const { model } = await opened({ change: (bytes) => bytes.set([255 - Number(bytes[0])]) });
  const { variables } = await model.variables();
  const first = variables.items.find((/** @type {any} */ { stored }) => stored?.offset === 0);
  const array = model.values(first.path, { variable: true });
  await assert.rejects(
    array.then((/** @type {any} */ a) => a.bytes()),
    { code: 'DAMAGED', offset: 0 },
  );
  model.close();
});

test('an error names the data file or checkpoint that is missing', async () => {
  const bytes = await data(`${folder}/orig.pb`);
  const index = await data(`${files}/variables.index`);
  const model = await inspect(bytes, { checkpoint: { index, data: () => undefined } });
  const { problems, checkpoint } = await model.variables();
  assert.ok(/object graph is missing.*keys are taken as paths/.test(problems[0].text));
  assert.equal(checkpoint.without_value, 0);
  const key = 'layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE';
  await assert.rejects(model.values(key, { variable: true }), { code: 'NOT_FOUND' });
  await assert.rejects(model.values('none', { variable: true }), { code: 'NOT_FOUND' });
  model.close();
  const alone = await inspect(bytes);
  assert.equal((await alone.variables()).checkpoint, null);
  await assert.rejects(alone.values(key, { variable: true }), { code: 'USAGE' });
  alone.close();
  await assert.rejects(inspect(bytes, { checkpoint: true }), { code: 'USAGE' });
  const damaged = { index: index.slice(1), data: () => undefined };
  await assert.rejects(inspect(bytes, { checkpoint: damaged }), { code: 'DAMAGED' });
});
