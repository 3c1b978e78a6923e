/** In a thread of Node: opens a hostile file, reads all of it, and says how that ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { wasm } from './instances.js';
import { libcpb } from '../support/libcpb.js';

const { inspect, open, openRecords } = libcpb;

/** @param {ReadableStream<Uint8Array>} stream */
async function drained(stream) {
  let size = 0;
  for await (const piece of /** @type {any} */ (stream)) size += piece.length;
  return size;
}

/** @type {Record<string, (input: Uint8Array, question: [string, object]) => Promise<number>>} */
const uses = {
  async merged(input) {
    const model = await open(input);
    return drained(model.merged());
  },
  async chunk(input) {
    const model = await open(input);
    return drained(model.chunk(0).stream());
  },
  async records(input) {
    let size = 0;
    for await (const { bytes } of await openRecords(input)) size += bytes.length;
    return size;
  },
  async inspect(input, question) {
    const model = await inspect(input);
    return JSON.stringify(await model.ask(...question)).length;
  },
};

const { use, input, question } = workerData;
/** @type {object} */
let answer;
try {
  answer = { size: await uses[use]?.(input, question) };
} catch (error) {
  const { code, message } = /** @type {any} */ (error);
  answer = { code, message };
}
parentPort?.postMessage({ ...answer, wasm: wasm() });
