// node browser.js MODULE.wasm COMMAND: MODULE.wasm in Chromium, by the page in
// wasi/examples/javascript/browser, and by its function run() on files in memory, gives
// what the native COMMAND gives: exit code, what it puts out and what it writes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join } from 'node:path';
import { root } from '../../web/test/runtimes/files.js';
import { temporary } from '../../web/test/runtimes/process.js';
import { openPage } from '../../web/test/support/chromium.js';
import { run } from '../examples/javascript/browser/cpb.js';

const [wasm, cpb] = process.argv.slice(2);
const PAGE = '/wasi/examples/javascript/browser/';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

// --- What is done with which file --------------------------------------------------

const data = (path) => readFileSync(join(root, 'tests/data', path));
const READ = [
  'info FILE --json',
  'verify FILE',
  'records FILE --json --sha256',
  'cat FILE --chunk 0',
  'merge FILE -o -',
  'merge FILE -o out.pb',
];
const SPLIT = 'split FILE --type tensorflow.GraphDef --max-chunk-size 5000 -o';
const graph = data('cpb/real_frozen_conv/orig.pb');

const codecs = ['none', 'zstd', 'brotli', 'snappy', 'tr'];
const cases = [
  ...codecs.map((codec) => `cpb/real_frozen_conv/max1000_${codec}.cpb`),
  'cpb_odd/damage_cut_10.cpb',
  'cpb_odd/damage_multi_flip_chunk_data.cpb',
  'cpb_odd/damage_text.cpb',
].map((path) => ({ file: basename(path), bytes: data(path), commands: READ }));
cases.push({
  file: 'graph.pb',
  bytes: graph,
  commands: ['inspect FILE --json', `${SPLIT} FILE`, 'merge missing.cpb -o out.pb', 'merge'],
});
cases.push({
  file: 'large.pb', // takes many reads
  bytes: Buffer.concat(Array(100).fill(graph)),
  commands: [`${SPLIT} out.cpb`, 'inspect FILE --json'],
});

// --- Natively ------------------------------------------------------------------------

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

function natively(file, bytes, words) {
  const folder = temporary();
  writeFileSync(join(folder.path, file), bytes);
  const { status, stdout, stderr } = spawnSync(cpb, words, { cwd: folder.path, maxBuffer: 1e9 });
  const written = readdirSync(folder.path)
    .filter((name) => name !== file)
    .map((name) => [name, hash(readFileSync(join(folder.path, name)))]);
  folder.remove();
  const output = stdout.length > 0 ? [['output', hash(stdout)]] : [];
  return { code: String(status), error: String(stderr), links: [...output, ...written] };
}

// --- In the page -----------------------------------------------------------------------

/** What is at a path: the repository's files, the module beside the page, the cases'. */
function find(path) {
  if (path === `${PAGE}cpb-cli.wasm`) return readFileSync(wasm);
  if (path.startsWith('/cases/')) return cases.find(({ file }) => file === basename(path)).bytes;
  const file = join(root, path.endsWith('/') ? `${path}index.html` : path);
  return existsSync(file) ? readFileSync(file) : null;
}

async function serve() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(String(request.url), 'http://host');
    const bytes = find(pathname);
    const type = TYPES[extname(pathname)] ?? (pathname.endsWith('/') ? 'text/html' : 'text/plain');
    response.writeHead(bytes ? 200 : 404, { 'Content-Type': type }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** As a visitor would: choose a file, type a command, press the button, take what is linked. */
async function visit(file, words) {
  const form = document.forms[0];
  const code = document.getElementById('code');
  const chosen = new DataTransfer();
  chosen.items.add(new File([await (await fetch(`/cases/${file}`)).blob()], file));
  form.files.files = chosen.files;
  form.words.value = words.join(' ');
  form.querySelector('button').click();
  while (code.textContent === '…') await new Promise((resolve) => setTimeout(resolve, 5));

  const byte = (value) => value.toString(16).padStart(2, '0');
  const digest = async (a) => {
    const bytes = await (await fetch(a.href)).arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [a.download, Array.from(hash, byte).join('')];
  };
  const links = await Promise.all([...document.querySelectorAll('#links a')].map(digest));
  return { code: code.textContent, text: document.getElementById('text').textContent, links };
}

const inPage = (page) => (file, _, words) =>
  page.evaluate(`(${visit})(${JSON.stringify(file)}, ${JSON.stringify(words)})`);

// --- In memory ---------------------------------------------------------------------------

const inMemory = (module) => async (file, bytes, words) => {
  const { code, output, error, written } = await run(module, words, { [file]: bytes });
  const outputs = { ...(output.size > 0 && { output }), ...written };
  const digest = async ([name, blob]) => [name, hash(new Uint8Array(await blob.arrayBuffer()))];
  const links = await Promise.all(Object.entries(outputs).map(digest));
  return { code: String(code), text: await error.text(), links };
};

// --- The same ----------------------------------------------------------------------------

const isSame = (native, { code, text, links }) =>
  code === native.code && text.startsWith(native.error) && JSON.stringify(links) === JSON.stringify(native.links);

async function compare(name, ask) {
  const begun = Date.now();
  const wrong = [];
  let count = 0;
  for (const { file, bytes, commands } of cases) {
    for (const command of commands) {
      const words = command.replaceAll('FILE', file).split(' ');
      const native = natively(file, bytes, words);
      const here = await ask(file, bytes, words);
      if (!isSame(native, here)) wrong.push({ words, native, here });
      count++;
    }
  }
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  console.log(`${name}: ${count - wrong.length} passed, ${wrong.length} failed in ${seconds}s`);
  for (const one of wrong.slice(0, 10)) console.log(JSON.stringify(one).slice(0, 1000));
  if (wrong.length > 0) process.exitCode = 1;
}

await compare('shim', inMemory(new WebAssembly.Module(readFileSync(wasm))));
const server = await serve();
const page = await openPage(`http://127.0.0.1:${server.address().port}${PAGE}`);
try {
  await page.until("document.forms.length > 0 && document.readyState === 'complete'");
  await compare('chromium', inPage(page));
} finally {
  await page.close();
  server.close();
  server.closeAllConnections();
}
