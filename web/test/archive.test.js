/** Models in zip archives are what they are outside of them. */
import { libcpb } from './support/libcpb.js';
import { cutAddress } from '../src/inspect/address.js';
import { assert, data, test } from './support/test.js';
import { zip } from './support/zip.js';

const CASES = 'tests/data/cases/';

/** @param {string[]} names @param {string} [folder] in the archive */
const filesOf = async (names, folder = '') =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [`${folder}${name}`, await data(CASES + name)])));

/** @param {any} model @param {string} [name] */
async function facts(model, name) {
  const overview = await model.overview();
  const values = name === undefined ? undefined : [...(await (await model.values(name)).bytes())];
  model.close();
  return { overview, values };
}

for (const deflated of [false, true]) {
  test(`values in another file of the archive, ${deflated ? 'deflated' : 'stored'}`, async () => {
    const archive = zip(await filesOf(['tied.onnx', 'w.data'], 'a b/'), deflated);
    const there = await facts(await libcpb.inspect(archive), 'head');
    const references = (/** @type {string} */ name) => data(CASES + name);
    const wanted = await facts(await libcpb.inspect(await data(`${CASES}tied.onnx`), { references }), 'head');
    assert.deepEqual(there, wanted);
  });

  test(`a package, ${deflated ? 'deflated' : 'stored'}`, async () => {
    const folder = 'multi.mlpackage/';
    const root = `${folder}Data/com.apple.CoreML/`;
    const names = [`${folder}Manifest.json`, `${root}model.mlmodel`, `${root}weights/weight.bin`];
    const archive = zip(await filesOf(names), deflated);
    const { overview } = await facts(await libcpb.inspect(archive));
    assert.equal(overview.parameters.total, 12448);
    const { overview: again } = await facts(await libcpb.inspect(archive, { entry: 'multi.mlpackage' }));
    assert.deepEqual(again, overview);
  });
}

test('a SavedModel uses the files beside it in the archive, unless others are given', async () => {
  const folder = 'tests/data/cpb/real_tf_module/';
  const files = Object.fromEntries(
    await Promise.all(
      Object.entries({
        'm/saved_model.pb': 'orig.pb',
        'm/variables/variables.index': 'model/variables/variables.index',
        'm/variables/variables.data-00000-of-00001': 'model/variables/variables.data-00000-of-00001',
      }).map(async ([name, file]) => [name, await data(folder + file)]),
    ),
  );
  const index = await data(`${folder}model/variables/variables.index`);
  for (const options of [
    {},
    { checkpoint: /** @type {const} */ (true) },
    { checkpoint: { index, data: () => undefined } },
  ]) {
    const model = await libcpb.inspect(zip(files, true), options);
    const { items } = /** @type {any} */ (await model.variables()).variables;
    const [{ key, stored }] = items.filter((/** @type {any} */ one) => one.stored?.size > 0);
    if (typeof options.checkpoint === 'object') await assert.rejects(model.values(key, { variable: true }), {});
    else assert.equal((await (await model.values(key, { variable: true })).bytes()).length, stored.size);
    model.close();
  }
});

test('one of several models in an archive is asked', async () => {
  const files = await filesOf(['a.onnx', 'tied.onnx']);
  const archive = zip(files, false);
  await assert.rejects(libcpb.inspect(archive), {
    code: 'FORMAT',
    message: 'a zip archive with 2 models; expected the name of one, in the option entry: a.onnx, tied.onnx',
  });
  await assert.rejects(libcpb.inspect(archive, { entry: 'b.onnx' }), { code: 'NOT_FOUND' });
  const { overview } = await facts(await libcpb.inspect(archive, { entry: 'tied.onnx' }));
  assert.equal(overview.parameters.total, 512);
});

test('an archive by ranges: what is stored beside the model is not read', async () => {
  const archive = zip({ 'noise.bin': new Uint8Array(8 << 20), ...(await filesOf(['tied.onnx', 'w.data'])) }, false);
  const model = await libcpb.inspect(new Blob([/** @type {any} */ (archive)]));
  await model.overview();
  assert.ok(model.transferred.bytes < 1 << 20, `${model.transferred.bytes} bytes were read`);
  model.close();
});

test('an address that leads into an archive', () => {
  const cut = (/** @type {string} */ address) => Object.values(cutAddress(address));
  assert.deepEqual(cut('https://a.b/m.zip!/x%20y/m.onnx?s=1#f'), ['https://a.b/m.zip?s=1#f', 'x y/m.onnx']);
  assert.deepEqual(cut('https://a.b/m.zip!/100%.onnx'), ['https://a.b/m.zip', '100%.onnx']);
  assert.deepEqual(cut('https://a.b/a!/m.onnx'), ['https://a.b/a!/m.onnx']);
});

test('other archives are no models', async () => {
  const archive = zip({ 'archive/data.pkl': new Uint8Array(9), 'archive/x.onnx': new Uint8Array(9) }, false);
  await assert.rejects(
    libcpb.inspect(archive).then((/** @type {any} */ model) => model.overview()),
    { code: 'FORMAT' },
  );
});
