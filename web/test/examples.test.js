/** Each example, run as a reader would: from a folder with the package as npm installs it. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './runtimes/files.js';
import { start, temporary } from './runtimes/process.js';
import { credentials, versitygw } from './servers/versitygw.js';
import { openPage } from './support/chromium.js';
import { serveFolder } from './support/folder.js';
import { assert, test } from './support/test.js';

const cpb = `${root}build/cpb`;
const original = `${root}tests/data/cpb/real_keras_export/orig.pb`;
const another = `${root}tests/data/cpb/real_tf_module/orig.pb`;
const bin = `${root}web/test/node_modules/.bin`;

/** @type {ReturnType<typeof makeUser> | undefined} */
let user;

/** A folder with the examples and, in node_modules, what they import. */
function makeUser() {
  const { path, remove } = temporary();
  process.on('exit', remove);
  const modules = join(path, 'node_modules');
  execFileSync(process.execPath, [
    `${root}web/scripts/dist.js`,
    '--sources-only',
    `${root}build/web`,
    join(modules, 'libcpb/dist'),
  ]);
  cpSync(`${root}web/package.json`, join(modules, 'libcpb/package.json'));
  cpSync(`${root}web/test/servers/node_modules/aws4fetch`, join(modules, 'aws4fetch'), {
    recursive: true,
  });
  cpSync(`${root}web/examples`, join(path, 'examples'), { recursive: true });
  // Where the page expects the package.
  symlinkSync(join(modules, 'libcpb/dist'), join(path, 'dist'));
  writeFileSync(join(path, 'package.json'), '{ "type": "module" }');
  cpSync(original, join(path, 'model.pb'));
  const split = ['split', '-q', original, '-o', join(path, 'model.cpb')];
  execFileSync(cpb, [...split, '--max-chunk-size', '3000']);
  mkdirSync(join(path, 'out'));
  return { path, example: (/** @type {string} */ name) => join(path, 'examples', name) };
}
const folder = () => (user ??= makeUser());

/**
 * @param {string[]} command
 * @param {Record<string, string>} [env]
 * @returns {Promise<string>} what it printed
 */
async function run(command, env) {
  const { code, output } = await start(command, env).ended;
  assert.equal(code, 0, `${command.join(' ')}\n${output}`);
  return output;
}

/** Serves the folder of examples. @param {(base: string) => Promise<void>} act */
async function pages(act) {
  const server = await serveFolder(folder().path, '/no-answer.cpb');
  await act(server.base).finally(server.close);
}

test('node-http.js reads by range what was split', () =>
  pages(async (base) => {
    const field = 'meta_graphs[0].meta_info_def.tensorflow_version';
    const command = [folder().example('node-http.js'), `${base}/model.cpb`, field, original];
    const output = await run([process.execPath, ...command]);
    assert.match(output, /"2\.\d+\.\d+"/);
    assert.match(output, /the merged message is that file, byte for byte/);
  }));

test('node-http.js fails when the original is another', () =>
  pages(async (base) => {
    const command = [folder().example('node-http.js'), `${base}/model.cpb`, '', another];
    const { code, output } = await start([process.execPath, ...command]).ended;
    assert.equal(code, 1);
    assert.match(output, /the merged message is not/);
  }));

