/** A page of the inspector in Chromium, and what a table on it says. */
import { all, serve, text, watching } from './inspector.js';
import { openTab } from './chromium.js';
import { assert } from './test.js';

/**
 * @typedef {object} Visit
 * @property {import('./chromium.js').Page} page
 * @property {Awaited<ReturnType<typeof serve>>} server
 * @property {(model: string, place: Record<string, string>, ...words: string[]) => Promise<void>} visit
 *   goes to a place of a model, and waits until it says all of the words
 * @property {(...words: string[]) => Promise<void>} says waits for words
 * @property {() => Promise<string[][]>} rows cells of the tables' bodies
 */

/**
 * @param {(visit: Visit) => Promise<void>} use
 * @param {Record<string, Uint8Array | import('./files.js').Sparse>} [files]
 */
export async function withInspector(use, files) {
  const server = await serve(files);
  const page = await openTab('about:blank');
  const says = async (/** @type {string[]} */ ...words) => {
    for (const word of words) await page.until(`${text}.includes(${JSON.stringify(word)})`);
  };
  try {
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watching });
    await use({
      page,
      server,
      says,
      async visit(model, place, ...words) {
        await page.send('Page.navigate', { url: 'about:blank' });
        await page.send('Page.navigate', { url: server.address(model, place) });
        await says(...words);
      },
      rows: () =>
        page.evaluate(
          `${all('tbody tr')}.map((row) => [...row.children].map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim()))`,
        ),
    });
    assert.deepEqual(await page.evaluate('window.broken'), []);
  } finally {
    await page.close();
    server.stop();
  }
}
