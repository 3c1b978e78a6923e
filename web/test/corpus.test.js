/** The whole corpus of tests/data through WebAssembly gives what it gives natively. */
import { chunkedCases, damage, damagedCases, listing } from './corpus/cases.js';
import { libcpb } from './support/libcpb.js';
import { sha256 } from './support/sha256.js';
import { assert, data, each, json, test } from './support/test.js';

/** @import { Chunked, ManifestRow, Row } from './corpus/cases.js' */

const { open, openRecords } = libcpb;
const timeout = 150_000;

/**
 * @template T
 * @param {(path: string) => Promise<T>} load
 * @param {string} folder
 * @returns {(path: string) => Promise<T>}
 */
function remembered(load, folder) {
  const known = new Map();
  return (path) => known.get(path) ?? known.set(path, load(folder + path)).get(path);
}

const bytesOf = remembered(data, 'tests/data/');
const manifest = remembered(json, 'tests/data/');
const native = () => remembered(json, 'build/web-test/')('native.json');

/**
 * Reads all records, up to the first error.
 *
 * @param {Uint8Array} bytes
 * @param {object} [options]
 */
async function readRecords(bytes, options) {
  /** @type {Promise<Row>[]} */
  const rows = [];
  /** @type {any[]} */
  const skipped = [];
  let error;
  const reader = openRecords(bytes, options);
  try {
    for await (const item of reader) {
      if (item.skipped) skipped.push([item.skipped.begin, item.skipped.end, item.skipped.reason]);
      else {
        const { chunkBegin, index, size, position, bytes: record } = item;
        assert.deepEqual([size, position], [record.length, chunkBegin + index]);
        rows.push(sha256(record).then((sha256) => ({ size, sha256, chunkBegin, index })));
      }
    }
  } catch (thrown) {
    error = thrown;
  }
  await reader.close();
  return { rows: await Promise.all(rows), skipped, error: /** @type {any} */ (error) };
}

/** @type {(rows: ManifestRow[]) => Row[]} */
const expand = (rows) =>
  rows.flatMap(([size, sha256, chunkBegin, index, count = 1]) =>
    Array.from({ length: count }, (_, i) => ({ size, sha256, chunkBegin, index: index + i })),
  );

/** @type {(error: any, expected: {offset?: number, message: string}) => void} */
function sameError(error, { offset, message }) {
  assert.ok(
    error.message.includes(message),
    `${error.code} at ${error.offset}: ${error.message}, natively ${message}`,
  );
  if (offset !== undefined) assert.equal(error.offset, offset);
}

test('records of undamaged files: positions, sizes and bytes', { timeout }, async () => {
  await each(
    await manifest('records.manifest.json'),
    ({ file }) => file,
    async ({ file, records }) => {
      const { rows, skipped, error } = await readRecords(await bytesOf(file));
      if (error) throw error;
      assert.deepEqual(skipped, []);
      assert.equal(listing(rows), listing(expand(records)));
    },
  );
});

test('a position gives the record that Riegeli gives', { timeout }, async () => {
  const files = (await manifest('records.manifest.json')).filter(
    (/** @type {any} */ { seeks }) => seeks,
  );
  await each(
    files,
    ({ file }) => file,
    async ({ file, seeks }) => {
      const reader = openRecords(await bytesOf(file));
      for (const [asked, , chunkBegin, index, sha] of seeks) {
        if (sha === null) {
          await assert.rejects(reader.at(asked), { name: 'CpbError' }, String(asked));
        } else {
          const record = await reader.at(asked);
          assert.deepEqual([record.chunkBegin, record.index], [chunkBegin, index], String(asked));
          assert.equal((await sha256(record.bytes)).slice(0, 32), sha, String(asked));
        }
      }
      await reader.close();
    },
  );
});

test('metadata of files', async () => {
  const files = (await manifest('records.manifest.json')).filter(
    (/** @type {any} */ { metadata }) => metadata?.hex,
  );
  await each(
    files,
    ({ file }) => file,
    async ({ file, metadata }) => {
      const reader = openRecords(await bytesOf(file));
      const got = [...(await reader.metadata())]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join('');
      await reader.close();
      assert.equal(got, metadata.hex);
    },
  );
});

