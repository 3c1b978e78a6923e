/** Answers held against their JSON Schema, which the repository has in src/model/answers. */
import { definitions } from '../../scripts/answers.js';
import { load } from '../package/project.js';

/**
 * @param {any} schema
 * @param {(schema: any) => any} inner what becomes of what it says of members and elements
 * @param {(schema: any) => any} same of what else it says of the same value
 */
function mapped(schema, inner, same) {
  const { properties, items, additionalProperties, allOf, anyOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, inner) }),
    ...(items && { items: inner(items) }),
    ...(additionalProperties && { additionalProperties: inner(additionalProperties) }),
    ...(allOf && { allOf: allOf.map(same) }),
    ...(anyOf && { anyOf: anyOf.map(same) }),
  };
}

/** @param {Record<string, any>} object @param {(value: any) => any} change */
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, one]) => [key, change(one)]));

/** Whether any value will do. @param {any} schema */
const isOpen = (schema) => Object.keys(schema).every((key) => key === 'description');

/** The same, but no value has members that it does not name. @param {any} schema */
const closed = (schema) => (!schema || isOpen(schema) ? schema : { ...inside(schema), unevaluatedProperties: false });

/** The same for what is in it. @param {any} schema @returns {any} */
const inside = (schema) => mapped(schema, closed, inside);

/**
 * @typedef {object} AnswerTypes
 * @property {(kind: string) => string[]} questions that a kind of model answers
 * @property {(kind: string, question: string, answer: unknown) => string[]} mistakes in an
 *   answer, that is where it is not what its type says
 */

/** @returns {Promise<AnswerTypes>} */
export async function answerTypes() {
  const { default: Ajv } = await load('ajv/dist/2020.js');
  const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false, strictRequired: false, verbose: true });
  const types = mapValues(definitions(), inside);
  ajv.addSchema({ $defs: types }, 'answers');
  /** @param {string} kind */
  const answersOf = (kind) => types.Answers.properties[kind].$ref.split('/').at(-1);
  return {
    questions: (kind) => Object.keys(types[answersOf(kind)].properties),
    mistakes(kind, question, answer) {
      const validate = ajv.getSchema(`answers#/$defs/${answersOf(kind)}/properties/${question}`);
      if (validate(answer)) return [];
      return validate.errors.map(
        (/** @type {any} */ { instancePath, message, params }) =>
          `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
}
