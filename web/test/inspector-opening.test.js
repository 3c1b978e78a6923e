/**
 * How a model gets onto the inspector page: by addresses as people write them, of folders, from servers of all kinds.
 */
import { readFileSync } from 'node:fs';
import { addressOf } from '../inspector/src/address.js';
import { told } from '../inspector/src/format.js';
import { root } from './runtimes/files.js';
import { largeModel, split } from './support/files.js';
import { largeFrozen } from './support/large-models.js';
import { libcpb } from './support/libcpb.js';
import { click, found, text } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { sameDiffModels } from './support/models.js';
import { beside, large, savedModel } from './support/savedmodels.js';
import { assert, test } from './support/test.js';

const { inspect } = libcpb;
const folder = `${root}tests/data/cpb/real_tf_keras_functional`;
const plain = readFileSync(`${folder}/orig.pb`);
const names = [
  'keras_metadata.pb',
  'fingerprint.pb',
  'variables/variables.index',
  'variables/variables.data-00000-of-00001',
];
const full = Object.fromEntries([
  ['/full/saved_model.pb', plain],
  ...names.map((name) => [`/full/${name}`, readFileSync(`${folder}/model/${name}`)]),
]);
const alert = `${found('[role=alert]')}?.textContent.replace(/\\s+/g, ' ')`;

test('an address needs no scheme; what names no host is relative to the page', () => {
  for (const [written, meant] of [
    ['localhost:8000/m/', 'http://localhost:8000/m/'],
    ['host:8801/saved_model.pb', 'http://host:8801/saved_model.pb'],
    ['127.0.0.1/m.zip', 'http://127.0.0.1/m.zip'],
    ['[::1]:80/m.zip', 'http://[::1]:80/m.zip'],
    [' models.example.com/a/saved_model.cpb ', 'https://models.example.com/a/saved_model.cpb'],
    ['models.example.com:443/a', 'https://models.example.com:443/a'],
    ['https://host/a', 'https://host/a'],
    ['blob:null/1', 'blob:null/1'],
    ['examples/keras/saved_model.cpb', 'examples/keras/saved_model.cpb'],
    ['saved_model.pb', 'saved_model.pb'],
    ['../a.b/saved_model.pb', '../a.b/saved_model.pb'],
  ])
    assert.equal(addressOf(written ?? ''), meant);
});

test('the link of a folder opens the model in it', () =>
  withInspector(async ({ page, server, says, visit }) => {
    for (const link of ['full/', 'full']) {
      await visit(link, {}, 'serving_default', 'full/saved_model.pb');
      assert.equal(await page.evaluate(alert), undefined);
    }
    await visit('full/', { panel: 'variables' }, 'conv2d/kernel');
    await visit('nothing/', {}, 'No model was found in this folder');
    for (const name of ['saved_model.cpb', 'saved_model.pb', 'keras_metadata.pb', 'variables/variables.index'])
      await says(`${server.base}nothing/${name}`, 'answered 404');
  }, full));

test('a model is opened once, whatever is asked of it', () =>
  withInspector(async ({ page, server, visit, says }) => {
    await visit('full/saved_model.pb', {}, 'serving_default');
    for (const [panel, word] of [
      ['Layers', 'flatten'],
      ['Variables', 'conv2d/kernel'],
      ['Search', 'Finds'],
      ['Functions', 'inference'],
    ]) {
      await page.evaluate(click(panel ?? ''));
      await says(word ?? '');
    }
    const asked = server.ranges.filter((one) => one.startsWith('/full/saved_model.pb'));
    assert.deepEqual(asked, [...new Set(asked)], 'no range twice');
    const besides = server.log.filter((path) => path.startsWith('/full/') && path !== '/full/saved_model.pb');
    assert.deepEqual(besides, [...new Set(besides)], 'no file twice');
  }, full));

test('equal constants: several are requested at once, by Chrome, too', async () => {
  const bytes = await largeModel(16, 4_500_000).source.read(0, 2 ** 30);
  await withInspector(
    async ({ server, visit }) => {
      server.slow(200);
      await visit('alike/saved_model.pb', { panel: 'bytes' }, 'layer_15/kernel');
      assert.ok(server.atOnce >= 3, `${server.atOnce} at once`);
      const asked = server.ranges.filter((one) => one.startsWith('/alike/saved_model.pb'));
      assert.deepEqual(asked, [...new Set(asked)], 'no range twice');
      assert.ok(asked.length <= 20, `${asked.length} requests`);
    },
    { '/alike/saved_model.pb': bytes },
  );
});

