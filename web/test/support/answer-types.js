/** The types of answers as a JSON Schema, made of the declarations that are published. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, tool } from '../package/project.js';

const answers = new URL('../../src/inspect/answers/index.js', import.meta.url).pathname;

/** What `tsc -p web` makes of these files, without the rest. @param {string} folder */
function declare(folder) {
  execFileSync(tool('tsc'), [
    '--allowJs',
    '--declaration',
    '--emitDeclarationOnly',
    '--outDir',
    folder,
    '--module',
    'nodenext',
    '--target',
    'es2022',
    answers,
  ]);
  return join(folder, 'index.d.ts');
}

/** Every object has the members that are declared, and no other. */
async function schema() {
  const folder = mkdtempSync(join(tmpdir(), 'cpb-types-'));
  try {
    const { createGenerator } = await load('ts-json-schema-generator');
    const path = declare(folder);
    const how = { path, type: 'Answers', additionalProperties: false, skipTypeCheck: true };
    return createGenerator(how).createSchema('Answers');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @typedef {object} AnswerTypes
 * @property {(kind: string) => string[]} questions that a kind of model answers
 * @property {(kind: string, question: string, answer: unknown) => string[]} mistakes in an
 *   answer, that is where it is not what its type says
 */

/** @returns {Promise<AnswerTypes>} */
export async function answerTypes() {
  const { default: Ajv } = await load('ajv');
  const ajv = new Ajv({ allowUnionTypes: true, verbose: true });
  const { definitions } = await schema();
  ajv.addSchema({ definitions }, 'answers');
  /** @param {string} pointer */
  const at = (pointer) => ajv.getSchema(`answers#/definitions/${pointer}`);
  /** @param {string} kind */
  const answersOf = (kind) => definitions.Answers.properties[kind].$ref.split('/').at(-1);
  return {
    questions: (kind) => Object.keys(definitions[answersOf(kind)].properties),
    mistakes(kind, question, answer) {
      const validate = at(`${answersOf(kind)}/properties/${question}`);
      if (validate(answer)) return [];
      return validate.errors.map(
        (/** @type {any} */ { instancePath, message, params }) =>
          `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
}
