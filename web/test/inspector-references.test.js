/** Models in several files in the inspector: by URL from the folder, and among files that were dropped. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelAmong } from '../inspector/src/files.js';
import { root } from './runtimes/files.js';
import { found } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { assert, test } from './support/test.js';

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

test('of several .cpb files the model is the one that is no part', () => {
  const named = [...PARTS, 'graph.cpb'].map((name) => new File([], name));
  assert.equal(modelAmong(named)?.name, 'graph.cpb');
  assert.equal(modelAmong(named.slice(0, 2))?.name, PARTS[0]);
  const inPackage = ['Manifest.json', 'weight.bin', 'model.mlmodel'].map((name) => new File([], name));
  assert.equal(modelAmong(inPackage)?.name, 'model.mlmodel');
});
