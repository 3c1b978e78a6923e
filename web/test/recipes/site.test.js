/** tools/site.sh: the site is built, its links lead somewhere, and a reader finds things on it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { root } from '../runtimes/files.js';
import { start, temporary } from '../runtimes/process.js';
import { openPage } from '../support/chromium.js';
import { assert, base, test } from '../support/test.js';

test('a link to no file or to no place is found', async () => {
  const { path, remove } = temporary();
  mkdirSync(`${path}/a`);
  writeFileSync(
    `${path}/index.html`,
    '<a href="a/#there">x</a><a href="https://example.com/">x</a><a href="none.html">x</a>',
  );
  writeFileSync(`${path}/a/index.html`, '<h2 id="there">x</h2><a href="../index.html#none">x</a>');
  const { code, output } = await start([process.execPath, `${root}tools/site/check.js`, path]).ended;
  assert.equal(code, 1);
  assert.match(output, /^index\.html: none\.html leads to no file$/m);
  assert.match(output, /^a\/index\.html: \.\.\/index\.html#none leads to no place/m);
  assert.match(output, /^2 pages, 4 links, 2 broken$/m);
  remove();
});

test('the site is built, all its links lead somewhere, and search and inspector work', async () => {
  const { code, output } = await start(['bash', `${root}tools/site.sh`], { SITE_BASE: '/build/site/' }).ended;
  assert.equal(code, 0, output);
  assert.match(output, /^\d{3,} pages, \d{4,} links, 0 broken$/m);
  const page = await openPage(`${base}/build/site/index.html`);
  try {
    await page.until('Boolean(document.querySelector("#app")?.__vue_app__)');
    await page.evaluate('document.querySelector(".VPNavBarSearch button").click()');
    await page.until('Boolean(document.querySelector(".search-input"))');
    await page.evaluate('document.querySelector(".search-input").focus()');
    await page.send('Input.insertText', { text: 'cpb_find_new' });
    const found =
      '[...document.querySelectorAll(".VPLocalSearchBox a.result")].map((link) => link.getAttribute("href"))';
    const links = await page.until(`${found}.length && ${found}`);
    assert.ok(links.includes('/build/site/c/find.html#cpb_find_new'), String(links));
    await page.send('Page.navigate', { url: `${base}/build/site/inspector/index.html?url=models/none.pb` });
    await page.until('document.querySelector("cpb-inspector")?.shadowRoot.textContent.includes("404")');
  } finally {
    await page.close();
  }
});
