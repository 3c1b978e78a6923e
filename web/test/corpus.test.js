/** The whole corpus of tests/data through WebAssembly gives what it gives natively. */
import { chunkedCases, damage, damagedCases, listing } from './corpus/cases.js';
import { libcpb } from './support/libcpb.js';
import { begin, sha256, sha256Of } from './support/sha256.js';
import { collect } from './support/stream.js';
import { assert, data, each, json, some, test } from './support/test.js';

/** @import { Chunked, ManifestRow, Row } from './corpus/cases.js' */

const { open, openRecords } = libcpb;

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
/** @type {(path: string) => Promise<any>} */
const manifest = remembered(json, 'tests/data/');
const native = () => remembered(json, 'build/web-test/')('native.json');

/**
 * Reads all records, up to the first error.
 *
 * @param {Uint8Array} bytes
 * @param {object} [options]
 */
async function readRecords(bytes, options) {
  /** @type {{size: number, id: string, chunkBegin: number, index: number}[]} */
  const found = [];
  /** @type {any[]} */
  const skipped = [];
  const reader = await openRecords(bytes, options);
  /** @type {any} */
  let error;
  try {
    for await (const { skipped: gap, position, chunkBegin, index, size, bytes } of reader) {
      if (gap) {
        skipped.push([gap.begin, gap.end, gap.reason]);
        continue;
      }
      if (size !== bytes.length || position !== chunkBegin + index) throw new Error('a wrong size');
      found.push({ size, id: begin(bytes), chunkBegin, index });
    }
  } catch (thrown) {
    error = thrown;
  }
  await reader.close();
  return { rows: await hashed(found), skipped, error };
}

/** @type {(found: (Omit<Row, 'sha256'> & {id: string})[]) => Promise<Row[]>} */
async function hashed(found) {
  /** @type {Map<string, string>} */
  const hashes = new Map();
  for (const id of new Set(found.map(({ id }) => id))) hashes.set(id, await sha256Of(id));
  return found.map(({ id, ...row }) => ({ ...row, sha256: String(hashes.get(id)) }));
}

/** @type {(rows: ManifestRow[]) => Row[]} */
const expand = (rows) =>
  rows.flatMap(([size, sha256, chunkBegin, index, count = 1]) =>
    Array.from({ length: count }, (_, i) => ({ size, sha256, chunkBegin, index: index + i })),
  );

/** Limits differ with the memory that there is. @type {(message: string) => string} */
const unlimited = (message) => message.replace(/limit of \d+/g, 'limit of N');

/** @type {(error: any, expected: {offset?: number, message: string}) => void} */
function sameError(error, { offset, message }) {
  assert.equal(unlimited(error?.message ?? 'no error'), unlimited(message), error?.code);
  if (offset !== undefined) assert.equal(error.offset, offset, message);
}

test('records of undamaged files: positions, sizes and bytes', async () => {
  await each(some(await manifest('records.manifest.json'), 3), nameOf, async (/** @type {any} */ { file, records }) => {
    const { rows, skipped, error } = await readRecords(await bytesOf(file));
    if (error) throw error;
    assert.deepEqual(skipped, []);
    assert.equal(listing(rows), listing(expand(records)));
  });
});

test('a position gives the record that Riegeli gives', async () => {
  /** @type {any[]} */
  const entries = await manifest('records.manifest.json');
  const files = some(
    entries.filter(({ seeks }) => seeks),
    3,
  );
  await each(files, nameOf, async (/** @type {any} */ { file, seeks }) => {
    const reader = await openRecords(await bytesOf(file));
    for (const [asked, , , , sha] of seeks) {
      if (sha === null) {
        const found = await reader.at(asked).catch((/** @type {Error} */ error) => error.name);
        assert.ok(found === undefined || found === 'CpbError', `${asked}: ${found}`);
      } else {
        const record = await reader.at(asked);
        assert.equal(record.position, record.chunkBegin + record.index, String(asked));
        assert.equal((await sha256(record.bytes)).slice(0, 32), sha, String(asked));
      }
    }
    await reader.close();
  });
});

