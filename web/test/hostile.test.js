/**
 * Hostile models through inspect(): what is wrong is told, the rest is shown. The native
 * command is asked the same by tests/model/test_hostile.py.
 */
import { hostileModels } from './support/hostile.js';
import { libcpb } from './support/libcpb.js';
import { assert, each, test } from './support/test.js';

const { inspect } = libcpb;

/** @type {[string, string?][]} */
const questions = [
  ['overview'],
  ['signature', 'serve'],
  ['functions'],
  ['function', 'f'],
  ['nodes'],
  ['scopes'],
  ['objects'],
  ['layers'],
  ['load', 'root'],
  ['constants'],
  ['ops'],
  ['search', 'a'],
  ['cut', 'root'],
];

/** @param {any} answer @param {string} path */
const member = (answer, path) => path.split('.').reduce((value, name) => value?.[name], answer);

/** @param {any} answer @returns {string[]} */
const texts = (answer) => answer.problems.map((/** @type {any} */ { text }) => text);

/** What a person may be shown as it is. @param {string} text */
const isPlain = (text) => !/[\x00-\x1f\x7f-\x9f]/.test(text);

test('the rest of a hostile model is shown, and what is wrong is told', async () =>
  each(
    await hostileModels(),
    ({ name }) => name,
    async ({ file, answers, problems = [] }) => {
      const model = await inspect(file);
      /** @type {string[]} */
      const told = [];
      for (const {
        ask: [question, name],
        has,
      } of answers) {
        const answer = await model.ask(question, { name });
        told.push(...texts(answer));
        for (const [path, value] of Object.entries(has)) assert.deepEqual(member(answer, path), value, path);
      }
      for (const wanted of problems)
        assert.ok(
          told.some((text) => text.includes(wanted)),
          wanted,
        );
      assert.ok(told.every(isPlain), 'problems are plain text');
      model.close();
    },
  ));

test('each question about a hostile model has an answer or a typed error', async () =>
  each(
    await hostileModels(),
    ({ name }) => name,
    async ({ file }) => {
      const model = await inspect(file);
      for (const [question, name] of questions) {
        const error = await model.ask(question, { name }).then(
          () => undefined,
          (/** @type {any} */ e) => e,
        );
        if (!error) continue;
        const codes = question === 'cut' ? ['DAMAGED', 'UNSUPPORTED'] : ['NOT_FOUND'];
        assert.ok(codes.includes(error.code), `${question}: ${error.code}`);
        assert.ok(isPlain(error.message), error.message);
      }
      assert.equal((await model.overview()).kind, 'saved_model');
      model.close();
    },
  ));
