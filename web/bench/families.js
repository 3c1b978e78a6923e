/**
 * Runs jobs of tests/bench/families.py in Node threads with a heap of at most 64 MiB. Each line of input is a job for
 * web/test/memory/thread.js, as JSON; each line of output is its answer.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';

const resourceLimits = { maxOldGenerationSizeMb: 56, maxYoungGenerationSizeMb: 8 };
const thread = new URL('../test/memory/thread.js', import.meta.url);

/** @param {any} options schemas are named by their paths */
const read = ({ schema, ...options }) => (schema ? { ...options, schema: readFileSync(schema) } : options);

/** @param {any} job @returns {Promise<object>} */
async function done({ use, options, question, input, warm }) {
  const workerData = { use, input, options: read(options), question };
  if (warm) Object.assign(workerData, { warm: { ...warm, options: read(warm.options) } });
  const worker = new Worker(thread, { workerData, resourceLimits });
  try {
    return await new Promise((good, bad) => worker.once('message', good).once('error', bad));
  } catch (error) {
    return { code: String(error) };
  } finally {
    await worker.terminate();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await done(JSON.parse(line))));
}
