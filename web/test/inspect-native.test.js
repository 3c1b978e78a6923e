/** Every answer about the models of the corpus is the one that the native cpb gives. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './runtimes/files.js';
import { assert, each, test } from './support/test.js';
import { libcpb } from './support/libcpb.js';
import { corpusModels as models, sameDiffModels } from './support/models.js';

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
  ['consumers', 'x'],
  ['node', 'x'],
];

/** The answer, or what the error is. @param {string} path @param {string[]} question */
async function native(path, question) {
  const args = ['inspect', path, ...question, '--json', '-n', '20'];
  try {
    return JSON.parse((await run(command, args, { maxBuffer: 2 ** 28 })).stdout);
  } catch (error) {
    const { code, stdout } = /** @type {any} */ (error);
    if (code === 1 && stdout) return JSON.parse(stdout); // it is damaged
    return { error: /** @type {any} */ (error).stderr.replace(`${path}: `, '').trimEnd() };
  }
}

/** @param {any} error as the command has it */
const said = ({ message, offset }) => ({ error: offset === undefined ? message : `byte ${offset}: ${message}` });

/** @param {string} path @param {[string, string?][]} asked */
async function compare(path, asked) {
  const model = await inspect(path).catch(() => undefined);
  for (const [question, name] of asked) {
    const expected = await native(path, name ? [question, name] : [question]);
    const answer = await model?.ask(question, { name, count: 20 }).catch(said);
    // What is no model is told by whoever opens it.
    assert.deepEqual(model ? answer : { error: '' }, model ? expected : { ...expected, error: '' }, question);
  }
  model?.close();
}

test('there are models of each kind', () => {
  assert.ok(
    models.some((name) => name.endsWith('.pb')),
    'a .pb',
  );
  assert.ok(
    models.some((name) => name.endsWith('.cpb')),
    'a .cpb',
  );
});

for (const path of models) {
  test(`${path}: the answers of the native command`, () => compare(data + path, questions));
}

test('damaged SameDiff models: the answers and errors of the native command', () =>
  each(sameDiffModels({ damaged: true }), String, (path) => compare(path, [['overview'], ['tag']])));

test('SameDiff zips that were cut off: the answers and errors of the native command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-cut-'));
  const zips = sameDiffModels().filter((/** @type {string} */ path) => /(three_tags|java_zip|zip64)\.zip$/.test(path));
  assert.equal(zips.length, 3);
  for (const path of zips)
    for (let part = 1; part < 12; part++) {
      const bytes = readFileSync(path);
      const cut = join(folder, 'cut.zip');
      writeFileSync(cut, bytes.subarray(0, Math.floor((bytes.length * part) / 12)));
      await compare(cut, [['overview'], ['nodes'], ['constants'], ['constants', 'w1'], ['tag'], ['tag', 'FP32']]);
    }
  rmSync(folder, { recursive: true });
});

test('variables and their stored parts: the answers of the native command', async () => {
  const folders = models.filter((name) => existsSync(`${data}${name.replace('orig.pb', 'model/variables')}`));
  assert.ok(folders.length > 2);
  for (const name of folders.filter((one) => one.endsWith('orig.pb'))) {
    const folder = mkdtempSync(join(tmpdir(), 'cpb-variables-'));
    cpSync(`${data}${name.replace('orig.pb', 'model')}`, folder, { recursive: true });
    const path = `${folder}/saved_model.pb`;
    cpSync(data + name, path);
    const metadata = `${folder}/keras_metadata.pb`; // which says of each variable which layer has it
    const kerasMetadata = existsSync(metadata) ? readFileSync(metadata) : undefined;
    const model = await inspect(path, { checkpoint: true, kerasMetadata });
    assert.deepEqual(await model.variables({ count: 20 }), await native(path, ['variables']), name);
    model.close();
    rmSync(folder, { recursive: true });
  }
});

/**
 * Letters beyond ASCII are not folded: Модель and модель are two tags, in the command and here, and
 * each is found by its own name alone.
 */
test('a SameDiff zip whose names differ only in the case of other letters', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-samediff-'));
  try {
    cpSync(`${data}samediff_small/linear.fb`, join(folder, 'linear.fb'));
    const { tags } = JSON.parse(readFileSync(`${data}samediff_small/parts.json`, 'utf8'));
    const named = ['Модель', 'модель', 'Straße', 'STRASSE'].map((tag) => ({ ...tags[0], tag }));
    writeFileSync(join(folder, 'parts.json'), JSON.stringify({ tags: named }));
    const path = join(folder, 'Модель.zip');
    await run(command, ['tag', join(folder, 'parts.json'), '-o', path, '-q']);
    const asked = [...named.map(({ tag }) => tag), 'МОДЕЛЬ', 'straße', 'strasse', undefined];
    await compare(path, [['overview'], ...asked.map((tag) => /** @type {[string, string?]} */ (['tag', tag]))]);
    await compare(path, [
      ['search', 'МОДЕЛЬ'],
      ['search', 'W'],
      ['constants', 'w'],
      ['constants', 'W'],
    ]);
    const model = await inspect(path, { kind: 'samediff_zip' });
    for (const { tag } of named) {
      const { stdout } = await run(command, ['extract', path, 'w', '--scope', tag, '-o', '-', '-q'], {
        encoding: 'buffer',
      });
      const values = await (await model.values('w', { tag })).bytes();
      assert.deepEqual(new Uint8Array(stdout).slice(-values.length), values);
    }
    await assert.rejects(model.values('w', { tag: 'МОДЕЛЬ' }), { code: 'NOT_FOUND' });
    model.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
