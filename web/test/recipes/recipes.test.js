/**
 * Recipes of web/examples, followed with the package as it is installed: Vite, Vitest, Jest and a service
 * worker; in a Next.js application and a bundle for React Native, by the conditions that those choose;
 * and Electron, as far as that goes without its program.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createProject, install, run } from '../package/project.js';
import { createRecipe, inRecipe, MODEL, startIn, urlOf } from '../package/recipe.js';
import { serve, testRecipes } from '../package/recipes.js';
import { root } from '../runtimes/files.js';
import { temporary } from '../runtimes/process.js';
import { openPage } from '../support/chromium.js';
import { serveFolder } from '../support/folder.js';
import { assert, base, each, test } from '../support/test.js';

const modules = [`${import.meta.dirname}/node_modules`];
const hermes = `${modules}/hermes-engine-cli/${process.platform === 'darwin' ? 'osx' : 'linux64'}-bin/hermes`;

/** @type {ReturnType<typeof createProject> | undefined} */
let made;
const tarball = () => (made ??= createProject()).tarball;
process.on('exit', () => made?.remove());

testRecipes(tarball);

const env = { NEXT_TELEMETRY_DISABLED: '1', MODELS: `${base}/${MODEL.slice(root.length, MODEL.lastIndexOf('/') + 1)}` };
const key = MODEL.slice(MODEL.lastIndexOf('/') + 1);

/** @param {string} site @returns {(path: string) => Promise<{ status: number, body: any }>} */
const asks = (site) => async (path) => {
  const response = await fetch(`${site}${path}`);
  const text = await response.text();
  assert.match(response.headers.get('content-type') ?? '', /json/, text.slice(0, 2000));
  return { status: response.status, body: JSON.parse(text) };
};

/** With webpack, what is for Node must be left where it is: the package's README says so. */
const external = "export default { serverExternalPackages: ['libcpb'] };\n";

for (const [bundler, options] of Object.entries({ Turbopack: [], webpack: ['--webpack'] })) {
  test(`examples/next, built by ${bundler}, answers from Node and from the Edge runtime`, async () => {
    const recipe = createRecipe('next', tarball(), { modules, copy: true });
    if (bundler === 'webpack') writeFileSync(`${recipe.path}/next.config.mjs`, external);
    await inRecipe(recipe, ['next', 'build', ...options], env); // which checks its types
    const server = startIn(recipe, ['next', 'start', '--port', '0'], env);
    try {
      const ask = asks(await urlOf(server));
      const { body, status } = await ask(`/api/model?key=${key}`);
      assert.equal(status, 200, JSON.stringify(body));
      const served = body.signatures.items.find((/** @type {any} */ one) => one.key === 'serving_default');
      assert.deepEqual(
        served.outputs.map((/** @type {any} */ { name }) => name),
        ['a', 'b'],
      );
      const tags = await ask(`/api/edge?key=${key}&field=meta_graphs[0].meta_info_def.tags`);
      assert.deepEqual(tags.body.value, ['serve'], JSON.stringify(tags.body));
      assert.ok(tags.body.transferred.requests <= 4, `${tags.body.transferred.requests} requests`);
      const mistakes = { '/api/model': 400, '/api/model?key=none.cpb': 404, '/api/edge?key=none.cpb&field=a': 404 };
      await each(
        Object.entries({ ...mistakes, [`/api/edge?key=${key}&field=none`]: 404 }),
        String,
        async ([path, code]) => assert.equal((await ask(path)).status, code),
      );
    } finally {
      await server.close();
      recipe.remove();
    }
  });
}

test('Parcel builds a page by the fields of package.json that it reads, without conditions', async () => {
  const { path, remove } = temporary();
  try {
    writeFileSync(`${path}/package.json`, '{ "private": true }');
    install(tarball(), path);
    writeFileSync(`${path}/index.html`, '<!doctype html><script type="module" src="./main.js"></script>');
    writeFileSync(
      `${path}/main.js`,
      `import { open, openInWorker } from 'libcpb';
       import { open as openMin } from 'libcpb/min';
       import { open as openInline } from 'libcpb/inline';
       const url = new URL('model.cpb', document.baseURI);
       Promise.all([open, openInWorker, openMin, openInline].map(async (open) => (await open(url)).numChunks)).then(
         (counts) => (document.title = String(counts)),
         (error) => (document.title = String(error)),
       );`,
    );
    const out = `${path}/out`;
    const args = ['build', 'index.html', '--no-cache', '--dist-dir', out, '--public-url', './'];
    run(`${modules[0]}/.bin/parcel`, args, { cwd: path });
    cpSync(MODEL, `${out}/model.cpb`);
    const server = await serveFolder(out);
    const page = await openPage(`${server.base}/index.html`);
    try {
      const counts = String(await page.until('document.title')).split(',');
      assert.equal(counts.length, 4, String(counts));
      for (const count of counts) assert.ok(Number(count) > 1, String(counts));
    } finally {
      await page.close();
      server.close();
    }
  } finally {
    remove();
  }
});

