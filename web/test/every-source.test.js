/**
 * Every kind of thing that can be opened, through every function that reads, as a table: each cell is what
 * the same function makes of the bytes themselves, or a clear error.
 *
 * The small files are read by `read` and `tail`. Of the large ones, a function reads more at once than
 * `streamFrom` allows, which is 8 MiB otherwise, so that it comes as one `stream`; the table checks that
 * it does. A plain message is streamed by `merged()` however short it is.
 *
 * On Node each cell is tried; elsewhere one of three, so that each kind and each function is.
 */
import { openPath } from '../src/modules.js';
import { prepare } from '../src/source/index.js';
import { longest, streamFrom } from '../src/wasm/feed.js';
import { largeModel } from './support/files.js';
import { libcpb } from './support/libcpb.js';
import { closeHandles, keep, kinds, refused, streams } from './support/sources.js';
import { collect } from './support/stream.js';
import { assert, data, each, runtime, test as anyTest, whole } from './support/test.js';

/** @import { Bytes, Kept } from './support/sources.js' */

const { diff, inspect, inspectInWorker, merge, open, openInWorker, openRecords, repack, split } = libcpb;

const LONGEST = 100_000;
const usual = longest;

/** Within a test of this file the bound is low: on pages and in workerd, others share the module.
 * @param {string} name @param {any} options @param {() => Promise<void>} [run] */
function test(name, options, run = options) {
  anyTest(name, run === options ? {} : options, async () => {
    streamFrom(LONGEST);
    try {
      await run();
    } finally {
      streamFrom(usual);
    }
  });
}

/** Bytes of a constant of the large files. */
const SIZE = 3 * LONGEST;

const CONTENT = 'meta_graphs[0].graph_def.node[0].attr["value"].tensor.tensor_content';
const CHECKPOINT = 'tests/data/cpb/real_tf_keras_functional';
const PLAIN = { codec: { name: 'none' } };

/** No two parts are alike. */
function content() {
  const words = new Uint32Array(SIZE / 4);
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, 2654435761);
  return new Uint8Array(words.buffer);
}

/* --- The files ------------------------------------------------------------------ */

/** @param {string} name @param {() => Promise<Bytes>} bytes */
function kept(name, bytes) {
  /** @type {Promise<Kept> | undefined} */
  let file;
  return () => (file ??= bytes().then((made) => keep(name, made)));
}

/**
 * @type {Record<'smallChunks' | 'smallMessage' | 'largeMessage' | 'largeChunks' | 'part' | 'index' | 'variables', () => Promise<Kept>>}
 */
const files = {
  smallChunks: kept('small.cpb', () => data('tests/data/cpb/real_keras_export/max3000_none.cpb')),
  smallMessage: kept('small.pb', async () => merge((await files.smallChunks()).bytes).bytes()),
  largeMessage: kept('large.pb', async () => {
    const { source } = largeModel(1, SIZE, content);
    return /** @type {Bytes} */ ((await source.read(0, 2 * SIZE)).slice());
  }),
  largeChunks: kept('large.cpb', async () => split((await files.largeMessage()).bytes, PLAIN).bytes()),
  part: kept('part.cpb', () => data('tests/data/several_files/below/part.cpb')),
  index: kept('variables.index', () => data(`${CHECKPOINT}/model/variables/variables.index`)),
  variables: kept('variables.data', () => data(`${CHECKPOINT}/model/variables/variables.data-00000-of-00001`)),
};

/* --- The functions -------------------------------------------------------------- */

/** What a function makes of an input. @typedef {(input: any) => Promise<any>} Act */

/** @param {Promise<any>} opening @param {Act} use */
async function using(opening, use) {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    opened.close();
  }
}

/** @type {Act} */
const merged = (input) => using(open(input), (model) => collect(model.merged()));

/** @type {Act} */
const part = (input) => using(open(input), (model) => model.read(5, Infinity));

/** Of a file in chunks, whose last is long. @type {Record<string, Act>} */
const ofChunks = {
  'open, merged': merged,
  'open, read': part,
  'open, chunk': (input) =>
    using(open(input), async (model) => {
      const chunk = model.chunk(model.numChunks - 1);
      const blob = new Uint8Array(await (await chunk.blob()).arrayBuffer());
      return [await chunk.bytes(), await collect(chunk.stream()), blob, model.size, model.tree()];
    }),
  openRecords: (input) =>
    using(openRecords(input), async (records) => {
      const all = [];
      for await (const { position, bytes } of records) all.push([position, bytes]);
      return all;
    }),
  'openRecords, last': (input) =>
    using(openRecords(input), async (records) => [await records.last(), await records.at(70)]),
  merge: (input) => merge(input).bytes(),
  repack: (input) => repack(input, PLAIN).bytes(),
};

/** Of a plain message. @type {Record<string, Act>} */
const ofMessage = {
  'open, merged': merged,
  split: (input) => split(input, PLAIN).bytes(),
};

/** Of a large constant. @type {Record<string, Act>} */
const ofConstant = {
  'open, field': (input) =>
    using(open(input), async (model) => {
      const field = await model.field(CONTENT);
      return [await field.bytes(), await collect(field.stream())];
    }),
};

/** @type {Act} */
const values = (input) =>
  using(inspect(input, { kind: 'saved_model' }), async (model) => (await model.values('layer_0/kernel')).bytes());

