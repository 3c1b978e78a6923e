/**
 * The package as it is installed: what is published is in order, its types can be used,
 * and pages made with bundlers open a file in a browser.
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundlers, startVite } from './package/bundlers.js';
import { writeExamples } from './package/examples.js';
import { createProject, load, run, tool } from './package/project.js';
import { within } from './runtimes/process.js';
import { startServer } from './runtimes/server.js';
import { openTab } from './support/chromium.js';
import { assert, each, test } from './support/test.js';

const FILE = 'tests/data/cpb/real_keras_export/max3000_none.cpb';

/** Those that find `new Worker(new URL(...))`, and where it is not needed. */
const haveWorkers = ['vite', 'webpack', 'inline'];

const skip = existsSync(tool('esbuild')) ? false : 'not installed: run web/test/setup.sh';

/** What takes long, and breaks seldom. */
const long = skip || (process.env.CPB_TEST_ALL ? false : 'before a release');

/** @type {ReturnType<typeof createProject> | undefined} */
let made;
const project = () => (made ??= createProject());
process.on('exit', () => made?.remove());

test('publint finds nothing', { skip }, async () => {
  const { publint } = await load('publint');
  const { readFile } = await import('node:fs/promises');
  const bytes = await readFile(project().tarball);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { messages } = await publint({ pack: { tarball }, strict: true });
  // The field is beside `exports`, for tools that read no conditions.
  const found = messages.filter((/** @type {any} */ { code }) => code !== 'USE_EXPORTS_BROWSER');
  assert.deepEqual(found, []);
});

test('the types are found by every way of resolution, that of Node 10, too', { skip }, () => {
  // What is not an ES module itself imports it by import(), which this would call a fault.
  const rules = ['--ignore-rules', 'cjs-resolves-to-esm'];
  run(tool('attw'), [project().tarball, ...rules, '--no-color', '--no-emoji']);
});

/** The newest TypeScript and the oldest that has what the types are written in. */
const compilers = {
  newest: tool('tsc'),
  oldest: `${import.meta.dirname}/package/node_modules/typescript-oldest/bin/tsc`,
};

/**
 * Compiles in the project as a user does who sets nothing but `strict`; the package's
 * own types are checked with it.
 *
 * @param {string} compiler
 * @param {string} resolution
 * @param {string[]} args
 */
const compile = (compiler, resolution, ...args) =>
  run(
    compiler,
    [
      ...['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom'],
      ...[
        '--module',
        ['bundler', 'node10'].includes(resolution) ? 'esnext' : resolution,
        '--moduleResolution',
        resolution,
      ],
      ...args,
    ],
    { cwd: project().app },
  );

/** Of these each has the one that is of its age; the test before finds the types by all of them. */
const resolutions = { newest: 'nodenext', oldest: 'node10' };
const every = ['bundler', 'node10', 'node16', 'nodenext'];

for (const [age, compiler] of Object.entries(compilers)) {
  test(`a strict program of the ${age} TypeScript uses the types`, { skip }, () =>
    each(
      process.env.CPB_TEST_ALL ? every : [resolutions[/** @type {'newest' | 'oldest'} */ (age)]],
      String,
      (resolution) => compile(compiler, resolution, '--noUncheckedIndexedAccess', 'types/consumer.ts'),
    ),
  );
}

/** What a program is compiled with beside the language; by default with the first. @type {Record<string, string[]>} */
const platforms = {
  nothing: ['--lib', 'es2022'],
  "Node's types": [
    '--lib',
    'es2022',
    '--typeRoots',
    `${import.meta.dirname}/package/node_modules/@types`,
    '--types',
    'node',
  ],
  Workers: ['--lib', 'es2022,webworker'],
};

test('the types need no DOM', { skip }, () =>
  each(
    Object.entries(platforms).slice(0, process.env.CPB_TEST_ALL ? undefined : 1),
    ([name]) => name,
    ([, args]) => compile(compilers.newest, 'nodenext', ...args, 'types/bare.ts'),
  ),
);

test('the examples of the READMEs and docs fit the types', { skip }, () => {
  const files = writeExamples(`${project().app}/examples`);
  assert.ok(files.length > 20, `${files.length} examples`);
  // They are JavaScript, where parameters have no types.
  compile(compilers.newest, 'bundler', '--noImplicitAny', 'false', 'types/examples.d.ts', ...files);
});

test('Deno finds no mistake in the types, nor in its example', { skip }, () => {
  const { app } = project();
  cpSync(new URL('../examples/deno.ts', import.meta.url), `${app}/deno.ts`);
  const deno = `${import.meta.dirname}/node_modules/.bin/deno`;
  const files = ['deno.ts', 'types/consumer.ts'];
  run(deno, ['check', '--all', '--node-modules-dir=manual', ...files], { cwd: app });
});

test('the package can be published on JSR', { skip: long }, () => {
  const { dist, jsr } = project();
  run(process.execPath, [`${import.meta.dirname}/../scripts/jsr.js`, dist, jsr]);
  const deno = `${import.meta.dirname}/node_modules/.bin/deno`;
  run(deno, ['publish', '--dry-run', '--allow-dirty', '--allow-slow-types'], { cwd: jsr });
  const file = new URL(`../../${FILE}`, import.meta.url).pathname;
  const script = `import { open } from './inline.js'; console.log((await open(await Deno.readFile('${file}'))).numChunks);`;
  assert.ok(Number(run(deno, ['eval', '--no-config', script], { cwd: jsr })) > 1);
});

