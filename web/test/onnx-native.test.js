/** Every answer about ONNX models is the one that the native cpb gives, and so are values and differences. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './runtimes/files.js';
import { temporary } from './runtimes/process.js';
import { libcpb } from './support/libcpb.js';
import { external, holding, onnxModels } from './support/onnx.js';
import { assert, each, test } from './support/test.js';

const { diff, inspect } = libcpb;
const command = process.env.CPB ?? `${root}build/cpb`;
const run = promisify(execFile);

/** What it writes, also where a model is damaged or two differ. @param {string[]} args */
const native = (...args) =>
  run(command, args, { maxBuffer: 2 ** 28, encoding: 'buffer' }).then(
    ({ stdout }) => stdout,
    (/** @type {any} */ { code, stdout, stderr }) => {
      if (code === 1 && stdout.length) return stdout;
      throw new Error(String(stderr));
    },
  );

/** @type {[string, string?, string?][]} */
const questions = [
  ['overview'],
  ['functions'],
  ['nodes'],
  ['scopes'],
  ['layers'],
  ['constants'],
  ['ops'],
  ['search', 'e'],
];
/** @type {[string, string?, string?][]} */
const ofSmall = [
  ['function', 'my.lib.Twice'],
  ['function', 'check:then_branch'],
  ['nodes', 'check:else_branch'],
  ['scopes', 'my.lib.Twice'],
  ['consumers', '#3'],
  ['consumers', 'a', 'my.lib.Twice'],
  ['layers', '/layer'],
];

test('answers', async () => {
  const { path: folder, remove } = temporary();
  await each(onnxModels(), String, async ([name, bytes]) => {
    const path = join(folder, `${name}.onnx`);
    writeFileSync(path, bytes);
    const model = await inspect(path, { kind: 'onnx' });
    for (const [question, about, scope] of name === 'small' ? [...questions, ...ofSmall] : questions) {
      const args = ['inspect', path, question, ...(about ? [about] : []), ...(scope ? ['--scope', scope] : [])];
      const expected = JSON.parse(String(await native(...args, '--json', '-n', '20')));
      assert.deepEqual(await model.ask(question, { name: about, scope, count: 20 }), expected, `${name}: ${question}`);
    }
    model.close();
  });
  remove();
});

test('values in another file, and what differs there', async () => {
  const { path: folder, remove } = temporary();
  const path = join(folder, 'm.onnx');
  writeFileSync(path, holding(external('t', 'float32', [4], { location: 'w.bin', offset: '4' })));
  writeFileSync(join(folder, 'w.bin'), new Float32Array([0, 1, 2, 3, 4]));
  const model = await inspect(path, { kind: 'onnx' });
  const bytes = await (await model.values('t')).bytes();
  assert.deepEqual((await native('extract', path, 't', '-o', '-', '-q')).subarray(-16).toString('hex'), hex(bytes));
  model.close();
  const other = join(folder, 'other.onnx');
  writeFileSync(other, holding(external('t', 'float32', [4], { location: 'v.bin' })));
  writeFileSync(join(folder, 'v.bin'), new Float32Array([1, 2, 3, 5]));
  const expected = JSON.parse(String(await native('diff', path, other, '--json')));
  assert.deepEqual(await diff(path, other), expected);
  remove();
});

/** @param {Uint8Array} bytes */
const hex = (bytes) => Buffer.from(bytes).toString('hex');
