/** Models in several files in the inspector: by URL from the folder, and among files that were dropped. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelsAmong } from '../inspector/src/files.js';
import { root } from './runtimes/files.js';
import { click, found } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { assert, test } from './support/test.js';
import { zip } from './support/zip.js';

const folder = `${root}tests/data/several_files`;
const PARTS = [1, 2, 3, 4].map((i) => `graph.0000${i}-of-00004.cpb`);
const alert = `${found('[role=alert]')}?.textContent.replace(/\\s+/g, ' ')`;

test('by URL: from the folder, and no further', () =>
  withInspector(async ({ page, server, visit, says }) => {
    await visit('models/several_files/graph.cpb', { panel: 'graph' }, 'n7');
    assert.equal(await page.evaluate(alert), undefined);
    for (const name of PARTS) assert.ok(server.log.includes(`/models/several_files/${name}`), name);
    await visit('models/several_files/graph.cpb', { panel: 'file', at: '5' }, PARTS[2] ?? '');
    server.log.length = 0;
    await visit('models/several_files/up.cpb', { panel: 'graph' }, 'it is not in the folder of the file that names it');
    await visit(
      'models/several_files/url.cpb',
      { panel: 'graph' },
      'it is not in the folder of the file that names it',
    );
    assert.deepEqual(
      server.log.filter((path) => /graph|of-0/.test(path)),
      [],
    );
    await says('File "http://127.0.0.1:9/graph.cpb"');
  }));

test('files that were dropped: the parts among them', () =>
  withInspector(async ({ page, server, says }) => {
    const place = mkdtempSync(join(tmpdir(), 'cpb-'));
    /** @param {string[]} names */
    const drop = async (names) => {
      await page.send('Page.navigate', { url: 'about:blank' });
      await page.send('Page.navigate', { url: server.base });
      await says('Drop a model here');
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      const files = names.map((name) => join(place, name));
      const data = { items: [], files, dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'])
        await page.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    };
    try {
      for (const name of ['graph.cpb', ...PARTS]) writeFileSync(join(place, name), readFileSync(join(folder, name)));
      await drop([...PARTS, 'graph.cpb']);
      await says('Largest weights');
      await drop(['graph.cpb', ...PARTS.slice(1)]);
      await says(`File "${PARTS[0]}"`);
    } finally {
      rmSync(place, { recursive: true });
    }
  }));

const dataOf = (/** @type {string} */ name) => readFileSync(`${root}tests/data/cases/${name}`);
const [first, tied, values] = [dataOf('a.onnx'), dataOf('tied.onnx'), dataOf('w.data')];

test('one of several models in an archive is chosen, and the address names it', () =>
  withInspector(
    async ({ page, visit, says }) => {
      await visit('m.zip', {}, '2 models', 'b c/tied.onnx');
      await page.evaluate(click('b c/tied.onnx'));
      await says('512');
      assert.match(await page.evaluate('location.href'), /m\.zip%21%2Fb%2520c%2Ftied\.onnx/);
      await visit('m.zip!/a.onnx', {}, 'm.zip!/a.onnx');
    },
    { '/m.zip': zip({ 'a.onnx': first, 'b c/tied.onnx': tied, 'b c/w.data': values }, false) },
  ));

test('one of several dropped models is chosen', () =>
  withInspector(async ({ page, server, says }) => {
    await page.send('Page.navigate', { url: server.base });
    await says('Drop a model here');
    const drop = (/** @type {Record<string, Buffer>} */ files) =>
      page.evaluate(`(() => {
        const data = new DataTransfer();
        for (const [name, bytes] of ${JSON.stringify(Object.entries(files).map(([name, bytes]) => [name, [...bytes]]))})
          data.items.add(new File([new Uint8Array(bytes)], name));
        document.querySelector('cpb-inspector').dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
      })()`);
    await drop({ 'a.onnx': first, 'tied.onnx': tied, 'w.data': values });
    await says('2 models', 'a.onnx');
    await page.evaluate(click('tied.onnx'));
    await says('512');
    await drop({ 'm.zip': Buffer.from(zip({ 'a.onnx': first, 'tied.onnx': tied, 'w.data': values }, false)) });
    await says('2 models');
    await page.evaluate(click('tied.onnx'));
    await says('512', 'm.zip!/tied.onnx');
  }));

test('several files: those that belong to another are no models', () => {
  const paths = (/** @type {string[]} */ ...names) =>
    modelsAmong(
      names.map((path) => Object.assign(new File([], String(path.split('/').pop())), { webkitRelativePath: path })),
    ).map((file) => /** @type {any} */ (file).webkitRelativePath);
  const is = (/** @type {string[]} */ names, /** @type {string[]} */ ...models) =>
    assert.deepEqual(paths(...names), models);
  is([...PARTS, 'graph.cpb'], 'graph.cpb');
  is(PARTS.slice(0, 2), String(PARTS[0]));
  is(['Manifest.json', 'Data/weight.bin', 'Data/model.mlmodel'], 'Data/model.mlmodel');
  is(
    ['m/saved_model.pb', 'm/keras_metadata.pb', 'm/fingerprint.pb', 'm/variables/variables.index'],
    'm/saved_model.pb',
  );
  is(['m/saved_model.pb', 'm/saved_model.cpb'], 'm/saved_model.pb');
  is(['saved_model.cpb', 'keras_metadata.pb', 'variables.index', 'variables.data-00000-of-00001'], 'saved_model.cpb');
  is(
    ['s/1/saved_model.pb', 's/10/saved_model.pb', 's/9/saved_model.pb', 's/9/keras_metadata.pb'],
    's/10/saved_model.pb',
  );
  is(['1/saved_model.pb', '2/saved_model.pb'], '2/saved_model.pb');
  is(['a/model.onnx', 'a/model_fp16.onnx', 'a/config.json'], 'a/model_fp16.onnx', 'a/model.onnx');
  is(['m/model.onnx', 'm/test_data_set_0/input_0.pb'], 'm/model.onnx');
  is(['ck.meta', 'ck.index', 'ck.data-00000-of-00001'], 'ck.meta');
  is(['ck-1.index', 'ck-10.index', 'ck-9.index'], 'ck-1.index', 'ck-9.index', 'ck-10.index');
  is(['anything'], 'anything');
  is(['one', 'two']);
});
