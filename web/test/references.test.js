/** A .cpb file whose chunks are in others: which of these are opened, by whom, and what is said of a wrong one. */
import { bucketOf, s3Of } from './support/buckets.js';
import { counted } from './support/http.js';
import { libcpb } from './support/libcpb.js';
import { collect } from './support/stream.js';
import { assert, base, data, each, other as otherOrigin, runtime, test } from './support/test.js';

const { blobSource, bucketSource, bytesSource, compose, diff, inspect, merge, open, openInWorker } = libcpb;
const { budget, cache, check, inspectInWorker, persist, repack, retry, s3Source, urlSource } = libcpb;
const FOLDER = 'tests/data/several_files';
const PARTS = [1, 2, 3, 4].map((i) => `graph.0000${i}-of-00004.cpb`);
const TYPE = 'tensorflow.GraphDef';
const noWorker = runtime === 'workerd' && 'no Worker can be started there';

/** @param {string} name */
const file = (name) => data(`${FOLDER}/${name}`);

/** @param {any} input @param {object} [options] */
async function merged(input, options) {
  const message = await open(input, options);
  try {
    return await collect(message.merged());
  } finally {
    message.close();
  }
}

/** What is asked of a server, and another answer than its own. @param {(name: string) => string} change */
function watching(change = (name) => name) {
  /** @type {string[]} */
  const asked = [];
  return {
    asked,
    http: {
      fetch(/** @type {string} */ url, /** @type {RequestInit} */ init) {
        asked.push(url.slice(base.length));
        const [, before = '', name = '', query = ''] = /^(.*\/)([^/?]*)(\?.*)?$/.exec(url) ?? [];
        return fetch(before + change(name) + query, init);
      },
    },
  };
}

test('by URL: from the folder, with the same query, and counted', async () => {
  const { url, report } = counted(`/${FOLDER}/graph.cpb`);
  const message = await open(url);
  assert.deepEqual(
    (await message.files()).map((/** @type {any} */ { name, size }) => [name, size]),
    PARTS.map((name) => [name, 854]),
  );
  assert.deepEqual(
    Array.from(message.chunks(), ({ file }) => file),
    [0, 1, 1, 2, 2, 3, 3, 4, 4],
  );
  assert.deepEqual(await collect(message.merged()), await file('graph.pb'));
  const { requests, bytes, log } = await report();
  assert.deepEqual(message.transferred, { requests, bytes });
  const paths = log.map((one) => new URL(one.url, base).pathname.split('/').pop());
  assert.deepEqual([...new Set(paths)], ['graph.cpb', ...PARTS]);
  assert.equal((await message.chunk(5).bytes()).length, 351);
  assert.equal((await (await message.field('node[3].name')).value()).length, 2);
  message.close();
});

test('merge(), repack(), inspect() and diff() follow them', async () => {
  const url = `${base}/${FOLDER}/graph.cpb`;
  const whole = await file('graph.pb');
  assert.deepEqual(await merge(url).bytes(), whole);
  const one = await repack(url).bytes();
  assert.deepEqual(await merge(one).bytes(), whole);
  const model = await inspect(url);
  assert.equal((await model.overview()).nodes, 8);
  assert.equal((await (await model.values('n3')).bytes()).length, 300);
  model.close();
  assert.equal((await diff(url, whole, { b: { format: 'pb' } })).equal, true);
});

