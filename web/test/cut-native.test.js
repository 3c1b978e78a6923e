/** A model that is cut down has the bytes that the native cpb writes. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './runtimes/files.js';
import { largeFunction } from './support/large-models.js';
import { libcpb } from './support/libcpb.js';
import { madeModels } from './support/models.js';
import { assert, each, test } from './support/test.js';

const { inspect, merge, split } = libcpb;
const command = process.env.CPB ?? `${root}build/cpb`;
const run = promisify(execFile);
const cpb = `${root}tests/data/cpb/`;

/** Models of the corpus, as messages and chunked. */
const corpus = [
  'real_tf_module/orig.pb',
  'real_tf_module/max3000_zstd.cpb',
  'real_keras_export/orig.pb',
  'real_tf_keras_functional/orig.pb',
  'real_tf_keras_functional/max20000_zstd.cpb',
  'real_tf_keras_subclassed/orig.pb',
].map((name) => cpb + name);

const bytesOf = (/** @type {string} */ path) => (existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined);

/** What the native command writes. @param {string} model @param {string[]} paths */
async function native(model, paths) {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-cut-'));
  try {
    const [pb, chunked] = [join(folder, 'saved_model.pb'), join(folder, 'saved_model.cpb')];
    const { stdout } = await run(command, ['cut', model, ...paths, '-o', pb, '-q', '--json'], { maxBuffer: 2 ** 28 });
    await run(command, ['cut', model, ...paths, '-o', chunked, '-q', '-f']);
    return {
      report: JSON.parse(stdout),
      pb: bytesOf(pb),
      chunked: bytesOf(chunked),
      keras: bytesOf(join(folder, 'keras_metadata.pb')),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is below the root, each alone, and the first two together. @param {any} model */
async function pathsOf(model) {
  const { children } = await model.objects('root');
  const paths = children.items
    .map((/** @type {any} */ { path }) => path)
    .filter(Boolean)
    .slice(0, 8);
  return [['root'], paths.slice(0, 2), ...paths.map((/** @type {string} */ path) => [path])];
}

/** @param {string} path */
async function compare(path) {
  const kerasMetadata = bytesOf(path.replace(/saved_model\.\w+$/, 'keras_metadata.pb'));
  const model = await inspect(path, { ...(/saved_model\.pb$/.test(path) && kerasMetadata && { kerasMetadata }) });
  await each(await pathsOf(model), String, async (paths) => {
    const expected = await native(path, paths);
    const cut = await model.cut(paths, { count: 1_000_000 });
    assert.deepEqual(cut.report, expected.report);
    assert.deepEqual(await split(cut.source).bytes(), expected.chunked);
    assert.deepEqual(await cut.savedModel.bytes(), expected.pb);
    assert.equal(cut.savedModel.result?.size, expected.report.size);
    assert.deepEqual(await cut.kerasMetadata?.bytes(), expected.keras);
  });
  model.close();
}

const keras = madeModels.filter((path) => /keras_(nested|subclassed|sequential)\/saved_model\.pb$/.test(path));

for (const path of [...corpus, ...keras]) {
  test(`${path.slice(root.length)}: cut down, the bytes and report of the native command`, () => compare(path));
}

test('large constants are copied in pieces, and ranges near each other are read at once', async () => {
  const file = largeFunction(8, 64 * 2 ** 20);
  const { size: whole } = await file.source.stat();
  const model = await inspect({ ...file.source, remote: false });
  const cut = await model.cut(['root.f']);
  file.since();
  let [size, largest, done] = [0, 0, 0];
  const onProgress = (/** @type {any} */ progress) => ({ done } = progress);
  for await (const bytes of /** @type {any} */ (cut.savedModel.stream({ onProgress }))) {
    size += bytes.length;
    largest = Math.max(largest, bytes.length);
  }
  assert.deepEqual([size, done], [cut.report.size, size]);
  assert.ok(Math.abs(size - whole) < 100 && largest <= 2 ** 20, `${size} of ${whole} bytes in pieces of ${largest}`);
  const { requests, bytes } = file.since();
  assert.ok(requests <= size / 2 ** 20 + 8 && bytes < size, `${requests} reads of ${bytes} bytes`);
  model.close();
});

test('a model that is cut down and split merges to the cut model', async () => {
  const model = await inspect(`${cpb}real_tf_module/orig.pb`);
  const cut = await model.cut(['root.f']);
  const chunked = await split(cut.source, { maxChunkSize: 2000 }).bytes();
  assert.deepEqual(await merge(chunked).bytes(), await cut.savedModel.bytes());
  model.close();
});
