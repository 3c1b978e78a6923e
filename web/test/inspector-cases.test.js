/** What is right about small models that people met (tests/data/cases.json), as the page says it. */
// runtimes: node
import { readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { found } from './support/inspector.js';
import { withInspector } from './support/inspector-page.js';
import { assert, each, test } from './support/test.js';

const cases = JSON.parse(readFileSync(`${root}tests/data/cases.json`, 'utf8'));
const nameOf = (/** @type {any} */ { file }) => file;
const headed = `${found('.head')}?.innerText.replace(/\\s+/g, ' ')`;

test('the headline has the parameters and the types', () =>
  withInspector(({ page, visit }) =>
    each(cases, nameOf, async (/** @type {any} */ { file, parameters, page: words = [] }) => {
      await visit(`models/cases/${file}`, {}, 'Parameters');
      const head = await page.evaluate(headed);
      for (const word of [`Parameters ${parameters.toLocaleString('en')} `, ...words])
        assert.ok(head.includes(word), `${word}: ${head}`);
    }),
  ));
