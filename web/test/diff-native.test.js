/** What two models differ in is what the native cpb says. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './runtimes/files.js';
import { libcpb } from './support/libcpb.js';
import { sameDiffModels } from './support/models.js';
import { assert, each, test } from './support/test.js';

const { diff } = libcpb;
const command = process.env.CPB ?? `${root}build/cpb`;
const run = promisify(execFile);
const cpb = `${root}tests/data/cpb/`;

/** @param {string} a @param {string} b @param {string[]} options */
async function native(a, b, ...options) {
  const { stdout } = await run(command, ['diff', a, b, '--json', ...options], { maxBuffer: 2 ** 28 }).catch((error) => {
    if (error.code !== 1) throw error; // 1: they differ
    return error;
  });
  return JSON.parse(stdout);
}

/**
 * The message with some of its bytes replaced by as many.
 *
 * @param {string} path @param {string} from @param {string} to
 */
function changed(path, from, to) {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-diff-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at, 'latin1');
  writeFileSync(join(folder, 'saved_model.pb'), bytes);
  return join(folder, 'saved_model.pb');
}

const module = `${cpb}real_tf_module/orig.pb`;
const other = changed(module, 'MatMul', 'MatMux');
const [zip = ''] = sameDiffModels().filter((path) => path.endsWith('three_tags.zip'));
const [graph = ''] = sameDiffModels().filter((path) => path.endsWith('mlp_adam.fb'));

const pairs = [
  ['a model and itself', module, module],
  ['a .pb and the .cpb made of it', module, `${cpb}real_tf_module/max3000_zstd.cpb`],
  ['operations and nodes', module, other],
  ['two models that have little in common', module, `${cpb}real_keras_export/orig.pb`],
  ['constants', `${cpb}real_frozen_conv/orig.pb`, `${cpb}graph_const_dtypes/orig.pb`],
  ['two kinds', module, `${cpb}real_frozen_conv/orig.pb`],
  ['tags', zip, zip],
  ['a zip and a graph', zip, graph],
];

test('the answer is that of the native command', () =>
  each(
    pairs,
    ([name = '']) => name,
    async ([, a = '', b = '']) => assert.deepEqual(await diff(a, b), await native(a, b)),
  ));

test('the wanted number of differences is listed, and all are counted', async () => {
  const b = `${cpb}real_keras_export/orig.pb`;
  const answer = await diff(module, b, { maxDifferences: 2, skipValues: true });
  assert.deepEqual(answer, await native(module, b, '-n', '2', '--skip-values'));
  assert.equal(answer.values, false);
});

test('files beside the models are compared, too', async () => {
  const keras = `${cpb}real_tf_keras_functional/`;
  const kerasMetadata = new Uint8Array(readFileSync(`${keras}model/keras_metadata.pb`));
  const [a, b] = [`${keras}orig.pb`, `${keras}max20000_zstd.cpb`];
  const answer = await diff(a, b, { a: { kerasMetadata }, b: { kerasMetadata } });
  assert.ok(answer.sections.some((/** @type {any} */ { section }) => section === 'layers'));
  assert.ok(answer.equal);
});

test('an error says which of the two models is damaged', async () => {
  const bytes = new Uint8Array(readFileSync(module));
  await assert.rejects(diff(bytes, new Uint8Array(20).fill(255)), { code: 'FORMAT' });
  await assert.rejects(diff(module, `${root}tests/data/none.pb`), /none\.pb/);
});

test('a comparison can be aborted, and a wrong option is refused', async () => {
  const stop = AbortSignal.abort(new Error('enough'));
  await assert.rejects(diff(module, other, { signal: stop }), /enough/);
  await assert.rejects(diff(module, other, { skip: true }), { code: 'USAGE' });
});
