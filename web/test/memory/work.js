/** What is done in the process whose memory is measured; on Node and in workerd. */
import { made, wasm } from './instances.js';
import { libcpb } from '../support/libcpb.js';

const { open } = libcpb;

const MiB = 2 ** 20;

/**
 * Reads a stream to its end.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(bytes: Uint8Array) => void} [look] at each piece
 */
async function drained(stream, look = () => {}) {
  const reader = stream.getReader();
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    look(next.value);
    size += next.value.length;
  }
  return size;
}

/** The first chunks of a file. @param {string} url @param {number} count */
async function chunks(url, count) {
  const model = await open(url, limited);
  let bytes = 0;
  /** @type {number[][]} */
  const begins = [];
  for (let i = 1; i <= count; i++) {
    /** @type {number[] | undefined} */
    let begin;
    bytes += await drained(model.chunk(i).stream(), (piece) => {
      begin ??= [...piece.subarray(0, 16)];
    });
    begins.push(begin ?? []);
  }
  const most = wasm();
  model.close();
  return { size: model.size, bytes, begins, wasm: most };
}

const limited = { limits: { memory: 32 * MiB } };

/** The merged message, or so many bytes at its end. @param {string} url @param {number} [most] */
async function merged(url, most = Infinity) {
  const model = await open(url, limited);
  const size = await model.messageSize();
  let peak = 0;
  let pieces = 0;
  const bytes = await drained(model.merged({ offset: Math.max(0, size - most) }), () => {
    if (pieces++ % 100 === 0) peak = Math.max(peak, wasm());
  });
  model.close();
  return { bytes, size, wasm: peak };
}

/**
 * A chunk, at once.
 *
 * @param {string} input a URL or path
 * @param {number} count of chunk
 */
async function bytes(input, count) {
  const model = await open(input);
  const chunk = await model.chunk(count).bytes();
  model.close();
  return { bytes: chunk.length, first: [...chunk.subarray(0, 16)], wasm: wasm() };
}

/** @param {string} input a URL or path */
async function message(input) {
  const model = await open(input);
  const all = await model.read(0, Infinity);
  model.close();
  return { bytes: all.length, wasm: wasm() };
}

/** @param {string} url */
async function sourceOf(url) {
  const all = new Uint8Array(await (await fetch(url)).arrayBuffer());
  return () => ({
    remote: true,
    read: async (/** @type {number} */ o, /** @type {number} */ n) => all.slice(o, o + n),
    stat: async () => ({ size: all.length, etag: '"1"' }),
  });
}

/** @param {any} model */
async function use(model) {
  await (await model.field('meta_graphs[0].meta_info_def')).json({ omit: 10 });
  await drained(model.merged());
}

/**
 * Opens, reads of and closes a file again and again: one at a time, but every tenth time
 * six at once, which are more than the instances that are kept.
 *
 * @param {string} url
 * @param {number} count
 */
async function cycles(url, count) {
  const source = await sourceOf(url);
  const before = made();
  for (let done = 0, turn = 0; done < count; turn++) {
    const six = turn % 10 === 9;
    const models = await Promise.all(Array.from({ length: six ? 6 : 1 }, () => open(source())));
    for (const model of models) {
      await model.chunk(1).bytes();
      if (turn % 20 === 0) await use(model);
      model.close();
    }
    done += models.length;
  }
  return { instances: made() - before, wasm: wasm() };
}

/** @type {Record<string, (url: string, count: number) => Promise<any>>} */
export const work = { chunks, merged, bytes, message, cycles };
