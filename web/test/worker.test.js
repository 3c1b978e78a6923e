/** openInWorker() and inspectInWorker(): the same as open() and inspect(), from another thread. */
import { libcpb } from './support/libcpb.js';
import { openInWorker as openInWebWorker } from '../src/worker/browser.js';
import { openIn } from '../src/worker/page.js';
import { largeModel } from './support/files.js';
import { base, assert, data, runtime, test } from './support/test.js';
import { collect } from './support/stream.js';

const { inspect, inspectInWorker, open, openInWorker, CpbError } = libcpb;
const skip = runtime === 'workerd' && 'no Worker can be started there';
const noWeb = typeof Worker !== 'function' && 'there are no Workers of the web';
const CPB = 'tests/data/cpb/real_keras_export/max3000_zstd.cpb';
/** More than is fetched with its index. */
const LARGER = 'tests/data/cpb/real_tf_keras_subclassed/max100000_snappy.cpb';

/** What a promise rejects with. @param {Promise<unknown>} promise @returns {Promise<any>} */
const failure = (promise) =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );

/** The file opened in both ways. @param {(here: any, there: any) => Promise<void>} use */
async function both(use, path = CPB, options = {}) {
  const bytes = await data(path);
  const [here, there] = await Promise.all([open(bytes, options), openInWorker(bytes, options)]);
  try {
    await use(here, there);
  } finally {
    here.close();
    there.close();
  }
}

/** What is no function. @param {Record<string, any>} object */
const plain = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value !== 'function'));

/** Names of methods. @param {Record<string, any>} object */
const methods = (object) => Object.keys(object).filter((key) => typeof object[key] === 'function');

test('properties and methods are the same as without a Worker', { skip }, () =>
  both(async (here, there) => {
    const { transferred, ...known } = plain(here);
    const { transferred: cost, ...same } = plain(there);
    assert.deepEqual(same, known);
    assert.ok(cost.requests > 0 && cost.bytes > 0);
    assert.deepEqual(there.tree(), here.tree());
    assert.deepEqual(methods(there).sort(), methods(here).sort());
    const chunks = [...there.chunks()];
    assert.deepEqual(chunks.map(plain), [...here.chunks()].map(plain));
    assert.deepEqual(methods(chunks[0]).sort(), methods(here.chunk(0)).sort());
  }),
);

test('chunks: bytes, ranges, streams, Blobs and where they are stored', { skip }, () =>
  both(async (here, there) => {
    for (let i = 0; i < here.numChunks; i++) {
      const [a, b] = [here.chunk(i), there.chunk(i)];
      const bytes = await a.bytes();
      assert.deepEqual(await b.bytes(), bytes);
      assert.deepEqual(await b.read(3, 5), await a.read(3, 5));
      assert.deepEqual(await collect(b.stream()), bytes);
      assert.equal((await b.blob()).size, bytes.length);
      assert.deepEqual(await b.stored(), await a.stored());
    }
  }),
);

test('the message: size, ranges, merged, plan', { skip }, () =>
  both(async (here, there) => {
    assert.equal(await there.messageSize(), await here.messageSize());
    assert.deepEqual(await there.read(10, 1000), await here.read(10, 1000));
    assert.deepEqual(await collect(there.merged()), await collect(here.merged()));
    const part = { offset: 100, length: 5000 };
    assert.deepEqual(await collect(there.merged(part)), await collect(here.merged(part)));
    assert.deepEqual(await there.plan({ merged: true }), await here.plan({ merged: true }));
  }),
);

test('fields, fields of fields, and elements', { skip }, () =>
  both(async (here, there) => {
    const path = 'meta_graphs[0].graph_def.node';
    const [a, b] = [await here.field(path), await there.field(path)];
    assert.deepEqual(plain(b), plain(a));
    const names = [];
    for await (const node of a.elements()) names.push(await (await node.field('name')).value());
    const same = [];
    for await (const node of b.elements()) same.push(await (await node.field('name')).value());
    assert.deepEqual(same, names);
    assert.ok(names.length > 1);
    const [one, other] = [await here.field(`${path}[0]`), await there.field(`${path}[0]`)];
    assert.deepEqual(await other.json({ omit: 50 }), await one.json({ omit: 50 }));
    assert.deepEqual(await other.bytes(), await one.bytes());
    assert.deepEqual(await collect(other.stream()), await one.bytes());
  }),
);

test('a .pb: reading twice gives the same', { skip }, () =>
  both(
    async (here, there) => {
      assert.equal(there.kind, 'pb');
      for (let i = 0; i < 2; i++) {
        assert.deepEqual(await there.read(0, 100), await here.read(0, 100));
        assert.deepEqual(await collect(there.merged()), await collect(here.merged()));
      }
      assert.throws(() => there.chunk(0), { code: 'NOT_FOUND' });
    },
    'tests/data/cpb/graph_mixed-large/orig.pb',
    { format: 'pb', type: 'tensorflow.GraphDef' },
  ),
);