/** Of a model in a small file. @type {Record<string, Act>} */
const ofModel = {
  'open, chunk': async (input) =>
    using(open(input), async (model) => [...model.chunks()].map(({ size, position }) => [size, position])),
  'open, read': part,
  'open, field': (input) =>
    using(open(input), async (model) => (await model.field('meta_graphs[0].meta_info_def')).json({ omit: 100 })),
  'open, plan': (input) => using(open(input), (model) => model.plan({ field: 'saved_model_schema_version' })),
  inspect: (input) => using(inspect(input, { kind: 'saved_model' }), (model) => model.overview()),
  'inspect, cut': (input) =>
    using(inspect(input, { kind: 'saved_model' }), async (model) => (await model.cut(['root'])).savedModel.bytes()),
};

/** What is read beside a model. @type {Record<string, Act>} */
const besides = {
  references: async (input) =>
    using(open(await data('tests/data/several_files/below.cpb'), { references: () => input }), (model) =>
      collect(model.merged()),
    ),
};

/** One of each sort. */
const differing = kinds.filter(([kind]) => /^a (Blob|URL|path|ReadableStream|FileSystemFileHandle)$/.test(kind));

/* --- The tables ----------------------------------------------------------------- */

let turn = 0;

/** @param {Act} act @param {Kept} file @param {typeof kinds} [those] */
async function table(act, file, those = kinds) {
  const expected = await act(file.bytes);
  turn++;
  await each(
    those.filter((_, i) => whole || those.length < 3 || (i + turn) % 3 === 0),
    ([kind]) => kind,
    async ([, make]) => assert.deepEqual(await act(await make(file)), expected),
  );
}

test('each gives the same bytes by read, tail and stream', async () => {
  const file = await files.largeMessage();
  const { length } = file.bytes;
  await each(
    kinds,
    ([kind]) => kind,
    async ([, make]) => {
      const source = prepare(await make(file), {}, openPath);
      assert.equal((await source.stat()).size, length);
      assert.deepEqual((await source.tail(1000)).bytes.slice(), file.bytes.slice(-1000));
      assert.deepEqual((await source.read(12_345, 54_321)).slice(), file.bytes.slice(12_345, 66_666));
      assert.deepEqual((await source.read(length - 5, 100)).slice(), file.bytes.slice(-5));
      assert.deepEqual(await collect(source.stream(1000, Infinity)), file.bytes.slice(1000));
      await source.close();
    },
  );
});

/** @type {[what: string, file: () => Promise<Kept>, acts: Record<string, Act>, streamed?: boolean][]} */
const tables = [
  ['a small .cpb', files.smallChunks, { ...ofChunks, ...ofModel }],
  ['a small .pb', files.smallMessage, { ...ofMessage, ...ofModel }],
  ['a large .cpb', files.largeChunks, { ...ofChunks, ...ofConstant, 'inspect, values': values }, true],
  ['a large .pb', files.largeMessage, { ...ofMessage, ...ofConstant }, true],
  ['a large .pb, at once', files.largeMessage, { 'open, read': part, 'inspect, values': values }],
  ['a file that a .cpb names', files.part, besides],
];

for (const [what, file, acts, streamed] of tables) {
  test(`each of ${what}: ${Object.keys(acts).join('; ')}`, async () => {
    const made = await file();
    await each(
      Object.entries(acts),
      ([name]) => name,
      async ([name, act]) => {
        const before = streams.count;
        await table(act, made);
        if (streamed && whole) assert.ok(streams.count > before, `${name} takes no stream`);
      },
    );
  });
}

test('each of a model, compared with its bytes', async () => {
  const { bytes } = await files.largeMessage();
  await table((input) => diff(input, bytes), await files.largeChunks());
  await table((input) => diff(bytes, input), await files.largeChunks(), differing);
});

test('each as the index and the data file of a checkpoint', async () => {
  const model = await data(`${CHECKPOINT}/orig.pb`);
  const [index, variables] = await Promise.all([files.index(), files.variables()]);
  await each(
    kinds,
    ([kind]) => kind,
    async ([, make]) => {
      const checkpoint = { index: await make(index), data: () => make(variables) };
      await using(inspect(model, { checkpoint }), async (opened) => {
        const found = await opened.values('conv2d/kernel', { variable: true });
        assert.equal((await found.bytes()).length, found.size);
      });
    },
  );
});

const noWorker = runtime === 'workerd' && 'there is no Worker to start';

/** Kinds that the page reads for the worker as it reads others. */
const alike =
  /^(an? (\w*Array|ArrayBuffer|Buffer|DataView|Response|Readable|async|R2ObjectBody|blobSource)|bytes|what)\b/;

test('each by openInWorker, and inspectInWorker', { skip: noWorker }, async () => {
  await table(
    (input) => using(openInWorker(input), (model) => collect(model.merged())),
    await files.largeMessage(),
    kinds.filter(([kind]) => !alike.test(kind)),
  );
  await table(
    (input) => using(inspectInWorker(input, { kind: 'saved_model' }), (model) => model.overview()),
    await files.smallChunks(),
    differing,
  );
});

/** @type {Record<string, Act>} */
const all = {
  open,
  openRecords: async (input) => (await openRecords(input)).last(),
  inspect,
  split: (input) => split(input).bytes(),
  merge: (input) => merge(input).bytes(),
  repack: (input) => repack(input).bytes(),
  'diff, the first': async (input) => diff(input, (await files.smallMessage()).bytes),
  'diff, the second': async (input) => diff((await files.smallMessage()).bytes, input),
};

test('every function rejects input that cannot be opened, and says why', async () => {
  const file = await files.smallChunks();
  for (const [name, act] of Object.entries(all)) {
    await each(
      refused,
      ([what]) => `${name} of ${what}`,
      async ([, make, error]) => assert.rejects(act(await make(file)), { name: 'CpbError', ...error }),
    );
  }
});

test('nothing is left open', async () => {
  await closeHandles();
  for (const file of Object.values(files)) await (await file()).remove();
});
