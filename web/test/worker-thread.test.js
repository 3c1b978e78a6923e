/** Threads of Node: how they end, and what keeps them. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openIn } from '../src/worker/page.js';
import { start } from '../src/worker/node.js';
import { libcpb } from './support/libcpb.js';
import { assert, data, test } from './support/test.js';

const { init, openInWorker } = libcpb;
const CPB = 'tests/data/cpb/real_tf_keras_subclassed/max100000_snappy.cpb';
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

const rest = (ms = 20) => new Promise((done) => setTimeout(done, ms));

/** @param {string} code */
const host = (code) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

test('calls that wait for a worker that fails are rejected, and so are later ones', async () => {
  for (const [code, says] of [
    ['throw new Error("no such luck")', /no such luck/],
    ['process.exit(3)', /3/],
    ['import "node:no-such-module"', /./],
  ]) {
    const opening = openIn(() => start(host(String(code))), await data(CPB));
    await assert.rejects(opening, { code: 'TRAPPED', message: says });
  }
});

test('a worker whose script is missing says which it is, and what to set', async () => {
  const missing = new URL('../src/no-such-host.js', import.meta.url);
  await init({ worker: missing });
  try {
    await assert.rejects(openInWorker(await data(CPB)), {
      code: 'TRAPPED',
      message: /^no worker started from file:.*\/no-such-host\.js \(.*init\(\{ worker: url \}\)$/s,
    });
  } finally {
    await init({ worker: fileURLToPath(new URL('../src/worker/host-node.js', import.meta.url)) });
  }
  (await openInWorker(await data(CPB))).close();
});

test('a worker that fails later', async () => {
  const serve = new URL('../src/worker/serve.js', import.meta.url);
  const code = `import { parentPort } from 'node:worker_threads';
    import { serve } from '${serve}';
    serve(parentPort);
    const answer = parentPort.onmessage;
    parentPort.onmessage = (event) => {
      if (event.data.method === 'messageSize') throw new Error('that was it');
      answer(event);
    };`;
  const message = await openIn(() => start(host(code)), await data(CPB));
  const waiting = [message.messageSize(), message.chunk(0).bytes()];
  await Promise.all(waiting.map((call) => assert.rejects(call, { code: 'TRAPPED' })));
  await assert.rejects(message.read(0, 1), { code: 'TRAPPED' });
  assert.throws(() => message.chunk(0), { code: 'TRAPPED' });
  message.close();
});

/** @param {(message: any) => unknown} use */
async function openAndForget(use) {
  const bytes = await data(CPB);
  let closed = false;
  const source = {
    read: async (/** @type {number} */ o, /** @type {number} */ n) => bytes.subarray(o, o + n),
    stat: async () => ({ size: bytes.length }),
    close: () => void (closed = true),
  };
  const held = await (async () => use(await openInWorker(source)))();
  for (let i = 0; i < 20 && !closed; i++) {
    await rest();
    gc();
  }
  return { closed: () => closed, held };
}

test('a message that is forgotten ends its worker', async () => {
  const { closed } = await openAndForget(async (message) => {
    await message.chunk(0).bytes();
    await (await message.field('')).bytes();
  });
  assert.ok(closed());
});

test('a chunk, a field, its elements or a stream keeps it', async () => {
  /** @type {((message: any) => unknown)[]} */
  const keeps = [
    (message) => message.chunk(0),
    (message) => message.field(''),
    (message) => message.field('meta_graphs').then((/** @type {any} */ field) => field.elements()),
    (message) => message.merged(),
  ];
  for (const keep of keeps) {
    const { closed, held } = await openAndForget(keep);
    assert.ok(!closed());
    const it = /** @type {any} */ (held);
    const got = await (it.bytes?.() ?? it.next?.() ?? it.getReader().read());
    assert.ok(got.length > 0 || got.value);
  }
});

test('a call that is under way keeps it, too', async () => {
  const bytes = await data(CPB);
  let slow = false;
  const source = {
    async read(/** @type {number} */ o, /** @type {number} */ n) {
      for (let i = 0; slow && i < 10; i++) {
        await rest();
        gc();
      }
      return bytes.subarray(o, o + n);
    },
    stat: async () => ({ size: bytes.length }),
  };
  const calling = (async () => {
    const message = await openInWorker(source);
    slow = true;
    return message.chunk(0).bytes();
  })();
  assert.ok((await calling).length > 0);
});

test('a process waits for answers, and for nothing else', async () => {
  const entry = new URL('../src/node.js', import.meta.url);
  const file = new URL(`../../${CPB}`, import.meta.url).pathname;
  const code = `import { openInWorker } from '${entry}';
    const message = await openInWorker('${file}');
    console.log((await message.chunk(0).bytes()).length === message.chunk(0).size);`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], {
    timeout: 200_000,
  });
  assert.equal(stdout, 'true\n');
});
