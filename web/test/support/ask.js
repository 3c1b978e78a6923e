/**
 * Asks a model as the page does: reads [{ question, ...options } or { values, ...how }] from
 * standard input and writes the answers, for tests/model/test_facts.py.
 *
 *     node web/test/support/ask.js FILE < QUESTIONS
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from '../../src/node.js';

// What the page's worker computes; its sources have types of their own.
const { rowMajor, shownOf } = await import(String(new URL('../../inspector/src/model/values.js', import.meta.url)));

const [, , path = ''] = process.argv;
const { signal } = new AbortController();

/** What lies beside it. @param {string} name */
const beside = (name) => join(dirname(path), name);

async function opened() {
  const metadata = beside('keras_metadata.pb');
  return inspect(path, {
    kerasMetadata: existsSync(metadata) ? new Uint8Array(readFileSync(metadata)) : undefined,
    checkpoint: existsSync(beside('variables/variables.index')) || undefined,
  });
}

/** The bytes of each. @param {Uint8Array} bytes @param {number} size */
const elements = (bytes, size) =>
  Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

/** Its bytes, and what the page shows of them. @param {any} model @param {any} tensor */
async function valuesOf(model, tensor) {
  const { variable, node, function: name, metaGraph, tag } = tensor;
  const how = { variable: !!variable, function: name ?? undefined, metaGraph, tag };
  const array = await model.values(variable ?? node, how);
  const { dtype, shape, itemSize, fortranOrder } = array;
  const bytes = await array.bytes();
  const inOrder = fortranOrder ? rowMajor(elements(bytes, itemSize), shape) : [bytes];
  const sha256 = createHash('sha256').update(Buffer.concat(inOrder)).digest('hex');
  const { picture, ...shown } = await shownOf(model, tensor, signal).catch(() => ({ picture: undefined }));
  return { dtype, shape, sha256, ...shown };
}

const model = await opened();
const answers = [];
for (const { question, values, ...options } of JSON.parse(readFileSync(0, 'utf8')))
  answers.push(values ? await valuesOf(model, values) : await model.ask(question, { count: 'all', ...options }));
model.close();
process.stdout.write(JSON.stringify(answers));
