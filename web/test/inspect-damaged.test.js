// runtimes: node
/** Of a chunked model with a damaged chunk, answers are made from the others: as the native command does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './runtimes/files.js';
import { assert, test } from './support/test.js';
import { libcpb } from './support/libcpb.js';
import { corpusModels } from './support/models.js';

const { diff, inspect } = libcpb;
const command = process.env.CPB ?? `${root}build/cpb`;
const run = promisify(execFile);

/** @type {[string, string?][]} */
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

/** The answer, which is there with exit status 1, too; or the error. @param {string[]} args */
async function native(...args) {
  const { stdout, stderr } = await run(command, args, { maxBuffer: 2 ** 28 }).catch((error) => error);
  return stdout ? JSON.parse(stdout) : { error: stderr.slice(stderr.indexOf(': ') + 2).trimEnd() };
}

/**
 * @param {{ path: string, content: Uint8Array, chunks: any[] }} model
 * @param {number} number of the chunk of which a byte is changed where it is stored
 */
function damage({ path, content, chunks }, number) {
  const { position, stored_size: size } = chunks[number];
  const changed = Uint8Array.from(content);
  const at = position + 40 + ((size - 40) >> 1);
  changed[at] = Number(changed[at]) ^ 0x40;
  writeFileSync(path, changed);
}

/** @param {(model: { path: string, content: Uint8Array, chunks: any[] }) => Promise<void>} use */
async function withChunks(use) {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-damaged-'));
  const [source] = corpusModels.filter((name) => name.endsWith('orig.pb') && name.includes('keras'));
  try {
    const path = join(folder, 'saved_model.cpb');
    await run(command, ['split', `${root}tests/data/${source}`, '-o', path, '-q', '--max-chunk-size', '4K']);
    const { chunks } = await native('info', path, '--json');
    await use({ path, content: readFileSync(path), chunks });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('each chunk in turn is damaged: the answers of the native command, which names it', () =>
  withChunks(async (model) => {
    const { path, chunks } = model;
    const messages = chunks.flatMap((chunk, i) => (chunk.type === 'MESSAGE' ? [i] : []));
    assert.ok(messages.length > 3, `${messages.length} chunks are messages`);
    for (const number of messages) {
      damage(model, number);
      let met = 0;
      for (const [question, name] of questions) {
        const opened = await inspect(path, { verify: 'first' }); // which has met no damage yet
        const expected = await native('inspect', path, question, ...(name ? [name] : []), '--json', '-n', '50');
        const answer = await opened
          .ask(question, { name, count: 50 })
          .catch((/** @type {Error} */ { message }) => ({ error: message }));
        const wrong = /** @type {any[]} */ (answer.problems ?? []);
        // Planning with verified chunks may meet damage that the question alone would not.
        const told = expected.problems?.length === 0 && wrong.every(({ damage }) => damage) ? [] : wrong;
        assert.deepEqual(
          answer.error ? answer : { ...answer, problems: told },
          expected,
          `chunk ${number}: ${question}`,
        );
        met += Number(JSON.stringify(answer).includes(`chunk ${number}: `));
        opened.close();
      }
      assert.ok(met > 3, `chunk ${number}: ${met} answers say so`);
    }
  }));

test('the rest of a damaged model is neither compared nor written', () =>
  withChunks(async (model) => {
    const { path, content, chunks } = model;
    damage(
      model,
      chunks.findIndex((chunk) => chunk.type === 'MESSAGE'),
    );
    await assert.rejects(diff(path, new Uint8Array(content), { a: { verify: 'first' } }), { code: 'DAMAGED' });
    const opened = await inspect(path, { verify: 'first' });
    await assert.rejects(opened.cut(['root.layer']), { code: 'DAMAGED' });
    opened.close();
  }));