test('node-s3.mjs reads from a bucket with signed requests, and says what is refused', async () => {
  const work = temporary();
  const server = await versitygw(work.path);
  try {
    mkdirSync(join(work.path, 'buckets/models'));
    cpSync(join(folder().path, 'model.cpb'), join(work.path, 'buckets/models/one model.cpb'));
    const env = {
      S3_ENDPOINT: server.base,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    const command = [process.execPath, folder().example('node-s3.mjs'), 'models', 'one model.cpb'];
    assert.match(await run(command, env), /^0\tMESSAGE\t\d+\t64\n1\t/m);
    const field = await run([...command, 'saved_model_schema_version'], env);
    assert.match(field, /^"1"\n[12] requests, \d+ bytes/m);
    const refused = await start(command, { ...env, AWS_SECRET_ACCESS_KEY: 'wrong' }).ended;
    assert.equal(refused.code, 1);
    assert.match(refused.output, /answered 403/);
  } finally {
    await server.close();
    work.remove();
  }
});

test('lambda/ answers about a model in a bucket, by the client of the AWS SDK', async () => {
  const work = temporary();
  const server = await versitygw(work.path);
  try {
    mkdirSync(join(work.path, 'buckets/models'));
    for (const name of ['model.pb', 'model.cpb', 'package.json'])
      cpSync(join(folder().path, name), join(work.path, 'buckets/models', name));
    // Node does not look for packages beside a link.
    symlinkSync(`${root}web/test/servers/node_modules/@aws-sdk`, join(folder().path, 'node_modules/@aws-sdk'));
    const env = {
      AWS_ENDPOINT_URL_S3: server.base,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: credentials.region,
      MODELS: 'models',
    };
    // As the runtime calls it: an event after the other, in one process.
    const script = `import { handler } from ${JSON.stringify(folder().example('lambda/handler.mjs'))};
      for (const key of ['model.pb', 'model.cpb', 'none.pb', 'package.json', undefined])
        console.log(JSON.stringify(await handler({ queryStringParameters: { key } })));`;
    const output = await run([process.execPath, '--input-type=module', '-e', script], env);
    const [pb, chunked, none, other, nothing] = output
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    assert.equal(pb.statusCode, 200, pb.body);
    const { overview, transferred } = JSON.parse(pb.body);
    const native = execFileSync(cpb, ['inspect', join(folder().path, 'model.pb'), '--json'], { encoding: 'utf8' });
    assert.deepEqual(overview.signatures, JSON.parse(native).signatures);
    assert.ok(transferred.requests <= 6, `${transferred.requests} requests`);
    assert.deepEqual(JSON.parse(chunked.body).overview.signatures, overview.signatures);
    assert.deepEqual(
      [none, other, nothing].map(({ statusCode }) => statusCode),
      [404, 415, 400],
    );
  } finally {
    await server.close();
    work.remove();
  }
});

/** The Worker as wrangler bundles it, by the package's condition `workerd`. */
async function bundleWorker() {
  const { path } = folder();
  const out = join(path, 'out/worker');
  const config = ['--config', folder().example('worker/wrangler.toml')];
  const env = { WRANGLER_SEND_METRICS: 'false', WRANGLER_LOG_PATH: join(path, 'out/wrangler.log') };
  await run([`${bin}/wrangler`, 'deploy', '--dry-run', '--outdir', out, ...config], env);
  const modules = readdirSync(out).filter((name) => name.endsWith('.wasm'));
  return ['worker.js', ...modules].map((name) => ({
    type: name === 'worker.js' ? 'ESModule' : 'CompiledWasm',
    path: join(out, name),
    contents: readFileSync(join(out, name)),
  }));
}

test('worker/, bundled by wrangler, answers about a model in an R2 bucket', async () => {
  const { Miniflare } = await import('miniflare');
  const modules = await bundleWorker();
  const worker = new Miniflare({
    modulesRoot: join(folder().path, 'out/worker'),
    modules: /** @type {any} */ (modules),
    compatibilityDate: '2026-04-01',
    r2Buckets: ['MODELS'],
  });
  /** @type {(query: string) => Promise<{status: number, body: any}>} */
  const ask = async (query) => {
    const response = await worker.dispatchFetch(`http://worker/${query}`);
    return { status: response.status, body: await response.json() };
  };
  try {
    const bucket = /** @type {any} */ (await worker.getR2Bucket('MODELS'));
    await bucket.put('a/model.cpb', new Uint8Array(readFileSync(join(folder().path, 'model.cpb'))));
    const { status, body } = await ask('?key=a/model.cpb');
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.type, 'tensorflow.SavedModel');
    assert.equal(body.chunks[0].position, 64);
    assert.deepEqual(body.signatures.serve.inputs, ['keras_tensor']);
    assert.ok(body.transferred.requests > 0);
    const field = await ask('?key=a/model.cpb&field=meta_graphs[0].meta_info_def.tags');
    assert.deepEqual(field.body.value, ['serve']);
    assert.equal((await ask('')).status, 400);
    assert.equal((await ask('?key=none.cpb')).status, 404);
    const none = await ask('?key=a/model.cpb&field=no_such_field');
    assert.deepEqual([none.status, none.body.code], [404, 'NOT_FOUND']);
  } finally {
    await worker.dispose();
  }
});

test('deno.ts lists the chunks and saves one', async () => {
  const { path, example } = folder();
  const out = join(path, 'out/chunk');
  const allowed = ['--allow-read', '--allow-write', '--no-lock', '--node-modules-dir=manual'];
  const args = [example('deno.ts'), join(path, 'model.cpb'), '1', out];
  const output = await run([`${bin}/deno`, 'run', ...allowed, ...args], { NO_COLOR: '1' });
  assert.match(output, /^\d+ MESSAGE \d+$/m);
  const chunk = execFileSync(cpb, ['cat', join(path, 'model.cpb'), '--chunk', '1']);
  assert.deepEqual(new Uint8Array(readFileSync(out)), new Uint8Array(chunk));
});

