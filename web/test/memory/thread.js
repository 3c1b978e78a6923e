/**
 * In a thread of Node: opens a hostile file, does with it what is asked for, and says how that
 * ended, how much CPU it took, and how large WebAssembly's memory became.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { wasm } from './instances.js';
import { libcpb } from '../support/libcpb.js';

const { inspect, open, openRecords, repack, split } = libcpb;

/** @param {ReadableStream<Uint8Array>} stream */
async function drained(stream) {
  let size = 0;
  for await (const piece of /** @type {any} */ (stream)) size += piece.length;
  return size;
}

/** @typedef {(input: any, options: any, question: any[]) => Promise<number>} Use */

/** @type {Record<string, Use>} each gives the bytes that it made */
const uses = {
  async merged(input, options) {
    const model = await open(input, options);
    return drained(model.merged());
  },
  async chunk(input, options) {
    const model = await open(input, options);
    return drained(model.chunk(0).stream());
  },
  async chunks(input, options) {
    const model = await open(input, options);
    let size = 0;
    for (const chunk of model.chunks()) size += (await chunk.bytes()).length;
    return size;
  },
  async records(input, options) {
    let size = 0;
    for await (const { bytes } of await openRecords(input, options)) size += bytes.length;
    return size;
  },
  async field(input, options, [path, json]) {
    const model = await open(input, options);
    const field = await model.field(path);
    return json ? JSON.stringify(await field.json(json)).length : drained(field.stream());
  },
  async split(input, options) {
    return drained(split(input, options).stream());
  },
  async repack(input, options) {
    return drained(repack(input, options).stream());
  },
  async cut(input, options, paths) {
    const model = await inspect(input, options);
    return drained((await model.cut(paths)).savedModel.stream());
  },
  async inspect(input, options, [name, asked]) {
    const model = await inspect(input, options);
    return JSON.stringify(await model.ask(name, asked)).length;
  },
};

const { use, input, options, question, warm } = workerData;

// What starting takes does not count: compiling, and code that is run for the first time.
if (warm) await uses[use]?.(warm.input, warm.options, warm.question).catch(() => 0);

const before = process.cpuUsage();
/** @type {object} */
let answer;
try {
  answer = { size: await uses[use]?.(input, options, question) };
} catch (error) {
  const { code, message } = /** @type {any} */ (error);
  answer = { code, message };
}
const { user, system } = process.cpuUsage(before);
parentPort?.postMessage({ ...answer, wasm: wasm(), cpu: (user + system) / 1e6 });