/** @type {(cases: any[], way: 'plain' | 'recover') => Promise<void>} */
async function readDamaged(cases, way) {
  const expected = (await native()).damaged;
  await each(
    cases,
    ({ name }) => name,
    async ({ name, file, ops }) => {
      const { count, sha256: sha, skipped: gaps, status, offset, message } = expected[name][way];
      const bytes = damage(await bytesOf(file), ops);
      const { rows, skipped, error } = await readRecords(bytes, { recover: way === 'recover' });
      if (dependsOnWordSize(name, error ?? skipped[0]?.[2])) return;
      if (status === 'OK' && error) throw error;
      if (status !== 'OK') sameError(error ?? new Error('no error'), { offset, message });
      if (status !== 'OK') assert.equal(error.code, status);
      assert.equal(rows.length, count);
      assert.equal(await sha256(listing(rows)), sha, 'the records');
      assert.deepEqual(skipped, gaps);
    },
  );
}

/** Damaged Zstd data under a right hash: only 64-bit builds of libzstd read something. */
const dependsOnWordSize = (/** @type {string} */ name, /** @type {unknown} */ error) =>
  / zstd, chunk data byte (360 := 128|90 := 255), hashes fixed up$/.test(name) &&
  /Zstd/.test(String(error));

for (const way of /** @type {const} */ (['plain', 'recover'])) {
  test(
    `damaged files, ${way}: the same records, errors and gaps as natively`,
    { timeout },
    async () => {
      await readDamaged(damagedCases(await manifest('corrupt.manifest.json')), way);
    },
  );
}

const chunked = async () =>
  chunkedCases(await manifest('cpb.manifest.json'), await manifest('cpb_odd.manifest.json'));

/** @type {(file: Chunked) => Promise<any>} */
const opened = async ({ file, type, schema }) =>
  open(await bytesOf(file), { type, schema: await bytesOf(schema) });

test('chunks of .cpb files: types, positions, sizes and bytes', { timeout }, async () => {
  const files = (await chunked()).filter(({ chunks }) => chunks);
  await each(
    files,
    ({ file }) => file,
    async (file) => {
      const message = await opened(file);
      const { chunks = [], records = [] } = file;
      assert.equal(message.numChunks, chunks.length);
      for (const [i, { type, size = '0', offset }] of chunks.entries()) {
        const chunk = message.chunk(i);
        assert.deepEqual(
          [chunk.type, chunk.size, chunk.position],
          [type, Number(size), Number(offset)],
        );
        assert.equal((await sha256(await chunk.bytes())).slice(0, 32), records[i]?.[1]);
      }
      await message.close();
    },
  );
});

/** @type {(file: Chunked) => Promise<Uint8Array>} */
async function merge(file) {
  const message = await opened(file);
  try {
    const bytes = new Uint8Array(await new Response(message.merged()).arrayBuffer());
    assert.equal(bytes.length, await message.messageSize());
    return bytes;
  } finally {
    await message.close();
  }
}

/** The codes behind an exit code of `cpb`. @type {Record<number, string[]>} */
const codes = {
  1: ['NOT_FOUND', 'USAGE'],
  2: ['DAMAGED', 'TRUNCATED', 'FORMAT'],
  4: ['LIMIT', 'MEMORY'],
  5: ['UNSUPPORTED'],
};

test('.cpb files merged: the same bytes or errors as natively', { timeout }, async () => {
  const expected = (await native()).chunked;
  await each(
    await chunked(),
    ({ file }) => file,
    async (file) => {
      const { size, sha256: sha, exit, offset, message } = expected[file.file];
      if (exit === undefined) {
        const bytes = await merge(file);
        assert.equal(bytes.length, size);
        assert.equal(await sha256(bytes), sha);
      } else {
        const error = await assert.rejects(merge(file));
        assert.ok(codes[exit]?.includes(error.code), `${error.code}: ${error.message}`);
        sameError(error, { offset, message });
      }
    },
  );
});
