/**
 * Does in threads of Node, which may have 64 MiB for their heap, what tests/bench/families.py says:
 * of each line a job for web/test/memory/thread.js, as JSON, and what that answered, as a line.
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
