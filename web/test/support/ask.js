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
import { core } from './core.js';

// What the page's worker computes; its sources have types of their own.
const { Arrays } = await import(String(new URL('../../inspector/src/model/arrays.js', import.meta.url)));
const { Picker, rangesOf } = await import(String(new URL('../../inspector/src/model/slices.js', import.meta.url)));

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

/** Its bytes, and what the page shows of them. @param {any} model @param {any} tensor */
async function valuesOf(model, tensor) {
  const { variable, node, function: name, metaGraph, tag } = tensor;
  const how = { variable: !!variable, function: name ?? undefined, metaGraph, tag };
  const array = await model.values(variable ?? node, how);
  const { dtype, shape } = array;
  const picker = new Picker(array, rangesOf('', shape));
  picker.take(await array.bytes());
  const sha256 = createHash('sha256').update(picker.bytes).digest('hex');
  const arrays = new Arrays(model, model.ask, model.kind, core);
  const shown = await arrays.values({ tensor }, signal).catch((/** @type {any} */ { code }) => {
    if (code !== 'UNSUPPORTED') throw code;
  });
  if (!shown?.statistics) return { dtype, shape, sha256, texts: shown?.texts };
  const { first, numbers } = shown.statistics;
  const { minimum, maximum, mean, deviation } = numbers;
  // Floats of 32 bits and less come with as many digits as those need.
  const exact = /double|float64|int|complex|long/i.test(dtype) ? Number : (/** @type {any} */ one) => Math.fround(one);
  const [low, high] = [minimum, maximum].map(exact);
  return { dtype, shape: shown.shape, sha256, first: first.map(exact), low, high, mean, deviation };
}

const model = await opened();
const answers = [];
for (const { question, values, ...options } of JSON.parse(readFileSync(0, 'utf8')))
  answers.push(values ? await valuesOf(model, values) : await model.ask(question, { count: 'all', ...options }));
model.close();
process.stdout.write(JSON.stringify(answers));