test('metadata of files', async () => {
  const files = (await manifest('records.manifest.json')).filter((/** @type {any} */ { metadata }) => metadata?.hex);
  await each(files, nameOf, async (/** @type {any} */ { file, metadata }) => {
    const reader = await openRecords(await bytesOf(file));
    const got = [...(await reader.metadata())].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    await reader.close();
    assert.equal(got, metadata.hex);
  });
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
      if (status === 'OK' && error) throw error;
      if (status !== 'OK') sameError(error, { offset, message });
      assert.equal(error?.code ?? 'OK', status);
      assert.equal(rows.length, count);
      assert.equal(await sha256(listing(rows)), sha, 'the records');
      assert.deepEqual(skipped, gaps);
    },
  );
}

for (const way of /** @type {const} */ (['plain', 'recover'])) {
  test(`damaged files, ${way}: the same records, errors and gaps as natively`, async () => {
    await readDamaged(some(damagedCases(await manifest('corrupt.manifest.json')), 9), way);
  });
}

const chunked = async () =>
  some(chunkedCases(await manifest('cpb.manifest.json'), await manifest('cpb_odd.manifest.json')), 5);

/** @type {(entry: {file: string}) => string} */
const nameOf = ({ file }) => file;

/** @type {(file: Chunked, options?: object) => Promise<any>} */
const opened = async ({ file, type, schema }, options) =>
  open(await bytesOf(file), { format: 'cpb', type, schema: await bytesOf(schema), ...options });

test('chunks of .cpb files: types, positions, sizes and bytes', async () => {
  const files = (await chunked()).filter(({ chunks }) => chunks);
  await each(files, nameOf, async (file) => {
    const message = await opened(file);
    const { chunks = [], records = [] } = file;
    assert.equal(message.numChunks, chunks.length);
    for (const [i, { type, size = '0', offset }] of chunks.entries()) {
      const chunk = message.chunk(i);
      assert.deepEqual([chunk.type, chunk.size, chunk.position], [type, Number(size), Number(offset)]);
      assert.equal((await sha256(await chunk.bytes())).slice(0, 32), records[i]?.[1]);
    }
    await message.close();
  });
});

/** @type {(file: Chunked, options?: object) => Promise<Uint8Array>} */
async function merge(file, options) {
  const message = await opened(file, options);
  try {
    const bytes = await collect(message.merged());
    assert.equal(await message.messageSize(), bytes.length, 'the size that was promised');
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

/** @type {(file: Chunked, expected: any) => Promise<void>} */
async function mergesAsNatively(file, { size, sha256: sha, exit, offset, message }) {
  if (exit === undefined) {
    const bytes = await merge(file);
    assert.equal(bytes.length, size);
    assert.equal(await sha256(bytes), sha);
  } else {
    const error = await assert.rejects(merge(file));
    assert.ok(codes[exit]?.includes(error.code), `${error.code}: ${error.message}`);
    sameError(error, { offset, message });
  }
}

test('.cpb files merged: the same bytes or errors as natively', async () => {
  const expected = (await native()).chunked;
  const files = await chunked();
  await each(files, nameOf, (file) => mergesAsNatively(file, expected[file.file]));
});

/** @type {(file: Chunked) => Promise<boolean>} */
async function indexIsRight(file) {
  const message = await opened(file);
  try {
    for (const chunk of message.chunks()) {
      if (chunk.size > 0 && (await chunk.bytes()).length !== chunk.size) return false;
    }
    return true;
  } finally {
    await message.close();
  }
}

test('.cpb files merged by the sizes in the index: a wrong size is an error', async () => {
  const expected = (await native()).chunked;
  await each(await chunked(), nameOf, async (file) => {
    const { sha256: sha } = expected[file.file];
    const bytes = await merge(file, { trustSizes: true }).catch((error) => {
      if (error.name !== 'CpbError') throw error;
      return undefined;
    });
    if (bytes) assert.equal(await sha256(bytes), sha);
    else if (sha) assert.ok(!(await indexIsRight(file)), 'refused, though its sizes are right');
  });
});
