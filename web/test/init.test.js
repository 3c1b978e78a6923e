// runtimes: node, deno, bun
/** What init() takes, and which module is used then. */
import { init } from '../src/init.js';
import { moduleFor } from '../src/modules.js';
import { libcpb } from './support/libcpb.js';
import { assert, data, test } from './support/test.js';

const { open } = libcpb;
const wasm = () => data('web/src/wasm/reader.wasm');
const works = async () => (await open(Uint8Array.of(8, 1), { format: 'pb' })).close();

test('a compiled module, bytes, a Response, or each for its use', async () => {
  const compiled = await WebAssembly.compile(await wasm());
  await init(compiled);
  assert.equal(await moduleFor('reader'), compiled);
  assert.equal(await moduleFor('full'), compiled);
  await works();
  await init(await wasm());
  assert.ok((await moduleFor('reader')) !== compiled);
  await works();
  const headers = { 'Content-Type': 'application/wasm' };
  for (const init0 of [{ headers }, {}]) {
    await init(new Response(await wasm(), init0));
    await works();
  }
  await init({ reader: compiled });
  assert.equal(await moduleFor('reader'), compiled);
  await init({ full: compiled });
  assert.equal(await moduleFor('full'), compiled);
});

test('a file that is no module is an error, and the next call finds the right one', async () => {
  await assert.rejects(init(Uint8Array.of(1, 2, 3)), {
    code: 'FORMAT',
    message: /^reader\.wasm: /,
  });
  await assert.rejects(init('/no/such/reader.wasm'), { code: 'READ', message: /no.such/ });
  await assert.rejects(init('http://127.0.0.1:1/reader.wasm'), { code: 'NETWORK', retryable: true });
  await assert.rejects(init(new Response('', { status: 404 })), { code: 'HTTP' });
  await moduleFor('reader').catch(() => {});
  await works();
});

test('a wrong argument for the module is USAGE, and the error lists the right ones', async () => {
  for (const input of [42, null, undefined, true]) {
    await assert.rejects(init(/** @type {any} */ (input)), {
      code: 'USAGE',
      message: `no module: ${input}`,
    });
  }
  await assert.rejects(init({ full: /** @type {any} */ (42) }), { code: 'USAGE' });
  await assert.rejects(init(/** @type {any} */ ({ raeder: await wasm() })), {
    code: 'USAGE',
    message: /^no module raeder; there are reader,full,inspect,models,json,numbers,dictionary, worker$/,
  });
  await works();
});

/** An init() that fails after another one has succeeded leaves what that one gave. */
test('a failing init() does not take away the module of a later one', async () => {
  /** @type {(response: Response) => void} */
  let answer = () => {};
  const slow = /** @type {any} */ (
    new Response(new ReadableStream({ start: (c) => void (answer = () => c.error(new Error('cut'))) }))
  );
  const failing = init({ reader: slow });
  const compiled = await WebAssembly.compile(await wasm());
  const succeeding = init({ reader: compiled });
  await succeeding;
  answer(slow);
  await assert.rejects(failing, { name: 'CpbError' });
  assert.equal(await moduleFor('reader'), compiled);
});

test('a module is read from a file: URL or a path', async () => {
  const url = new URL('../src/wasm/reader.wasm', import.meta.url);
  for (const input of [url, url.href, url.pathname]) {
    await init({ reader: input });
    await works();
  }
});