test('cached bytes are not transferred', { skip }, async () => {
  const message = await openInWorker(`${base}/tests/data/cpb/graph_mixed-large/orig.pb`);
  const { size } = message;
  for (const at of [0, 64, 0, size - 64]) {
    assert.equal((await message.read(0, size)).length, size);
    assert.equal((await message.read(at, 64)).length, 64);
  }
  message.close();
});

test('Blobs and URLs are read by the worker itself', { skip }, async () => {
  const bytes = await data(CPB);
  const whole = await collect((await open(bytes)).merged());
  for (const input of [new Blob([bytes]), `${base}/${CPB}`, new URL(`${base}/${CPB}`)]) {
    const message = await openInWorker(input);
    assert.deepEqual(await collect(message.merged()), whole);
    message.close();
  }
});

/** @param {Uint8Array} bytes */
function ownSource(bytes) {
  const log = { reads: 0, closed: 0, aborted: 0, hold: /** @type {any} */ (undefined) };
  const source = {
    async read(/** @type {number} */ o, /** @type {number} */ n, /** @type {any} */ options) {
      log.reads++;
      options?.signal?.addEventListener('abort', () => log.aborted++);
      await log.hold;
      return bytes.subarray(o, o + n);
    },
    stat: async () => ({ size: bytes.length, etag: '"mine"' }),
    close: () => void log.closed++,
  };
  return { source, log };
}

test('a source of the page is asked by the worker, and closed once', { skip }, async () => {
  const bytes = await data(CPB);
  const { source, log } = ownSource(bytes);
  const message = await openInWorker(source);
  assert.equal(message.etag, '"mine"');
  assert.ok(log.reads > 0);
  await collect(message.merged());
  assert.equal(bytes.length, message.size, 'what the source gave is still there');
  message.close();
  message.close();
  assert.equal(log.closed, 1);
});

test('errors come back as they are', { skip }, async () => {
  const bytes = (await data(LARGER)).slice();
  const [message, local] = [await openInWorker(bytes), await open(bytes)];
  await assert.rejects(message.field('no_such_field'), { code: 'NOT_FOUND', name: 'CpbError' });
  assert.ok((await failure(message.read(-1, 1))) instanceof CpbError);
  assert.throws(() => message.chunk(message.numChunks), { code: 'NOT_FOUND' });
  const { begin, end } = await message.chunk(0).stored();
  bytes.fill(255, begin + 40, end);
  const wanted = await failure(local.chunk(0).bytes());
  const error = await failure(message.chunk(0).bytes());
  assert.equal(wanted.code, 'DAMAGED');
  const facts = (/** @type {any} */ { code, offset, retryable, status, message: text }) => ({
    code,
    offset,
    retryable,
    status,
    text,
  });
  assert.deepEqual(facts(error), facts(wanted));
  await assert.rejects(collect(message.chunk(0).stream()), { code: wanted.code });
  message.close();
  const source = {
    read: async () => {
      throw new CpbError('HTTP', 'no', { status: 503, retryable: true });
    },
    stat: async () => ({ size: 1e6 }),
  };
  await assert.rejects(openInWorker(source), { code: 'HTTP', status: 503, retryable: true });
  await assert.rejects(openInWorker(5), { code: 'USAGE' });
  await assert.rejects(openInWorker('x.cpb', { http: { fetch } }), { code: 'USAGE' });
});

/** Waits until it is so; a test that waits in vain runs into its own limit. @param {() => boolean} is */
async function until(is) {
  while (!is()) await new Promise((done) => setTimeout(done, 10));
}

test('an abort ends the call with its reason, and the reading', { skip }, async () => {
  const { source, log } = ownSource(await data(LARGER));
  const reason = new Error('enough');
  const aborted = AbortSignal.abort(reason);
  assert.equal(await failure(openInWorker(source, { signal: aborted })), reason);
  const message = await openInWorker(source);
  /** @type {() => void} */
  let go = () => {};
  log.hold = new Promise((resolve) => {
    go = () => resolve(undefined);
  });
  const controller = new AbortController();
  const { signal } = controller;
  const { reads } = log;
  const calls = [
    message.chunk(0).bytes({ signal }),
    collect(message.chunk(0).stream({ signal })),
    collect(message.merged({ signal })),
  ];
  const ended = Promise.all(calls.map(failure));
  await until(() => log.reads > reads);
  controller.abort(reason);
  assert.ok((await ended).every((error) => error === reason));
  await until(() => log.aborted > 0); // what the source was asked, too
  go();
  log.hold = undefined;
  assert.equal((await message.chunk(0).bytes()).length, message.chunk(0).size);
  assert.equal(await failure(message.messageSize({ signal })), reason);
  message.close();
});

