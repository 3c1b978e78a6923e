/**
 * The module without decoders, and decoders of the host: the runtime's own, and for Zstd
 * one that is JavaScript, as a page may have it.
 */
// runtimes: node, bun
import { readFile } from 'node:fs/promises';
import * as zlib from 'node:zlib';
import { decompress } from 'fzstd';
import { chunkedCases, listing } from './corpus/cases.js';
import { libcpb } from './support/libcpb.js';
import { collect } from './support/stream.js';
import { sha256 } from './support/sha256.js';
import { assert, data, each, json, test } from './support/test.js';

const { init, open, openRecords } = libcpb;

const { BROTLI_DECODER_PARAM_LARGE_WINDOW } = zlib.constants;
const largeWindow = { params: { [BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } };

/** @type {Record<string, (bytes: Uint8Array) => Uint8Array>} */
const decoders = {
  brotli: (bytes) => zlib.brotliDecompressSync(bytes, largeWindow),
  zstd: (bytes) => decompress(bytes),
};

/** Bun has Zstd, and Node from 22.15 on. @type {((bytes: Uint8Array) => Uint8Array) | undefined} */
const zlibZstd = /** @type {any} */ (zlib).zstdDecompressSync;
/** @type {[string, (bytes: Uint8Array) => Uint8Array][]} */
const zstds = [['fzstd', (bytes) => decompress(bytes)]];
if (zlibZstd) zstds.push(['node:zlib', (bytes) => zlibZstd(bytes)]);

/** Opens all with that module from now on; the calls of each decoder. @param {typeof decoders} has */
async function use(has) {
  /** @type {Record<string, number>} */
  const calls = { brotli: 0, zstd: 0 };
  const reader = await readFile(new URL('../../build/web/reader-hostcodecs.wasm', import.meta.url));
  await init({
    reader,
    decode(/** @type {string} */ codec, /** @type {Uint8Array} */ bytes) {
      calls[codec]++;
      return has[codec]?.(bytes);
    },
  });
  return calls;
}

/** @param {Uint8Array} bytes */
async function rowsOf(bytes) {
  const rows = [];
  const records = await openRecords(bytes);
  for await (const { size, bytes, chunkBegin, index } of records)
    rows.push({ size, sha256: await sha256(bytes), chunkBegin, index });
  records.close();
  return rows;
}

/** @type {(rows: import('./corpus/cases.js').ManifestRow[]) => any[]} */
const expand = (rows) =>
  rows.flatMap(([size, sha256, chunkBegin, index, count = 1]) =>
    Array.from({ length: count }, (_, i) => ({ size, sha256, chunkBegin, index: index + i })),
  );

for (const [name, zstd] of zstds) {
  test(`Brotli by node:zlib, Zstd by ${name}: all records of the corpus`, async () => {
    const calls = await use({ ...decoders, zstd });
    const files = await json('tests/data/records.manifest.json');
    await each(
      files,
      ({ file }) => file,
      async ({ file, records }) => {
        assert.equal(listing(await rowsOf(await data(`tests/data/${file}`))), listing(expand(records)));
      },
    );
    assert.ok(calls.brotli > 100 && calls.zstd > 100, JSON.stringify(calls));
  });

  test(`Brotli by node:zlib, Zstd by ${name}: the merged messages of the corpus`, async () => {
    const calls = await use({ ...decoders, zstd });
    const expected = (await json('build/web-test/native.json')).chunked;
    const [cpb, odd] = await Promise.all(['cpb', 'cpb_odd'].map((name) => json(`tests/data/${name}.manifest.json`)));
    const files = chunkedCases(cpb, odd).filter(({ file }) => expected[file].sha256);
    await each(
      files,
      ({ file }) => file,
      async ({ file, type, schema }) => {
        const options = { format: 'cpb', trustSizes: false, type, schema: await data(`tests/data/${schema}`) };
        const message = await open(await data(`tests/data/${file}`), options);
        assert.equal(await sha256(await collect(message.merged())), expected[file].sha256);
        message.close();
      },
    );
    assert.ok(calls.brotli > 10 && calls.zstd > 10, JSON.stringify(calls));
  });
}

const ZSTD = 'tests/data/cpb/real_keras_export/max3000_zstd.cpb';
const BROTLI = 'tests/data/cpb/real_keras_export/max3000_brotli.cpb';

test('a codec that the host has not is unsupported, the other is read', async () => {
  await use({ zstd: decoders.zstd });
  const message = await open(await data(ZSTD));
  assert.equal((await message.chunk(1).bytes()).length, message.chunk(1).size);
  message.close();
  await assert.rejects(open(await data(BROTLI)), { code: 'UNSUPPORTED', message: /Brotli/i });
});

test('a decoder that throws, or gives too much or too little, is damage and traps nothing', async () => {
  const wrong = {
    throws() {
      throw new Error('no Zstd');
    },
    more: (/** @type {Uint8Array} */ bytes) => new Uint8Array(decompress(bytes).length + 1),
    less: (/** @type {Uint8Array} */ bytes) => decompress(bytes).slice(1),
  };
  await each(
    Object.entries(wrong),
    ([name]) => name,
    async ([, zstd]) => {
      await use({ zstd });
      await assert.rejects(open(await data(ZSTD), { format: 'cpb' }), { code: 'DAMAGED' });
    },
  );
});

test('of damaged data each error is one that the built-in decoders give', async () => {
  const bytes = await data(ZSTD);
  await use(decoders);
  let refused = 0;
  for (let i = 64; i < bytes.length; i += 499) {
    const damaged = bytes.slice();
    damaged[i] = Number(damaged[i]) ^ 0x55;
    const found = await rowsOf(damaged).then(
      () => 'OK',
      (error) => error.code,
    );
    assert.ok(['DAMAGED', 'OK', 'TRUNCATED', 'UNSUPPORTED'].includes(found), `byte ${i}: ${found}`);
    if (found !== 'OK') refused++;
  }
  assert.ok(refused > 10, `${refused} refused`);
});
