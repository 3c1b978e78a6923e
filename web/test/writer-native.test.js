/** The bytes are those that the native cpb writes; and much is written in little memory. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chunkedCases } from './corpus/cases.js';
import { assert, each, json, test } from './support/test.js';
import { largeModel, noise } from './support/files.js';
import { libcpb } from './support/libcpb.js';

const { merge, openRecords, repack, split, writeRecords } = libcpb;

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = process.env.CPB ?? `${root}build/cpb`;
const data = `${root}tests/data/`;

/**
 * What the native command writes.
 * @param {string} verb
 * @param {string | Uint8Array} input
 * @param {string[]} options
 */
function native(verb, input, options = []) {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-'));
  try {
    const [from, to] = [join(folder, 'in'), join(folder, 'out.cpb')];
    if (typeof input !== 'string') writeFileSync(from, input);
    const path = typeof input === 'string' ? input : from;
    execFileSync(command, [verb, path, '-o', to, '-q', ...options], { stdio: 'pipe' });
    return new Uint8Array(readFileSync(to));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Large and small constants, some that compress. */
async function model() {
  const { source } = largeModel(6, 300_000, (i) =>
    i % 3 ? noise(300_000, i) : new TextEncoder().encode('abc'.repeat(100_000)),
  );
  return source.read(0, (await source.stat()).size);
}

/**
 * For split and repack. Other are the bytes of zstd's levels 5 to 12, whose choice of
 * a search depends on the processor.
 * @type {[object, string[]][]}
 */
const ways = [
  [{}, []],
  [{ layout: 'compat' }, ['--layout', 'compat']],
  [{ codec: { name: 'none' } }, ['--codec', 'none']],
  [{ codec: { name: 'none' }, layout: 'compat' }, ['--codec', 'none', '--layout', 'compat']],
  [{ codec: { name: 'zstd', level: 1 } }, ['--codec', 'zstd:1']],
  [{ codec: { name: 'zstd', level: 19 } }, ['--codec', 'zstd:19']],
  [{ codec: { name: 'brotli', level: 2 } }, ['--codec', 'brotli:2']],
  [{ codec: { name: 'brotli', level: 9 } }, ['--codec', 'brotli:9']],
  [{ codec: { name: 'snappy' } }, ['--codec', 'snappy']],
  [{ codec: { name: 'zstd', level: 1 }, transpose: true }, ['--codec', 'zstd:1', '--transpose']],
  [{ layout: 'compat', transpose: true }, ['--layout', 'compat', '--transpose']],
];

/** Riegeli's options in its own words. */
const inWords = [
  'default',
  'transpose,zstd:3',
  'transpose,brotli:2,window_log:18,chunk_size:64K,bucket_fraction:0.25',
  'transpose,uncompressed',
  'snappy:2,chunk_size:100000',
  'uncompressed,pad_to_block_boundary,parallelism:4',
  'zstd:1,initial_padding:4K,final_padding:1000',
];

/** @type {[object, string[]][]} for split alone */
const more = [
  [{ maxChunkSize: 200_000 }, ['--max-chunk-size', '200000']],
  [{ maxChunkSize: 2 ** 22, type: 'tensorflow.SavedModel' }, ['--max-chunk-size', '4M']],
  [{ layout: 'compat', maxChunkSize: 65_536 }, ['--layout', 'compat', '--max-chunk-size', '64K']],
];

/** @type {(options: unknown[]) => string} */
const name = ([options]) => JSON.stringify(options);

test('split writes what the native command writes', async () => {
  const message = await model();
  await each([...ways, ...more], name, async ([options, args]) =>
    assert.deepEqual(await split(message, options).bytes(), native('split', message, args)),
  );
});

test('repack writes what the native command writes', async () => {
  const message = await model();
  const file = native('split', message);
  const compat = native('split', message, ['--layout', 'compat', '--max-chunk-size', '400000']);
  await each(ways, name, async ([options, args]) => {
    const turn = ways.findIndex(([way]) => way === options) % 2;
    for (const from of process.env.CPB_TEST_ALL ? [file, compat] : turn ? [compat] : [file]) {
      assert.deepEqual(await repack(from, options).bytes(), native('repack', from, args));
    }
  });
});

test('and so with the options of Riegeli', async () => {
  const file = native('split', await model());
  await each(inWords, String, async (riegeliOptions) =>
    assert.deepEqual(
      await repack(file, { riegeliOptions }).bytes(),
      native('repack', file, ['--riegeli-options', riegeliOptions]),
    ),
  );
});

test('records are written as the native command writes them', async () => {
  const path = `${data}records/chunksize_64K_zstd.riegeli`;
  /** @type {Uint8Array[]} */
  const records = [];
  for await (const { bytes } of await openRecords(path)) records.push(bytes);
  await each(inWords, String, async (riegeliOptions) =>
    assert.deepEqual(
      await writeRecords(records, { riegeliOptions }).bytes(),
      native('recover', path, ['--riegeli-options', riegeliOptions]),
    ),
  );
});

test("TensorFlow's files are merged and repacked as by the native command", async () => {
  const cases = chunkedCases(
    await json('tests/data/cpb.manifest.json'),
    await json('tests/data/cpb_odd.manifest.json'),
  );
  await each(
    cases,
    ({ file }) => file,
    async ({ file, type, schema: set }) => {
      const path = data + file;
      const schema = new Uint8Array(readFileSync(data + set));
      const options = { type, schema, trustSizes: false };
      await same('repack', path, [], () => repack(path).bytes());
      await same('merge', path, ['--type', type, '--schema', data + set], () => merge(path, options).bytes());
    },
  );
});

/**
 * The same bytes, or both fail.
 * @param {string} verb
 * @param {string} path
 * @param {string[]} args
 * @param {() => Promise<Uint8Array>} write
 */
async function same(verb, path, args, write) {
  let expected;
  try {
    expected = native(verb, path, args);
  } catch {
    await assert.rejects(write(), { name: 'CpbError' }, verb);
    return;
  }
  assert.deepEqual(await write(), expected, verb);
}

const models = ['keras', 'functions'].map((kind) => `${root}build/models/${kind}/saved_model.pb`).filter(existsSync);

test('models', { skip: models.length === 0 && 'build/models is not there' }, () =>
  each(models, String, async (path) => {
    const file = native('split', path);
    assert.deepEqual(await split(path).bytes(), file);
    assert.deepEqual(await merge(file).bytes(), new Uint8Array(readFileSync(path)));
  }),
);

test('half a gigabyte is split in little memory', async () => {
  const { source } = largeModel(8, 64 * 2 ** 20);
  const { size } = await source.stat();
  let written = 0,
    end = 0,
    memory = 0;
  const before = process.memoryUsage();
  const sink = {
    /** @param {number} offset @param {Uint8Array} bytes */
    write(offset, bytes) {
      written += bytes.length;
      end = Math.max(end, offset + bytes.length);
      if (written % 64 < 8) memory = Math.max(memory, process.memoryUsage().rss - before.rss);
    },
  };
  const result = await split({ ...source, remote: false }, { codec: { name: 'none' } }).to(sink);
  memory = Math.max(memory, process.memoryUsage().rss - before.rss);
  assert.deepEqual(result, { chunks: 9, size: end, isSplit: true });
  assert.ok(end > size && end < size * 1.001, `${end} bytes of ${size}`);
  assert.ok(memory < 300e6, `${memory} bytes of memory`);
  console.log(`${Math.round(memory / 1e6)} MB`);
});