test('the overview and the search know what keras_metadata.pb says', () =>
  withInspector(
    async ({ visit }) => {
      await visit('keras/saved_model.pb', { panel: 'search', at: 'by_the_file' }, 'by_the_file', '1 name');
    },
    { '/keras/saved_model.pb': plain, '/keras/keras_metadata.pb': beside()['keras_metadata.pb'] ?? plain },
  ));

test('a checkpoint without a model shows its tensors, and their values', () =>
  withInspector(async ({ page, visit, says, rows }) => {
    const key = 'layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE';
    await visit('full/variables/variables.index', {}, 'checkpoint', 'version 2', key);
    await visit('full/variables/variables.index', { panel: 'variables' }, key);
    assert.equal((await rows()).length, 15);
    await page.evaluate(click('layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE'));
    await says('Standard deviation');
  }, full));

test('the folder of a training opens the newest of its checkpoints', () => {
  const [index, values] = names.slice(2).map((name) => full[`/full/${name}`]);
  const list = 'model_checkpoint_path: "ck-7"\nall_model_checkpoint_paths: "ck-3"\n';
  const files = { '/t/ck-7.index': index, '/t/ck-7.data-00000-of-00001': values, '/t/checkpoint': Buffer.from(list) };
  const outside = Buffer.from('model_checkpoint_path: "../t/ck-7"\n');
  const unnamed = {
    '/v/.index': index,
    '/v/.data-00000-of-00001': values,
    '/v/checkpoint': Buffer.from('model_checkpoint_path: "/gone/t/"\n'),
    [encodeURI('/w/模型.index')]: index, // as earlier versions of TensorFlow write its name
    '/w/checkpoint': Buffer.from('model_checkpoint_path: "/gone/\\303\\251/\\346\\250\\241\\345\\236\\213"\n'),
  };
  return withInspector(
    async ({ visit }) => {
      await visit('t/', {}, 't/ck-7.index', 'version 2');
      await visit('v/', {}, 'v/.index', 'version 2');
      await visit('w/', {}, '模型.index', 'version 2');
      await visit('u/', {}, 'No model was found in this folder');
    },
    { .../** @type {Record<string, Buffer>} */ (files), ...unnamed, '/u/checkpoint': outside },
  );
});

/**
 * The only meta graph of a SavedModel, as TensorFlow 1 writes one: behind its version, a tag and a length of three
 * bytes.
 */
function metaGraph() {
  const [, , tag, ...length] = plain.subarray(0, 6);
  const size = length.reduce((sum, byte, i) => sum + (byte % 128) * 128 ** i, 0);
  assert.deepEqual([tag, 6 + size], [0x12, plain.length]);
  return plain.subarray(6);
}

test('a .meta file is shown as a SavedModel, with the checkpoint beside it', async () => {
  const model = await inspect(metaGraph());
  const { kind, signatures } = await model.overview();
  assert.deepEqual([model.kind, kind, signatures?.total], ['meta_graph', 'meta_graph', 2]);
  model.close();
  // Named `a#b $&?`: what means something in a URL, or where texts are replaced, is a part of the name.
  const name = 'old/a%23b%20%24%26%3F';
  const [, , index = plain, data = plain] = names.map((name) => full[`/full/${name}`]);
  await withInspector(
    async ({ page, server, visit, rows }) => {
      await visit(`${name}.meta`, {}, 'MetaGraphDef', 'serving_default', 'old/a#b $&?.meta');
      await visit(`${name}.meta`, { panel: 'variables', at: 'root.layer_with_weights-0.kernel' }, 'Standard deviation');
      assert.ok((await rows()).length > 10);
      assert.ok(server.log.includes(`/${name}.data-00000-of-00001`));
      assert.ok(!server.log.some((/** @type {string} */ one) => one.includes('keras_metadata')));
      await visit(`${name}.meta`, { panel: 'graph' });
      await page.until(found('svg.window g.box'));
    },
    { [`/${name}.meta`]: metaGraph(), [`/${name}.index`]: index, [`/${name}.data-00000-of-00001`]: data },
  );
});

