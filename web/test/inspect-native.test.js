/** Every answer about the models of the corpus is the one that the native cpb gives. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from './runtimes/files.js';
import { assert, test } from './support/test.js';
import { libcpb } from './support/libcpb.js';
import { corpusModels as models } from './support/models.js';

const { inspect } = libcpb;
const command = process.env.CPB ?? `${root}build/cpb`;
const data = `${root}tests/data/`;
const run = promisify(execFile);

/** What is asked, and what about. @type {[string, string?][]} */
const questions = [
  ['overview'],
  ['signature', 'serving_default'],
  ['functions'],
  ['nodes'],
  ['scopes'],
  ['objects', 'root'],
  ['layers'],
  ['constants'],
  ['ops'],
  ['search', 'e'],
];

/** @param {string} path @param {string[]} question */
async function native(path, question) {
  try {
    const args = ['inspect', path, ...question, '--json', '-n', '20'];
    return JSON.parse((await run(command, args, { maxBuffer: 2 ** 28 })).stdout);
  } catch (error) {
    return { error: true };
  }
}

test('there are models of each kind', () => {
  assert.ok(models.some((name) => name.endsWith('.pb')), 'a .pb');
  assert.ok(models.some((name) => name.endsWith('.cpb')), 'a .cpb');
});

for (const path of models) {
  test(`${path}: the answers of the native command`, async () => {
    const model = await inspect(data + path).catch(() => undefined);
    for (const [question, name] of questions) {
      const expected = await native(data + path, name ? [question, name] : [question]);
      const answer = await model
        ?.ask(question, { name, count: 20 })
        .catch(() => ({ error: true }));
      assert.deepEqual(answer ?? { error: true }, expected, question);
    }
    model?.close();
  });
}