test('in a worker: by URL, from a function, beside a source', { skip: noWorker }, async () => {
  const whole = await file('graph.pb');
  const main = await file('graph.cpb');
  const beside = { ...bytesSource(main), beside: async (/** @type {string} */ name) => bytesSource(await file(name)) };
  /** @type {any[]} */
  const asked = [];
  /** @type {[any, any][]} */
  const cases = [
    [`${base}/${FOLDER}/graph.cpb`, {}],
    [main, { references: (/** @type {string} */ name) => `${base}/${FOLDER}/${name}` }],
    [new Blob([main]), { references: async (/** @type {string} */ name) => new Blob([await file(name)]) }],
    [
      main,
      {
        async references(/** @type {string} */ name, /** @type {any} */ about) {
          asked.push([name, about]);
          return bytesSource(await file(name));
        },
      },
    ],
    [beside, {}],
  ];
  await each(
    cases,
    ([, options]) => Object.keys(options).join() || 'default',
    async ([input, options]) => {
      const message = await openInWorker(input, options);
      assert.deepEqual(await collect(message.merged()), whole);
      assert.deepEqual(
        Array.from(message.chunks(), ({ file }) => file),
        [0, 1, 1, 2, 2, 3, 3, 4, 4],
      );
      assert.equal((await message.files()).length, 4);
      assert.ok(message.transferred.bytes > 4 * 790, `${message.transferred.bytes}`);
      message.close();
      const model = await inspectInWorker(input, options);
      assert.equal((await (await model.values('n7')).bytes()).length, 300);
      model.close();
    },
  );
  assert.deepEqual(asked[0], [PARTS[0], { size: 854 }]);
  const alone = await openInWorker(main);
  await assert.rejects(alone.chunk(1).bytes(), {
    code: 'READ',
    message: /^file "graph.00001-of-00004.cpb": .*no folder/,
  });
  alone.close();
  const none = await openInWorker(beside, { references: 'none' });
  await assert.rejects(none.chunk(1).bytes(), { code: 'READ', message: /no other file is opened/ });
  none.close();
});

/** What makes a whole message of parts that are given. @param {(name: string) => any} references */
const dropped = async (references) => merged(new Blob([await file('graph.cpb')]), { references });

test('files that were chosen, by a function', async () => {
  const whole = await file('graph.pb');
  assert.deepEqual(await dropped(async (name) => new Blob([await file(name)])), whole);
  assert.deepEqual(await dropped(file), whole);
  assert.deepEqual(await dropped((name) => `${otherOrigin}/${FOLDER}/${name}`), whole);
  assert.deepEqual(await dropped(async (name) => bytesSource(await file(name))), whole);
  await assert.rejects(
    dropped(() => undefined),
    { code: 'READ', message: /^file "graph.00001-of-00004.cpb": references\(\) gave nothing for it/ },
  );
  await assert.rejects(
    dropped(() => {
      throw new Error('mine');
    }),
    { code: 'READ', message: /^file "graph.00001-of-00004.cpb": .*mine/ },
  );
});

test('a source without a folder has no files beside it', async () => {
  const main = await file('graph.cpb');
  const inputs = [main, new Blob([main]), blobSource(new Blob([main])), new Blob([main]).stream()];
  await each(
    inputs,
    (input) => input.constructor.name,
    (input) =>
      assert.rejects(merged(input), { code: 'READ', message: /^file "graph.00001-of-00004.cpb": .*no folder/ }),
  );
});

/** The part as it is called, what is there instead, and what is said of it. @type {[string, string, object][]} */
const wrong = [
  ['lost', 'gone.cpb', { code: 'HTTP', status: 404, message: /^file "graph.00002-of-00004.cpb": .*404/ }],
  [
    'shortened',
    'short.cpb',
    {
      code: 'DAMAGED',
      message: 'file "graph.00002-of-00004.cpb": it has 853 bytes; expected 854: not the file that was written',
    },
  ],
  [
    'exchanged',
    'exchanged.cpb',
    {
      code: 'DAMAGED',
      message: /^file "graph.00002-of-00004.cpb", byte \d+: chunk \d: the data hash is .*not the file that was written/,
    },
  ],
];

test('a part that is lost, shortened or exchanged is named', async () => {
  await each(
    wrong,
    ([what]) => what,
    async ([, instead, error]) => {
      const { http } = watching((name) => (name === PARTS[1] ? instead : name));
      const url = `${base}/${FOLDER}/graph.cpb`;
      await assert.rejects(merge(url, { http }).bytes(), error);
      await assert.rejects(repack(url, { http }).bytes(), error);
      const message = await open(url, { http });
      assert.equal((await message.chunk(1).bytes()).length, 351);
      await assert.rejects(message.chunk(3).bytes(), error);
      await assert.rejects(message.chunk(4).read(0, 10), error);
      await assert.rejects(collect(message.merged()), error);
      assert.equal((await message.chunk(7).bytes()).length, 351);
      message.close();
      const byBlob = async (/** @type {string} */ name) =>
        name === PARTS[1] ? (instead === 'gone.cpb' ? undefined : new Blob([await file(instead)])) : file(name);
      await assert.rejects(dropped(byBlob), { message: /^file "graph.00002-of-00004.cpb"/ });
    },
  );
});