test('a server that sends whole files only: it is asked about first, and can be cancelled', () => {
  const model = large(40_000, 4);
  return withInspector(
    async ({ page, server, says, visit }) => {
      await visit(
        'whole/saved_model.pb',
        {},
        'This server sends whole files only',
        `Download ${(model.length / 2 ** 20).toFixed(1)} MiB`,
      );
      server.hold();
      const download = `[...document.querySelector('cpb-inspector').shadowRoot.querySelectorAll('button')].find((one) => one.textContent.includes('Download')).click()`;
      await page.evaluate(download);
      await page.until(`/(49|50) %/.test(${text})`);
      await page.evaluate(click('Cancel'));
      await says('Cancelled.');
      await page.evaluate(click('Try again'));
      server.release();
      await says('This server sends whole files only');
      await page.evaluate(download);
      await says('serving_default');
      await page.evaluate(click('Graph'));
      await says('nodes');
      assert.equal(server.ranges.filter((one) => one === '/whole/saved_model.pb all').length, 2);
    },
    { '/whole/saved_model.pb': model },
  );
});

test('a damaged model says on top where it ends, and the rest is shown', () =>
  withInspector(
    async ({ page, visit }) => {
      await visit('cut/saved_model.pb', {}, 'This file is damaged or incomplete');
      assert.match(await page.evaluate(alert), /Byte [\d,]+: the message ends here, \d{1,3}(,\d{3})+ bytes too early/);
      assert.equal(await page.evaluate(`${found('.failure')} === undefined`), true);
      await visit('cut/saved_model.pb', { panel: 'graph' }, 'This file is damaged or incomplete', 'nodes');
    },
    { '/cut/saved_model.pb': plain.subarray(0, Math.floor(plain.length * 0.7)) },
  ));

test('numbers of what an engine counts have separators, and those in names do not', () => {
  for (const [said, shown] of [
    ['the message ends here, 35780 bytes too early', 'the message ends here, 35,780 bytes too early'],
    ['at byte 41351 of the file: at least 637454 bytes are', 'at byte 41,351 of the file: at least 637,454 bytes are'],
    ['(1234567 entries)', '(1,234,567 entries)'],
    ['within A/params/14310.fb, node 12345 has no function f12345', undefined],
  ])
    assert.equal(told(said), shown ?? said);
});

test('a SameDiff zip that was cut off says on top where it ends, and the rest is shown', () => {
  const file = readFileSync(
    sameDiffModels().find((/** @type {string} */ name) => name.endsWith('/three_tags.zip')) ?? '',
  );
  return withInspector(
    async ({ page, visit }) => {
      await visit('cut/model.zip', {}, 'This file is damaged or incomplete', 'int8-quant');
      assert.match(await page.evaluate(alert), /Byte 14,310: the zip archive ends here, within Final\/updater\/3.fb, /);
      assert.equal(await page.evaluate(`${found('.failure')} === undefined`), true);
      await visit('cut/model.zip', { panel: 'graph' }, 'This file is damaged or incomplete', 'nodes');
      await visit('cut/model.zip', { panel: 'variables' }, 'This file is damaged or incomplete', 'const/table');
      await visit('cut/model.zip', { panel: 'training' }, 'This file is damaged or incomplete', 'Updater state');
    },
    { '/cut/model.zip': file.subarray(0, 14310) },
  );
});

test('a .cpb with a damaged chunk: a line names the chunk, and the rest is shown', async () => {
  const { size, pieces } = await split(plain, { max_chunk_size: 4096 });
  const chunked = new Uint8Array(size);
  for (const { offset, bytes } of pieces) chunked.set(bytes, offset);
  /** @type {import('../src/reader/chunks.js').Chunk[]} */
  const chunks = [...(await inspect(chunked)).message.chunks()];
  const number = chunks.length >> 1;
  const stored = Number(chunks[number]?.position) + 40;
  const frame = chunked.subarray(stored, stored + 40).lastIndexOf(0xfd); // its magic number ends so
  assert.ok(frame > 0, 'the chunk is compressed');
  chunked[stored + frame] = 0;
  await withInspector(
    async ({ page, visit }) => {
      await visit('hurt/saved_model.cpb', { panel: 'graph' }, 'This file is damaged or incomplete', 'nodes');
      assert.match(await page.evaluate(alert), new RegExp(`chunk ${number}: .* of the file`));
      assert.equal(await page.evaluate(`${found('.failure')} === undefined`), true);
    },
    { '/hurt/saved_model.cpb': chunked },
  );
});

