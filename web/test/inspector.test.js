/** The inspector page, as it is built, in Chromium: opened, looked through, and without errors. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { root } from './runtimes/files.js';
import { temporary } from './runtimes/process.js';
import { openPage } from './support/chromium.js';
import { assert, test } from './support/test.js';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
const model = 'cpb/real_tf_keras_functional/max20000_zstd.cpb';

/** All text that is shown, that of the elements' shadows too. */
const text = `(function all(node) {
  let text = '';
  for (const one of node.childNodes) {
    if (one.nodeType === 3) text += one.data;
    else if (one.nodeType === 1 && one.tagName !== 'STYLE') text += ' ' + all(one.shadowRoot ?? one);
  }
  return text;
})(document.body)`;

/** The element that a selector finds, in whatever shadow it is. */
const found = (/** @type {string} */ selector) => `(function find(node) {
  const here = node.querySelector(${JSON.stringify(selector)});
  if (here) return here;
  for (const one of node.querySelectorAll('*')) {
    const inside = one.shadowRoot && find(one.shadowRoot);
    if (inside) return inside;
  }
  return null;
})(document)`;

/** The built page, and the models, by range. */
async function serve() {
  const { path, remove } = temporary();
  const dist = join(path, 'dist');
  execFileSync(process.execPath, [`${root}web/scripts/dist.js`, '--no-types', `${root}build/web`, dist]);
  execFileSync(process.execPath, [`${root}web/inspector/build.js`, '--package', dist, join(path, 'page')]);
  const server = createServer((request, response) => {
    const { pathname } = new URL(String(request.url), 'http://host');
    const file = pathname.startsWith('/models/') ? join(root, 'tests/data', pathname.slice(8)) : join(path, 'page', pathname === '/' ? 'index.html' : pathname);
    try {
      const bytes = readFileSync(file);
      const [, from, to] = /bytes=(\d*)-(\d*)/.exec(request.headers.range ?? '') ?? [];
      const begin = from ? Number(from) : Math.max(0, bytes.length - Number(to ?? bytes.length));
      const end = from && to ? Math.min(bytes.length, Number(to) + 1) : bytes.length;
      response.writeHead(to === undefined ? 200 : 206, {
        'Content-Type': /** @type {Record<string, string>} */ (types)[extname(file)] ?? 'application/octet-stream',
        'Content-Length': end - begin,
        ...(to === undefined ? {} : { 'Content-Range': `bytes ${begin}-${end - 1}/${bytes.length}` }),
      });
      response.end(bytes.subarray(begin, end));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { base: `http://127.0.0.1:${port}/`, stop: () => (server.close(), server.closeAllConnections(), remove()) };
}

test('each panel shows what is in the model, and the page keeps its own rules', async () => {
  const { base, stop } = await serve();
  const page = await openPage('about:blank');
  try {
    const address = `${base}?url=${encodeURIComponent(`${base}models/${model}`)}`;
    const rules = `const broken = []; addEventListener('securitypolicyviolation', (e) => broken.push(e.violatedDirective)); addEventListener('error', (e) => broken.push(e.message)); window.broken = broken;`;
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: rules });
    const shows = {
      overview: ['2.21.0', 'serving_default', 'float32[?, 12, 12, 1]'],
      signatures: ['SignatureDef', 'conv2d/kernel', 'root.signatures.serving_default'],
      'objects&at=root.layer_with_weights-0': ['kernel', 'float32[3, 3, 1, 4]'],
      layers: ['_tf_keras_network', '2,847'],
      functions: ['__inference__wrapped_model_852'],
      'functions&at=__inference__wrapped_model_852': ['Called by', 'conv2d/kernel'],
      'graph&at=__inference__wrapped_model_852': ['19 nodes', 'model'],
      bytes: ['constants', 'SaveV2/tensor_names'],
      file: ['chunks', 'Fetched so far'],
      'search&at=kernel': ['conv2d/kernel'],
    };
    for (const [panel, words] of Object.entries(shows)) {
      await page.send('Page.navigate', { url: `${address}&panel=${panel}` });
      for (const word of words) await page.until(`${text}.includes(${JSON.stringify(word)})`);
      assert.deepEqual(await page.evaluate('window.broken'), [], panel);
    }
  } finally {
    await page.close();
    stop();
  }
});

test('a SameDiff zip has its graph, and the values of its parameters', async () => {
  const { base, stop } = await serve();
  const address = `${base}?url=${encodeURIComponent(`${base}models/samediff_small/minimal.zip`)}`;
  const page = await openPage(`${address}&panel=graph`);
  try {
    await page.until(`${found('svg')} && ${text}.includes('variable')`);
    await page.send('Page.navigate', { url: `${address}&panel=bytes&at=weights` });
    await page.until(`/4 values: from/.test(${text})`);
  } finally {
    await page.close();
    stop();
  }
});

test('a graph without objects, signatures and variables has an overview too', async () => {
  const { base, stop } = await serve();
  const page = await openPage(`${base}?url=${encodeURIComponent(`${base}models/cpb/real_frozen_conv/orig.pb`)}`);
  try {
    await page.until(`${text}.includes('Overview') && !${text}.includes('Reading…')`);
    assert.equal(await page.evaluate(`${found('[role=alert]')}?.textContent`), undefined);
  } finally {
    await page.close();
    stop();
  }
});

test('one goes from a signature to a variable, and back', async () => {
  const { base, stop } = await serve();
  const page = await openPage(`${base}?panel=signatures&url=${encodeURIComponent(`${base}models/${model}`)}`);
  try {
    await page.until(`${text}.includes('conv2d/kernel')`);
    await page.evaluate(`[...${found('cpb-signatures')}.shadowRoot.querySelectorAll('button.link')].find((b) => b.textContent === 'conv2d/kernel').click()`);
    await page.until(`new URLSearchParams(location.search).get('at') === 'root.layer_with_weights-0.kernel'`);
    await page.until(`${text}.includes('float32[3, 3, 1, 4]')`);
    await page.evaluate('history.back()');
    await page.until(`${text}.includes('SignatureDef')`);
  } finally {
    await page.close();
    stop();
  }
});

test('a URL that is no model says what is wrong', async () => {
  const { base, stop } = await serve();
  const page = await openPage(`${base}?url=${encodeURIComponent(`${base}none.pb`)}`);
  try {
    await page.until(`${found('[role=alert]')}?.textContent.includes('404')`);
  } finally {
    await page.close();
    stop();
  }
});