test('close ends all that waits, and all that comes later', { skip }, async () => {
  const { source, log } = ownSource(await data(LARGER));
  const message = await openInWorker(source);
  const chunk = message.chunk(0);
  log.hold = new Promise(() => {});
  const waiting = [chunk.bytes(), collect(message.merged())];
  const ended = Promise.all(waiting.map((call) => assert.rejects(call, { code: 'CLOSED' })));
  message.close();
  await ended;
  await assert.rejects(chunk.bytes(), { code: 'CLOSED' });
  assert.throws(() => message.chunk(0), { code: 'CLOSED' });
  assert.throws(() => message.tree(), { code: 'CLOSED' });
  assert.throws(() => message.merged(), { code: 'CLOSED' });
});

test('a stream is read as it is asked for', { skip }, async () => {
  const file = largeModel(64, 2 ** 20);
  const message = await openInWorker(file.source, { format: 'pb' });
  const reader = message.merged().getReader();
  await reader.read();
  await new Promise((done) => setTimeout(done, 100));
  assert.ok(file.cost.bytes < 4 * 2 ** 20, `${file.cost.bytes} bytes`);
  await reader.cancel();
  message.close();
});

test('the source of a stream is cancelled with it', { skip }, async () => {
  let cancelled = 0;
  const { source } = largeModel(64, 2 ** 20);
  const stream = () =>
    new ReadableStream(
      { pull: (to) => to.enqueue(new Uint8Array(1000)), cancel: () => void cancelled++ },
      { highWaterMark: 0 },
    );
  const message = await openInWorker({ ...source, stream }, { format: 'pb', cache: false });
  const reader = message.merged().getReader();
  await reader.read();
  await reader.cancel();
  for (let i = 0; i < 50 && !cancelled; i++) await new Promise((done) => setTimeout(done, 20));
  assert.equal(cancelled, 1);
  const other = message.merged().getReader();
  await other.read();
  message.close();
  assert.equal(cancelled, 2, 'by close, too');
});

test('a Worker of the web', { skip: noWeb }, async () => {
  const message = await openInWebWorker(await data(CPB));
  assert.equal((await message.chunk(0).bytes()).length, message.chunk(0).size);
  message.close();
});

test('a worker that fails, or is not there, is an error', { skip: noWeb }, async () => {
  const urls = [
    `data:text/javascript,${encodeURIComponent('onmessage = () => { throw new Error("oh") }')}`,
    new URL('./no/such/host.js', import.meta.url),
  ];
  for (const url of urls) {
    const start = () => new Worker(url, { type: 'module' });
    await assert.rejects(openIn(start, await data(CPB)), { code: 'TRAPPED' });
  }
});

const somewhere = runtime !== 'workerd' && 'a Worker is here';

test('the error says that there is no Worker', { skip: somewhere }, () =>
  assert.rejects(openInWorker(new Uint8Array(10)), { code: 'UNSUPPORTED' }),
);

const MODEL = 'tests/data/cpb/real_tf_keras_functional';

/** @returns {Promise<[model: Uint8Array, options: object]>} */
async function modelWithValues() {
  const [model, index, values] = await Promise.all(
    ['orig.pb', 'model/variables/variables.index', 'model/variables/variables.data-00000-of-00001'].map((name) =>
      data(`${MODEL}/${name}`),
    ),
  );
  return [/** @type {Uint8Array} */ (model), { checkpoint: { index, data: () => values } }];
}

test('a model in a Worker gives the same answers and values', { skip }, async () => {
  const given = await modelWithValues();
  const [here, there] = await Promise.all([inspect(...given), inspectInWorker(...given)]);
  assert.equal(there.kind, here.kind);
  const left = ['message', 'cut', 'add'];
  assert.deepEqual(
    methods(there).sort(),
    methods(here)
      .filter((name) => !left.includes(name))
      .sort(),
  );
  for (const ask of /** @type {((model: any) => Promise<any>)[]} */ ([
    (model) => model.overview(),
    (model) => model.objects('root'),
    (model) => model.ask('search', { name: 'kernel', count: 3 }),
    (model) => model.variables({ count: 'all' }),
  ])) {
    assert.deepEqual(await ask(there), await ask(here));
  }
  const { key } = (await here.variables({ count: 'all' })).variables.items.find((/** @type {any} */ v) => v.stored);
  const [one, other] = await Promise.all([here, there].map((model) => model.values(key, { variable: true })));
  assert.deepEqual(plain(other), plain(one));
  assert.deepEqual(await other.bytes(), await one.bytes());
  const streamed = await there.values(key, { variable: true });
  assert.equal((await collect(streamed.stream())).length, other.size);
  assert.ok(there.transferred.bytes > 0);
  await assert.rejects(there.signature('no such'), { code: 'NOT_FOUND' });
  await assert.rejects(there.overview({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  here.close();
  there.close();
  await assert.rejects(there.overview(), { code: 'CLOSED' });
});

test('a file that is no model gives the same error in a Worker', { skip }, async () => {
  const readme = new TextEncoder().encode('# A text\n');
  const { code, message } = await failure(inspect(readme));
  const said = await failure(inspectInWorker(readme));
  assert.deepEqual([said.code, said.message], [code, message]);
});
