/**
 * What a page and a program load of the package: files, and bytes of JavaScript after Brotli. A page is built by Vite
 * as its users do, with its defaults, and opened in Chromium.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { load, tool } from './package/project.js';
import { root } from './runtimes/files.js';
import { temporary } from './runtimes/process.js';
import { openPage } from './support/chromium.js';
import { serveFolder } from './support/folder.js';
import { assert, each, test } from './support/test.js';

const FILE = 'tests/data/cpb/real_keras_export/max3000_none.cpb';

/** What a page does, and the most bytes of JavaScript that it may load for it: what was reached. */
const pages = {
  open: { limit: 11_900, code: "import { open } from 'libcpb'; done((await open('file.cpb')).numChunks);" },
  field: {
    limit: 25_000,
    code: "import { open } from 'libcpb'; done(await (await (await open('file.cpb')).field('meta_graphs[0].meta_info_def.tensorflow_version')).json());",
  },
  inspect: {
    limit: 27_750,
    code: "import { inspect } from 'libcpb'; done(await (await inspect('file.cpb')).ask('overview'));",
  },
};

const skip = existsSync(tool('esbuild')) ? false : 'not installed: run web/test/setup.sh';

/** @param {string} file */
const brotli = (file) =>
  brotliCompressSync(readFileSync(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/** @type {ReturnType<typeof makeSite> | undefined} */
let made;
const site = () => (made ??= makeSite());

/** A folder with the package, as npm installs it but for types, and with a file. */
async function makeSite() {
  const { path, remove } = temporary();
  process.on('exit', remove);
  const { bundle } = await import('../scripts/bundle.js');
  const installed = join(path, 'node_modules/libcpb');
  mkdirSync(installed, { recursive: true });
  await bundle(`${root}web/src`, join(installed, 'dist'));
  cpSync(`${root}web/package.json`, join(installed, 'package.json'));
  cpSync(`${root}web/src/inspect/operators`, join(installed, 'dist/operators'), { recursive: true });
  cpSync(`${root}build/web`, join(installed, 'dist/wasm'), {
    recursive: true,
    filter: (name) => /(web|\.wasm)$/.test(name),
  });
  cpSync(root + FILE, join(path, 'file.cpb'));
  return { path, dist: join(installed, 'dist') };
}

/**
 * What a page loads until it is done.
 *
 * @param {string} page path below the folder
 * @returns {Promise<string[]>} paths
 */
async function loadedBy(page) {
  const { path } = await site();
  const server = await serveFolder(path);
  const shown = await openPage(`${server.base}${page}`);
  try {
    const error = await shown.until('document.title');
    assert.equal(error, 'done');
    return server.log.filter((name) => name.endsWith('.js') || name.endsWith('.wasm'));
  } finally {
    await shown.close();
    server.close();
  }
}

/**
 * @param {string} name of the page
 * @param {string} code a module that calls `done`
 */
async function writePage(name, code) {
  const { path } = await site();
  const told = `const done = () => (document.title = 'done');
addEventListener('unhandledrejection', ({ reason }) => (document.title = String(reason)));`;
  mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, name, 'main.js'), `${told}\n${code}`);
  writeFileSync(join(path, name, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script>');
  cpSync(join(path, 'file.cpb'), join(path, name, 'file.cpb'));
}

for (const [name, { limit, code }] of Object.entries(pages)) {
  test(`a page that Vite builds loads at most ${limit} bytes of JavaScript for ${name}()`, { skip }, async () => {
    const { path } = await site();
    await writePage(name, code);
    const { build } = await load('vite');
    await build({ root: join(path, name), base: './', configFile: false, logLevel: 'error' });
    cpSync(join(path, 'file.cpb'), join(path, name, 'dist/file.cpb'));
    const files = await loadedBy(`/${name}/dist/index.html`);
    const sizes = files.filter((file) => file.endsWith('.js')).map((file) => [file, brotli(path + file)]);
    const sum = sizes.reduce((all, [, size]) => all + Number(size), 0);
    console.table([...sizes, ['in all', sum]]);
    assert.ok(sum <= limit, `${sum} bytes`);
    assert.equal(files.length - sizes.length, 1, 'one module');
  });
}

const MIN = '/node_modules/libcpb/dist/libcpb.min.js';

test('a page without a bundler loads one script, and another for a Worker', { skip }, async () => {
  const written = (/** @type {string} */ name, /** @type {string} */ code) =>
    writePage(name, `import { inspectInWorker, open, openInWorker } from '${MIN}';\n${code}`);
  await written('plain', "done((await open('file.cpb')).numChunks);");
  await written('inspected', "done(await (await inspectInWorker('file.cpb')).ask('overview'));");
  await each(
    [
      ['plain', ['libcpb.min.js', 'reader.wasm']],
      ['inspected', ['libcpb.min.js', 'inspect.wasm', 'host.js']],
    ],
    ([name]) => String(name),
    async ([name, wanted]) => {
      const loaded = (await loadedBy(`/${name}/index.html`)).filter((file) => !file.endsWith('main.js'));
      assert.deepEqual(
        loaded.map((file) => file.split('/').pop()).sort(),
        [.../** @type {string[]} */ (wanted)].sort(),
      );
    },
  );
});

test('a page whose Worker is missing is told which script that is', { skip }, async () => {
  const code = `import { init, openInWorker } from '${MIN}';
    await init({ worker: '/no-such-host.js' });
    const { message } = await openInWorker('file.cpb').catch((error) => error);
    if (!/^no worker started from http.*no-such-host.js .*init/.test(message)) throw new Error(message);
    done();`;
  await writePage('missing', code);
  await loadedBy('/missing/index.html');
});

test('the scripts of other runtimes and of Workers are one file each', { skip }, async () => {
  const { dist } = await site();
  const scripts = readdirSync(dist).filter((name) => name.endsWith('.js') && !/^(index|part-.*)\.js$/.test(name));
  assert.ok(scripts.length >= 7, String(scripts));
  for (const name of scripts) {
    const imported = readFileSync(join(dist, name), 'utf8').matchAll(/(?:\bfrom|\bimport|\bimport\()\s*["'](.*?)["']/g);
    const others = [...imported]
      .map(([, path = '']) => path)
      .filter((path) => !/^node:|^\.\/operators\/|\.wasm/.test(path));
    assert.deepEqual(others, [], name);
  }
});