test('every export is documented, with a recipe for each runtime and each store', { skip }, () => {
  const { dist } = project();
  run(process.execPath, [`${import.meta.dirname}/../scripts/docs.js`, dist]);
  const reference = readFileSync(`${dist}/docs/reference.md`, 'utf8');
  for (const name of ['open', 'openRecords', 'urlSource', 'Message', 'CpbError']) {
    assert.ok(reference.includes(`### ${name}`), name);
  }
  const recipes = [
    'Bundlers',
    'esbuild',
    'Browser without a bundler',
    'In a Web Worker',
    'One file, nothing to configure',
    'Cloudflare Workers',
    'Amazon S3 and compatible stores',
    'Cloudflare R2',
    'Google Cloud Storage',
    'Azure Blob Storage',
    'Your own server',
    'Any other source',
  ];
  for (const name of recipes) {
    const [, recipe = ''] = reference.split(`\n### ${name}\n`);
    assert.ok(String(recipe.split('\n#')[0]).trim().length > 50, name);
  }
});

test('Node, Deno and Bun take the entry for them of what is installed', { skip }, async () => {
  const script = `import { open } from 'libcpb';
    const message = await open('${fileURLToPath(new URL(`../../${FILE}`, import.meta.url))}');
    console.log(import.meta.resolve('libcpb'));
    console.log(message.numChunks, (await message.chunk(1).bytes()).length, message.chunk(1).size);
    message.close();`;
  writeFileSync(`${project().app}/opens.js`, script);
  const bin = `${import.meta.dirname}/node_modules/.bin`;
  const commands = {
    node: [process.execPath],
    deno: [`${bin}/deno`, 'run', '--allow-read', '--node-modules-dir=manual', '--no-lock'],
    bun: [`${bin}/bun`],
  };
  await each(
    Object.entries(commands),
    ([name]) => name,
    ([, [program = '', ...args]]) => {
      const said = run(program, [...args, 'opens.js'], { cwd: project().app });
      const [entry = '', numbers = ''] = String(said).trim().split('\n');
      assert.match(entry, /libcpb\/dist\/node\.js$/);
      const [count, length, size] = numbers.split(' ').map(Number);
      assert.ok(Number(count) > 1, 'chunks');
      assert.equal(length, size);
    },
  );
});

for (const [name, build] of Object.entries(bundlers)) {
  test(`a page made with ${name} opens a file in a browser`, { skip: name === 'rollup' ? long : skip }, async () => {
    await build(project().app);
    /** @type {PageAt} */
    const page = (origin) => `${origin}/${project().url(`out/${name}/index.html`)}?`;
    await opens(page);
    if (haveWorkers.includes(name)) await opens((origin) => `${page(origin)}worker&`);
  });
}

test('a page opens a file by one script of another origin, and in its Worker', { skip }, async () => {
  const script = project().url('node_modules/libcpb/dist/inline.js');
  /** @type {PageAt} */
  const page = (origin) =>
    `${origin}/${project().url('elsewhere.html')}?from=${origin.replace('127.0.0.1', 'localhost')}/${script}&`;
  await opens(page);
  await opens((origin) => `${page(origin)}worker&`);
});

test("a page on Vite's server opens a file in a browser", { skip }, async () => {
  const vite = await startVite(project().app);
  try {
    await opens(() => `${vite.url}?`);
    await opens(() => `${vite.url}?worker&`);
  } finally {
    await vite.close();
  }
});

/** @typedef {(origin: string) => string} PageAt up to its query */

/** @param {PageAt} pageAt */
async function opens(pageAt) {
  const report = await reported(pageAt);
  assert.equal(report.error, undefined);
  const { open } = await import('../src/node.js');
  const message = await open(new URL(`../../${FILE}`, import.meta.url));
  const sizes = [...message.chunks()].map(({ size }) => size);
  const merged = await message.messageSize();
  assert.deepEqual(report, { kind: 'cpb', size: message.size, sizes, merged });
  message.close();
}

/**
 * What the page says that it found.
 *
 * @param {PageAt} pageAt
 * @returns {Promise<any>}
 */
async function reported(pageAt) {
  /** @type {(report: unknown) => void} */
  let tell = () => {};
  const told = new Promise((resolve) => (tell = resolve));
  const server = await startServer({
    handlers: {
      '/-/report': async (request, response) => {
        let body = '';
        for await (const part of request.setEncoding('utf8')) body += part;
        response.writeHead(204, { 'Access-Control-Allow-Origin': '*' }).end();
        if (body) tell(JSON.parse(body));
      },
    },
  });
  const query = new URLSearchParams({
    file: `${server.base}/${FILE}`,
    report: `${server.base}/-/report`,
  });
  const page = await openTab(`${pageAt(server.base)}${query}`);
  try {
    const report = await within(told, 60_000);
    return report ?? { error: `no report\n${await page.evaluate('document.documentElement.innerText')}` };
  } finally {
    await page.close();
    server.close();
  }
}
