/**
 * Makes src/inspect/answers.d.ts, the types of the answers about models, from their JSON Schema in src/model/answers of
 * the repository. web/build.sh and dist.js run it.
 *
 *     node scripts/answers.js
 */
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { compile } from 'json-schema-to-typescript';

const folder = new URL('../../src/model/answers/', import.meta.url);
const types = new URL('../src/inspect/answers.d.ts', import.meta.url);

/** All files as one schema, in which references have no file. @returns {Record<string, any>} its definitions */
export function definitions() {
  /** @type {Record<string, any>} */
  const all = {};
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
    const file = /** @type {any} */ (load(readFileSync(new URL(name, folder), 'utf8')));
    for (const [key, schema] of Object.entries(file.$defs)) {
      if (all[key]) throw new Error(`${name} defines ${key}, which another file defines, too`);
      all[key] = schema;
    }
  }
  return JSON.parse(JSON.stringify(all).replaceAll(/("\$ref":")\w+\.yaml#/g, '$1#'));
}

/**
 * Rewrites what the generator does not support: a description next to a reference, and a value of any type.
 *
 * @param {string} _key @param {any} value
 */
function inOtherWords(_key, value) {
  const { $ref, ...beside } = value ?? {};
  if (typeof $ref === 'string' && Object.keys(beside).length > 0) return { ...beside, allOf: [{ $ref }] };
  const isAny = typeof value?.description === 'string' && Object.keys(value).length === 1;
  return isAny ? { ...value, tsType: 'unknown' } : value;
}

export async function writeAnswerTypes() {
  const { Answers, ...others } = definitions();
  const schema = JSON.parse(JSON.stringify({ title: 'Answers', ...Answers, $defs: others }), inOtherWords);
  const text = await compile(schema, 'Answers', {
    additionalProperties: false,
    bannerComment: '/** The types of answers about models. Made by scripts/answers.js: change src/model/answers. */',
    style: { printWidth: 120, singleQuote: true },
    unreachableDefinitions: true,
  });
  // The source of a type is of no use to users.
  const from = /(^ \*\n)? \* This interface was referenced by .*\n \* via the `definition` .*\n/gm;
  writeFileSync(types, text.replaceAll(from, '').replaceAll('/**\n */\n', ''));
}

const [, run] = process.argv;
if (run && realpathSync(run) === fileURLToPath(import.meta.url)) await writeAnswerTypes();