/** What an app's own file has, but for what prepares the device. */
const metroConfig = `const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config');
const serializer = { getModulesRunBeforeMainModule: () => [], getPolyfills: () => [] };
module.exports = mergeConfig(getDefaultConfig(__dirname), { serializer });
`;

const app = `import { CpbError, inspect, open, split } from 'libcpb';
const tell = (call) => (error) => print(call, error instanceof CpbError, error.code, error.message);
open('https://example.com/model.cpb').catch(tell('open'));
inspect('https://example.com/model.cpb').catch(tell('inspect'));
try { split(new Uint8Array(1)); } catch (error) { tell('split')(error); }
`;

test('Metro bundles the package for React Native, and in Hermes each function says that there is no WebAssembly', async () => {
  const recipe = createRecipe('', tarball(), { modules, copy: true });
  writeFileSync(`${recipe.path}/metro.config.js`, metroConfig);
  writeFileSync(`${recipe.path}/app.js`, app);
  const options = ['--platform', 'android', '--dev', 'false', '--reset-cache', '--config', 'metro.config.js'];
  await inRecipe(recipe, ['metro', 'build', 'app.js', '--out', 'bundle.js', ...options]);
  assert.ok(readFileSync(`${recipe.path}/bundle.js`, 'utf8').length < 100_000, 'the rest is not in the bundle');
  assert.ok(existsSync(hermes), hermes);
  const output = await inRecipe(recipe, [hermes, 'bundle.js']);
  for (const name of ['open', 'inspect', 'split']) {
    const line = new RegExp(`^${name} true UNSUPPORTED ${name}\\(\\): React Native has no WebAssembly`, 'm');
    assert.match(output, line);
  }
  recipe.remove();
});

/** As much of Electron as examples/electron uses: its programs cannot be had where only npm's registry is. */
const electron = `const handlers = new Map();
const says = (...all) => console.log(JSON.stringify(all));
exports.app = { whenReady: async () => {}, on() {}, quit() {} };
exports.dialog = { showOpenDialog: async () => ({ canceled: false, filePaths: [process.argv[2]] }) };
exports.ipcMain = { handle: (name, answer) => handlers.set(name, answer) };
exports.ipcRenderer = { invoke: (name) => handlers.get(name)() };
exports.contextBridge = {
  exposeInMainWorld: async (name, calls) => says(name, Object.keys(calls), structuredClone(await calls.choose())),
};
exports.BrowserWindow = class {
  constructor({ webPreferences }) {
    says('window', webPreferences);
    this.preload = webPreferences.preload;
  }
  async loadFile(name) {
    says('page', name);
    require(this.preload);
  }
};
`;

test('examples/electron fits the types of Electron, and its page shows what its main process answers', async () => {
  const recipe = createRecipe('electron', tarball(), { modules });
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--allowJs', '--checkJs'];
  await inRecipe(recipe, ['tsc', ...strict, '--types', 'node', '--skipLibCheck', 'main.mjs', 'preload.cjs']);

  rmSync(`${recipe.path}/node_modules/electron`);
  mkdirSync(`${recipe.path}/node_modules/electron`);
  writeFileSync(`${recipe.path}/node_modules/electron/index.js`, electron);
  /** @type {(model: string) => Promise<any[]>} */
  const answers = async (model) => {
    const output = await inRecipe(recipe, [process.execPath, 'main.mjs', model]);
    return output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [window, shown, [name, calls, model]] = await answers(MODEL);
  assert.equal(window[1].contextIsolation && window[1].sandbox, true);
  assert.deepEqual([shown, name, calls], [['page', 'index.html'], 'models', ['choose']]);
  assert.ok(
    model.signatures.some((/** @type {any} */ { key }) => key === 'serving_default'),
    JSON.stringify(model),
  );
  const [, , [, , refused]] = await answers(`${root}none.cpb`);
  assert.match(refused.error ?? '', /^READ: .*none\.cpb/, JSON.stringify(refused));

  const server = await serve(recipe.path);
  const page = await openPage('about:blank');
  try {
    const source = `globalThis.models = { choose: async () => (${JSON.stringify(model)}) }`;
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source });
    await page.send('Page.navigate', { url: `${server.site}/index.html` });
    await page.until('document.querySelector("button").onclick');
    await page.evaluate('document.querySelector("button").click()');
    const said = 'document.querySelector("output").textContent';
    assert.match(await page.until(said), /^serving_default\(img\) → a, b$/m);
  } finally {
    await page.close();
    server.close();
    recipe.remove();
  }
});
