/**
 * node native.js: what the native `cpb` command makes of the corpus, compiled with the
 * same libraries as WebAssembly, into build/web-test/native.json; corpus.test.js compares
 * WebAssembly with it, tests/verdicts.py other builds of the command. That is held against
 * the manifests by tests/corpus.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chunkedCases, damage, damagedCases, listing } from './cases.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const corpus = `${root}tests/data/`;
const output = `${root}build/web-test/native.json`;
const command = process.env.CPB ?? `${root}build-source/cpb`;
const folder = mkdtempSync(join(tmpdir(), 'cpb-native-'));
const workers = 2;

/** @type {(path: string) => any} */
const json = (path) => JSON.parse(readFileSync(corpus + path, 'utf8'));

/** @type {(data: string | Uint8Array) => string} */
const sha256 = (data) => createHash('sha256').update(data).digest('hex');

/** @type {(args: string[]) => Promise<{code: number, stdout: string, stderr: string}>} */
const run = (args) =>
  new Promise((resolve) => {
    execFile(command, args, { maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

/** @type {(path: string, ...options: string[]) => Promise<object>} */
async function records(path, ...options) {
  const lines = (await run(['records', path, '--json', '--sha256', ...options])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const rows = lines
    .filter((line) => 'position' in line)
    .map(({ size, sha256, chunk_begin: chunkBegin, index }) => ({
      size,
      sha256,
      chunkBegin,
      index,
    }));
  const skipped = lines.flatMap((line) =>
    line.skipped ? [[line.skipped.begin, line.skipped.end, line.skipped.reason]] : [],
  );
  const { status, offset, message } = lines.at(-1);
  return { count: rows.length, sha256: sha256(listing(rows)), skipped, status, offset, message };
}

/** @type {(file: import('./cases.js').Chunked, out: string) => Promise<object>} */
async function merged({ file, type, schema }, out) {
  const path = corpus + file;
  const { code, stderr } = await run([
    'merge',
    path,
    '-o',
    out,
    '-f',
    '-q',
    '--type',
    type,
    '--schema',
    corpus + schema,
  ]);
  if (code === 0) return { size: statSync(out).size, sha256: sha256(readFileSync(out)) };
  const [, offset, message] = /^(?:byte (\d+): )?(.*)/.exec(stderr.slice(path.length + 2)) ?? [];
  return { exit: code, offset: offset && Number(offset), message };
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T, number: number) => Promise<[string, object]>} fn
 * @returns {Promise<Record<string, object>>}
 */
async function all(items, fn) {
  const entries = /** @type {[string, object][]} */ ([]);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const number = next++;
      entries[number] = await fn(/** @type {T} */ (items[number]), number);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return Object.fromEntries(entries);
}

const damaged = await all(damagedCases(json('corrupt.manifest.json')), async ({ name, file, ops }, number) => {
  const path = `${folder}/${number}.riegeli`;
  writeFileSync(path, damage(readFileSync(corpus + file), ops));
  return [name, { plain: await records(path), recover: await records(path, '--recover') }];
});
const chunked = await all(
  chunkedCases(json('cpb.manifest.json'), json('cpb_odd.manifest.json')),
  async (file, number) => [file.file, await merged(file, `${folder}/${number}.pb`)],
);
mkdirSync(join(output, '..'), { recursive: true });
writeFileSync(output, JSON.stringify({ damaged, chunked }));
rmSync(folder, { recursive: true });