test('bun.js serves the merged message and ranges of it', async () => {
  const { path, example } = folder();
  const whole = readFileSync(original);
  const child = spawn(`${bin}/bun`, [example('bun.js'), join(path, 'model.cpb')], { cwd: path });
  try {
    let output = '';
    const base = await new Promise((resolve, reject) => {
      const look = (/** @type {Buffer} */ text) => {
        const found = /at (http:\S+)/.exec((output += text));
        if (found) resolve(found[1]);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.on('close', () => reject(new Error(output)));
    });
    /** @type {(range?: string) => Promise<Response>} */
    const get = (range) => fetch(base, range ? { headers: { Range: range } } : {});
    const bytes = async (/** @type {Response} */ r) => new Uint8Array(await r.arrayBuffer());
    assert.deepEqual(await bytes(await get()), new Uint8Array(whole));
    const part = await get('bytes=5000-20000');
    assert.equal(part.status, 206);
    assert.deepEqual(await bytes(part), new Uint8Array(whole.subarray(5000, 20001)));
    const end = await get('bytes=-100');
    assert.deepEqual(await bytes(end), new Uint8Array(whole.subarray(-100)));
    assert.equal((await get(`bytes=${whole.length}-`)).status, 416);
  } finally {
    child.kill('SIGKILL');
  }
});

const page = '/examples/page/index.html';
const idle = 'document.getElementById("cancel").hidden';
const shown = (/** @type {string} */ id) => `document.getElementById("${id}").innerText`;

test('the page opens an address, looks a chunk up, reads a field and says what it took', () =>
  pages(async (base) => {
    const field = 'meta_graphs[0].meta_info_def.tags';
    const query = new URLSearchParams({ url: `${base}/model.cpb`, field });
    const browser = await openPage(`${base}${page}?${query}`);
    try {
      assert.deepEqual(JSON.parse(await browser.until(shown('json'))), ['serve']);
      assert.match(await browser.evaluate(shown('summary')), /chunked \(\.cpb\)/);
      assert.match(await browser.evaluate(shown('cost')), /^\d+ reads? so far, [\d,]+ bytes/);
      assert.ok(await browser.evaluate('document.querySelectorAll("#chunks tr").length > 5'));
      assert.match(await browser.evaluate(shown('tree')), /meta_graphs\[0\]/);
      await browser.evaluate('document.querySelector("#chunks tr:nth-child(2) button").click()');
      const stored = 'document.querySelector("#chunks tr:nth-child(2) td:nth-child(5)").innerText';
      await browser.until(`${idle} && !${stored}.includes("look up")`);
      assert.match(await browser.evaluate(stored), /^[\d,]+ bytes, (zstd|as it is)/);
      // A path of the tree, from the keyboard.
      await browser.evaluate('document.querySelector("#tree li li button").focus()');
      for (const type of ['keyDown', 'keyUp']) {
        const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
        await browser.send('Input.dispatchKeyEvent', { type, ...enter });
      }
      await browser.until(`${idle} && /MetaGraphDef|FunctionDef/.test(${shown('facts')})`);
    } finally {
      await browser.close();
    }
  }));

test('the page opens a file that is dropped, and saves the merged message', () =>
  pages(async (base) => {
    const browser = await openPage(`${base}${page}`);
    try {
      await browser.until('document.title && document.readyState === "complete"');
      await browser.evaluate(`(async () => {
        globalThis.saved = new Promise((resolve) => {
          URL.createObjectURL = (blob) => (resolve(blob.arrayBuffer()), 'blob:none');
        });
        const blob = await (await fetch('/model.cpb')).blob();
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([blob], 'dropped.cpb'));
        dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
      })()`);
      await browser.until('!document.querySelector("main").hidden');
      assert.match(await browser.evaluate(shown('summary')), /dropped\.cpb/);
      const same = `(async () => {
        document.getElementById('save').click();
        const original = new Uint8Array(await (await fetch('/model.pb')).arrayBuffer());
        const merged = new Uint8Array(await saved);
        return merged.length === original.length && merged.every((b, i) => b === original[i]);
      })()`;
      assert.equal(await browser.evaluate(same), true);
    } finally {
      await browser.close();
    }
  }));

test('the page says which headers are missing when another site refuses', () =>
  pages(async (base) =>
    pages(async (other) => {
      const query = new URLSearchParams({ url: `${other}/model.cpb` });
      const browser = await openPage(`${base}${page}?${query}`);
      try {
        const error = await browser.until(shown('error'));
        assert.match(error, /Access-Control-Allow-Origin/);
        assert.match(error, /Access-Control-Expose-Headers: Content-Range/);
      } finally {
        await browser.close();
      }
    }),
  ));

test('whatever the page waits for can be cancelled', () =>
  pages(async (base) => {
    const query = new URLSearchParams({ url: `${base}/no-answer.cpb` });
    const browser = await openPage(`${base}${page}?${query}`);
    try {
      await browser.until(`!(${idle})`);
      assert.match(await browser.evaluate(shown('doing')), /^Opening /);
      await browser.evaluate('document.getElementById("cancel").click()');
      await browser.until(`${idle} && ${shown('doing')} === 'Cancelled.'`);
      assert.equal(await browser.evaluate('document.getElementById("error").hidden'), true);
    } finally {
      await browser.close();
    }
  }));