test('one of several meta graphs is chosen in the header, and kept from panel to panel', () => {
  const [first, second] = [
    savedModel([['x', 'Placeholder']]),
    savedModel([
      ['x', 'Placeholder'],
      ['twice', 'AddV2', ['x', 'x']],
    ]),
  ];
  const both = new Uint8Array([...first, ...second]);
  return withInspector(
    async ({ page, visit, says }) => {
      await visit('two/saved_model.pb', { panel: 'graph', at: '/' }, 'Meta graph', '1: serve');
      const choose = (/** @type {string} */ value) =>
        page.evaluate(
          `{ const select = ${found('.meta select')}; select.value = '${value}'; select.dispatchEvent(new Event('change')); }`,
        );
      await choose('1');
      await page.until(`new URLSearchParams(location.hash.slice(1)).get('meta') === '1'`);
      await page.evaluate(click('Search'));
      await page.until(`location.hash === '#panel=search&meta=1'`);
      await page.evaluate(`history.back()`);
      await visit('two/saved_model.pb', { panel: 'search', at: 'twice', meta: '1' }, 'AddV2', '1 name');
      await visit('two/saved_model.pb', { panel: 'search', at: 'twice' }, 'No name contains');
      await says('0: serve');
    },
    { '/two/saved_model.pb': both },
  );
});

const core = `${root}tests/data/cases/pal6_ios16.mlpackage`;
const model = 'Data/com.apple.CoreML/model.mlmodel';
const packaged = Object.fromEntries(
  ['Manifest.json', model].map((name) => [`/a/m.mlpackage/${name}`, readFileSync(`${core}/${name}`)]),
);

test('a package is opened by the address of its folder; a manifest cannot lead out of it', () => {
  const manifest = { rootModelIdentifier: 'm', itemInfoEntries: { m: { path: '../../a/m.mlpackage/x' } } };
  const files = { ...packaged, '/b/Manifest.json': new TextEncoder().encode(JSON.stringify(manifest)) };
  return withInspector(async ({ visit, says }) => {
    for (const link of ['a/m.mlpackage', 'a/m.mlpackage/']) await visit(link, {}, 'Core ML');
    await visit('b/', {}, 'No model was found in this folder');
    await says('b/Manifest.json', 'it names no model, or is not there');
  }, files);
});

test('the address of a page that shows a file opens the file, and an unknown scheme is told', () =>
  withInspector(
    async ({ server, visit, says }) => {
      await visit('g/p/-/blob/main/saved_model.pb', {}, 'serving_default');
      assert.ok(server.log.includes('/g/p/-/raw/main/saved_model.pb'));
      assert.ok(!server.log.some((path) => path.includes('/-/blob/')));
      await visit('ftp://host/m.onnx', {}, 'URLs of the scheme ftp are not read');
      await says('expected one of http, https, hf, gs, s3');
      await visit('hf://org/model', {}, 'names no file; expected hf://OWNER/MODEL/FILE');
    },
    { '/g/p/-/raw/main/saved_model.pb': plain },
  ));

test('a frozen graph shows its inputs while its nodes are searched, and then everything', () =>
  withInspector(
    async ({ page, server, visit, says }) => {
      server.slow(200);
      await visit('frozen/graph.pb', {}, 'f32[7]', 'being looked through');
      const soon = server.ranges.filter((one) => one.startsWith('/frozen/')).length;
      await says('12,582,912', '3 kinds', 'add_11');
      const all = server.ranges.filter((one) => one.startsWith('/frozen/')).length;
      assert.ok(soon < all, `${soon} of ${all} requests`);
      assert.ok(!(await page.evaluate(text)).includes('being looked through'));
    },
    { '/frozen/graph.pb': largeFrozen(12, 4 * 2 ** 20) },
  ));

test('a refused or compressed range is told after few requests, with the offer to download what is sent whole', () =>
  withInspector(
    async ({ server, visit, says }) => {
      const sent = (/** @type {string} */ path) => server.log.filter((one) => one === path).length;
      const elsewhere = server.base.replace('127.0.0.1', 'localhost');
      await visit(`${elsewhere}full/saved_model.pb`, {}, 'does not allow this page', 'Access-Control-Allow-Origin');
      assert.ok(sent('/full/saved_model.pb') <= 5, `${sent('/full/saved_model.pb')} requests`);
      await visit('packed/model.pb', {}, 'This server sends whole files only');
      await says('Download');
      assert.ok(sent('/packed/model.pb') <= 5, `${sent('/packed/model.pb')} requests`);
    },
    { ...full, '/packed/model.pb': plain },
  ));