test('no output appears if a part is missing', async () => {
  const { http } = watching((name) => (name === PARTS[3] ? 'gone.cpb' : name));
  let closed = false;
  const sink = { write: async () => {}, close: async () => void (closed = true), abort: async () => {} };
  await assert.rejects(merge(`${base}/${FOLDER}/graph.cpb`, { http }).to(sink), { code: 'HTTP' });
  assert.equal(closed, false);
});

test('names that lead out of the folder are refused, and nothing is asked for', async () => {
  const outside = { up: '../graph.pb', up_below: 'below/../../graph.pb', absolute: '/etc/passwd' };
  const names = { ...outside, url: 'http://127.0.0.1:9/graph.cpb', backslash: '..\\graph.cpb' };
  await each(
    Object.entries(names),
    ([main]) => main,
    async ([main, name]) => {
      const { asked, http } = watching();
      const url = `${base}/${FOLDER}/${main}.cpb`;
      const message = `file ${JSON.stringify(name)}: it is not in the folder of the file that names it;`;
      const error = { code: 'READ', message: new RegExp(`^${message.replace(/[.\\/()]/g, '\\$&')}`) };
      await assert.rejects(merged(url, { http }), error);
      assert.deepEqual([...new Set(asked)], [`/${FOLDER}/${main}.cpb`]);
      // A function of the caller's decides by itself.
      /** @type {string[]} */
      const parts = [];
      const references = (/** @type {string} */ one) => (parts.push(one), file('below/part.cpb'));
      await merged(url, { references });
      assert.deepEqual(parts, [name]);
    },
  );
});

test('special characters in a name do not lead out of the folder', async () => {
  const { asked, http } = watching();
  const escaped = merged(`${base}/${FOLDER}/escaped.cpb?x=1`, { http });
  await assert.rejects(escaped, { message: /^file "%2e%2e\/graph.cpb": .*404/ });
  assert.equal(asked.at(-1), `/${FOLDER}/%252e%252e/graph.cpb?x=1`);
  const query = watching((name) => (name === 'query.cpb' ? name : 'query-part.cpb'));
  assert.deepEqual(await merged(`${base}/${FOLDER}/query.cpb?x=1`, { http: query.http }), await file('graph.pb'));
  assert.equal(query.asked.at(-1), `/${FOLDER}/a%20b%3Fc%23d%2541.cpb?x=1`);
  assert.deepEqual(await merged(`${base}/${FOLDER}/below.cpb`), await file('graph.pb'));
});

test("references: 'none' opens none, and other words are no option", async () => {
  const { asked, http } = watching();
  const url = `${base}/${FOLDER}/graph.cpb`;
  await assert.rejects(merged(url, { http, references: 'none' }), { message: /no other file is opened/ });
  assert.deepEqual([...new Set(asked)], [`/${FOLDER}/graph.cpb`]);
  for (const references of ['all', true, {}]) {
    await assert.rejects(open(url, { references }), { code: 'USAGE', message: /references/ });
    await assert.rejects(merge(url, { references }).bytes(), { code: 'USAGE', message: /references/ });
  }
});

test('an abort ends the reading of another file', async () => {
  const main = await file('graph.cpb');
  const controller = new AbortController();
  let began = () => {};
  const reached = new Promise((resolve) => (began = () => resolve(undefined)));
  /** @type {AbortSignal | undefined} */
  let inner;
  const hanging = {
    stat: async () => ({ size: 854 }),
    read: (/** @type {number} */ _, /** @type {number} */ __, /** @type {any} */ { signal }) => {
      inner = signal;
      began();
      return new Promise(() => {});
    },
  };
  const message = await open(main, {
    references: (/** @type {string} */ name) => (name === PARTS[1] ? hanging : file(name)),
  });
  const reading = message.chunk(3).bytes({ signal: controller.signal });
  await reached;
  controller.abort(new Error('enough'));
  await assert.rejects(reading, { message: 'enough' });
  assert.equal(inner?.aborted, true);
  assert.equal((await message.chunk(1).bytes()).length, 351);
  await assert.rejects(message.chunk(3).bytes({ signal: AbortSignal.timeout(30) }), { name: 'TimeoutError' });
  message.close();
});

