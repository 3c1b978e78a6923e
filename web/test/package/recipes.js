/** Recipes of ../../examples whose tools are installed with the tests' own; ../recipes runs them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { launch } from '../runtimes/browsers.js';
import { root } from '../runtimes/files.js';
import { within } from '../runtimes/process.js';
import { openPage } from '../support/chromium.js';
import { assert, base, each, test } from '../support/test.js';
import { createRecipe, inRecipe, MODEL, startIn, urlOf } from './recipe.js';

const another = `${root}tests/data/cpb/real_keras_export/`;

/** @param {() => string} tarball */
export function testRecipes(tarball) {
  test('examples/vitest passes for its model and fails for another', () =>
    testsModel(tarball(), 'vitest', ['vitest', 'run']));

  test('examples/jest passes for its model and fails for another', () =>
    testsModel(tarball(), 'jest', ['jest'], { NODE_OPTIONS: '--experimental-vm-modules' }));

  test('examples/vite fits its types, and built as well as served for development shows a model', () =>
    showsModel(tarball()));

  test('examples/service-worker answers in each browser from a file elsewhere', () => servesModel(tarball()));
}

/** @param {string} tarball @param {string} name @param {string[]} command @param {Record<string, string>} [env] */
async function testsModel(tarball, name, command, env) {
  const recipe = createRecipe(name, tarball);
  copyFileSync(MODEL, `${recipe.path}/saved_model.cpb`);
  assert.match(await inRecipe(recipe, command, env), /Tests:? +2 passed/);
  const { code, output } = await startIn(recipe, command, { ...env, MODEL: `${another}max3000_none.cpb` }).ended;
  assert.equal(code, 1, output);
  assert.match(output, /1 failed.*1 passed/);
}

const strict = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];

/** @param {string} tarball */
async function showsModel(tarball) {
  const recipe = createRecipe('vite', tarball);
  await inRecipe(recipe, ['tsc', ...strict, 'main.ts']);
  await inRecipe(recipe, ['vite', 'build']);
  for (const command of [['vite', 'preview'], ['vite']]) {
    const server = startIn(recipe, [...command, '--port', '0', '--host', '127.0.0.1']);
    try {
      const page = await openPage(`${await urlOf(server)}/?url=${base}/${MODEL.slice(root.length)}`);
      const said = 'document.querySelector("output").innerText';
      assert.match(await page.until(`/requests|:/.test(${said}) && ${said}`), /^serving_default\(img\) → a, b$/m);
      await page.close();
    } finally {
      await server.close();
    }
  }
}

/** @param {string} tarball */
async function servesModel(tarball) {
  const { path } = createRecipe('service-worker', tarball);
  copyFileSync(`${path}/node_modules/libcpb/dist/inline.js`, `${path}/libcpb.js`);
  copyFileSync(`${import.meta.dirname}/service-worker.js`, `${path}/check.js`);
  writeFileSync(`${path}/check.html`, '<!doctype html><title>x</title><script type="module" src="check.js"></script>');
  const whole = execFileSync(`${root}build/cpb`, ['merge', '-q', `${another}max3000_zstd.cpb`, '-o', '-']);
  const expected = {
    digest: createHash('sha256').update(whole).digest('hex'),
    range: [206, `bytes 5000-5009/${whole.length}`, [...whole.subarray(5000, 5010)]],
    tags: ['serve'],
    statuses: [200, 404, 404, 200, 416],
  };
  await each(['chromium', 'firefox', 'webkit'], String, async (name) => {
    const { site, report, close } = await serve(path);
    const models = encodeURIComponent(`${base}/tests/data/cpb/real_keras_export/`);
    const browser = launch(name, `${site}/check.html?models=${models}`);
    try {
      const found = await within(report, 60_000);
      assert.deepEqual(found ?? browser.output().slice(-3000), expected);
    } finally {
      await browser.close();
      close();
    }
  });
}

const types = { html: 'text/html', js: 'text/javascript' };

/** A folder's files, and what its page posts to /report. @param {string} folder */
export async function serve(folder) {
  /** @type {(found: any) => void} */
  let tell = () => {};
  const report = new Promise((resolve) => (tell = resolve));
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(String(request.url), 'http://x');
    if (request.method === 'POST') {
      let body = '';
      for await (const part of request.setEncoding('utf8')) body += part;
      tell(JSON.parse(body));
      return response.writeHead(204).end();
    }
    const type = /** @type {any} */ (types)[String(pathname.split('.').pop())];
    if (!type) return response.writeHead(404).end();
    return response.writeHead(200, { 'Content-Type': type }).end(readFileSync(folder + pathname));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { site: `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`, report, close };
}
