/** The page as one file, opened from a disk in each browser: a model by URL, and files that are chosen. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { launch } from './runtimes/browsers.js';
import { root } from './runtimes/files.js';
import { temporary, within } from './runtimes/process.js';
import { assert, test } from './support/test.js';

const model = readFileSync(`${root}tests/data/cpb/real_tf_keras_functional/max20000_brotli.cpb`);
const frozen = readFileSync(`${root}tests/data/cpb/real_frozen_conv/orig.pb`);

/** What the page does in the browser, and tells the server what it then says. @param {string} base */
const visitor = (base) => `(async () => {
  const broken = [];
  addEventListener('securitypolicyviolation', (e) => broken.push(e.violatedDirective + ' ' + e.blockedURI));
  addEventListener('error', (e) => broken.push(e.message));
  const all = (node, selector) => [...node.querySelectorAll(selector),
    ...[...node.querySelectorAll('*')].flatMap((one) => (one.shadowRoot ? all(one.shadowRoot, selector) : []))];
  const said = (node) => node.nodeType === 3 ? node.data : node.tagName === 'STYLE' || node.tagName === 'SCRIPT' ? ''
    : [...(node.shadowRoot ?? node).childNodes].map(said).join(' ');
  const until = async (...words) => {
    for (let tries = 0; tries < 600; tries++) {
      if (words.every((word) => said(document.body).includes(word))) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('never ' + words + ' in ' + said(document.body).replace(/\\s+/g, ' ').slice(0, 600));
  };
  const click = (name) => all(document, '[role=tab]').find((one) => one.textContent.trim() === name).click();
  const steps = [];
  try {
    await until('Drop a model here');
    const inspector = document.querySelector('cpb-inspector');
    inspector.src = '${base}/saved_model.cpb';
    await until('serving_default');
    steps.push('by URL');
    click('Graph');
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (let tries = 0; tries < 300 && !all(document, 'svg g').length; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
    if (!all(document, 'svg g').length) throw new Error('no drawing');
    if (!location.hash.includes('panel=graph')) throw new Error('the address is ' + location.href);
    steps.push('drawn');
    const bytes = await (await fetch('${base}/graph.pb')).arrayBuffer();
    const chosen = new DataTransfer();
    chosen.items.add(new File([bytes], 'graph.pb'));
    const input = all(document, 'input[type=file]')[0];
    input.files = chosen.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
    await until('graph.pb', 'GraphDef', 'Overview');
    steps.push('by file');
  } catch (error) {
    broken.push(String(error));
  }
  await fetch('${base}/report', { method: 'POST', mode: 'no-cors', body: JSON.stringify({ steps, broken }) });
})();`;

/** With another script, which the page's own rules then allow. @param {string} page @param {string} script */
function withScript(page, script) {
  const hash = createHash('sha256').update(script).digest('base64');
  return page
    .replace("script-src '", `script-src 'sha256-${hash}' '`)
    .replace('</html>', () => `<script>${script}</script>\n</html>`);
}

for (const browser of ['chromium', 'firefox', 'webkit'])
  test(`one file opens models from a disk in ${browser}`, async () => {
    const { path, remove } = temporary();
    execFileSync(process.execPath, [
      `${root}web/scripts/dist.js`,
      '--sources-only',
      `${root}build/web`,
      `${path}/dist`,
    ]);
    execFileSync(process.execPath, [`${root}web/inspector/build.js`, '--package', `${path}/dist`, `${path}/page`]);
    /** @type {(report: any) => void} */
    let reported = () => {};
    const report = new Promise((resolve) => (reported = resolve));
    const server = createServer(async (request, response) => {
      const bytes = { '/saved_model.cpb': model, '/graph.pb': frozen }[String(request.url)];
      let body = '';
      for await (const piece of request.setEncoding('utf8')) body += piece;
      if (request.url === '/report') reported(JSON.parse(body));
      response.writeHead(bytes ? 200 : 404, {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Headers': 'Range',
      });
      response.end(request.method === 'GET' ? bytes : undefined);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const page = readFileSync(`${path}/page/inspector.html`, 'utf8');
    writeFileSync(`${path}/inspector.html`, withScript(page, visitor(`http://127.0.0.1:${port}`)));
    const { close, output } = launch(browser, pathToFileURL(`${path}/inspector.html`).href);
    try {
      const { steps, broken } = /** @type {any} */ (await within(report, 120_000)) ?? {
        broken: [`no report: ${output()}`],
      };
      assert.deepEqual(broken, []);
      assert.deepEqual(steps, ['by URL', 'drawn', 'by file']);
    } finally {
      await close();
      server.closeAllConnections();
      server.close();
      remove();
    }
  });