test('the middleware of a source also wraps those beside it', async () => {
  const url = `${base}/${FOLDER}/graph.cpb`;
  const main = urlSource(url);
  const kept = new Map();
  const store = {
    get: async (/** @type {string} */ key) => kept.get(key),
    put: async (/** @type {string} */ key, /** @type {Uint8Array} */ bytes) => void kept.set(key, bytes),
    delete: async (/** @type {string} */ key) => void kept.delete(key),
    list: async () => [...kept].map(([key, { length }]) => ({ key, size: length })),
  };
  const source = compose(main, check(), retry(), persist({ store }), cache());
  assert.deepEqual(await merged(source), await file('graph.pb'));
  for (const name of PARTS)
    assert.ok(
      [...kept.keys()].some((key) => key.includes(name)),
      name,
    );

  const enough = await open(url, { budget: { requests: 100 } });
  await collect(enough.merged());
  const { requests } = enough.transferred;
  enough.close();
  await assert.rejects(merged(url, { budget: { requests: requests - 1 } }), { code: 'BUDGET', message: /^file "/ });
  const limited = compose(urlSource(url), budget({ requests: 3 }));
  await assert.rejects(merged(limited), { code: 'BUDGET' });
});

test('a part that fails for a moment is asked for again', async () => {
  let failed = 0;
  const { http } = watching();
  const shaky = {
    fetch: async (/** @type {string} */ url, /** @type {RequestInit} */ init) =>
      url.includes(PARTS[2] ?? '') && failed++ < 2 ? new Response('', { status: 503 }) : http.fetch(url, init),
  };
  const options = { http: shaky, retry: { base: 1 } };
  assert.deepEqual(await merged(`${base}/${FOLDER}/graph.cpb`, options), await file('graph.pb'));
  assert.ok(failed > 2);
});

/** A bucket of the repository's files. @param {string[]} asked */
const filesIn = (asked) => bucketOf((key) => file(key.replace(/^models\/a\//, '')).catch(() => undefined), asked);

test('in a bucket: with the same prefix', async () => {
  /** @type {string[]} */
  const asked = [];
  assert.deepEqual(await merged(bucketSource(filesIn(asked), 'models/a/graph.cpb')), await file('graph.pb'));
  assert.deepEqual(
    [...new Set(asked)],
    ['graph.cpb', ...PARTS].map((name) => `models/a/${name}`),
  );
  asked.length = 0;
  await assert.rejects(merged(bucketSource(filesIn(asked), 'models/a/up.cpb')), {
    message: /^file "..\/graph.pb": it is not/,
  });
  assert.deepEqual([...new Set(asked)], ['models/a/up.cpb']);
});

test('in S3: with the same prefix, and no version of the first one', async () => {
  /** @type {any[]} */
  const asked = [];
  const client = s3Of(filesIn([]), asked);
  const source = s3Source({ client, bucket: 'b', key: 'models/a/graph.cpb', input: { VersionId: '1' } });
  assert.deepEqual(await merged(source), await file('graph.pb'));
  for (const { Key, VersionId } of asked) assert.equal(VersionId, Key === 'models/a/graph.cpb' ? '1' : undefined, Key);
});

test('plan() says from which files', async () => {
  const message = await open(`${base}/${FOLDER}/graph.cpb`);
  const plan = await message.plan({ chunks: [1, 2, 8] });
  assert.deepEqual(plan, {
    requests: 2,
    bytes: 790 + 395,
    ranges: [
      { offset: 64, length: 790, file: PARTS[0] },
      { offset: 459, length: 395, file: PARTS[3] },
    ],
  });
  const all = await message.plan({ merged: true });
  assert.deepEqual(
    all.ranges.map((/** @type {any} */ range) => range.file),
    [undefined, ...PARTS],
  );
  message.close();
});
