/**
 * A message of 342 MB, split and merged back: by path, or in a browser in the origin private file system; and
 * 200 MB of a merged message as a stream from a Worker. `run.js RUNTIME recipes/rounds` runs it.
 */
// runtimes: node, deno, bun, chromium, firefox, webkit
import { libcpb } from '../support/libcpb.js';
import { assert, runtime, test } from '../support/test.js';
import { differing, parts } from './large-message.js';

const { merge, openInWorker, split } = libcpb;
const native = ['node', 'deno', 'bun'].includes(runtime);
const timeout = 900_000;
const STREAMED = 200e6;

/** @param {(folder: string, fs: typeof import('node:fs')) => Promise<void>} use */
async function withFolder(use) {
  const [fs, os, path] = await Promise.all([import(`node:${'fs'}`), import(`node:${'os'}`), import(`node:${'path'}`)]);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cpb-rounds-'));
  try {
    await use(folder, fs);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** @param {typeof import('node:fs')} fs @param {string} name */
function makeFile(fs, name) {
  const file = fs.openSync(name, 'w');
  let size = 0;
  for (const part of parts()) size += fs.writeSync(file, part);
  fs.closeSync(file);
  return size;
}

const byPath = () =>
  withFolder(async (folder, fs) => {
    const [message, chunks, merged] = ['message.pb', 'chunks.cpb', 'merged.pb'].map((name) => `${folder}/${name}`);
    const size = makeFile(fs, `${message}`);
    await split(`${message}`).toFile(`${chunks}`);
    await merge(`${chunks}`).toFile(`${merged}`);
    assert.equal(fs.statSync(`${merged}`).size, size);
    const files = [fs.openSync(`${message}`, 'r'), fs.openSync(`${merged}`, 'r')];
    const read = (/** @type {number} */ i) => (/** @type {Uint8Array} */ bytes, /** @type {number} */ offset) =>
      fs.readSync(Number(files[i]), bytes, 0, bytes.length, offset);
    assert.equal(await differing(size, read(0), read(1)), undefined);
    files.forEach((file) => fs.closeSync(file));
    await streamed(`${chunks}`);
  });

async function inBrowser() {
  const worker = new Worker(new URL('./rounds-worker.js', import.meta.url), { type: 'module' });
  const answer = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => resolve({ error: message });
    worker.postMessage(0);
  });
  worker.terminate();
  const { error, sizes: [size, ...others] = [], difference, chunks } = answer;
  assert.equal(error, undefined);
  assert.ok(chunks > 19);
  assert.deepEqual(others, [size, size]);
  assert.equal(difference, undefined);
  const folder = await navigator.storage.getDirectory();
  try {
    await streamed(await (await folder.getFileHandle('chunks.cpb')).getFile());
  } finally {
    for (const name of ['message.pb', 'chunks.cpb', 'merged.pb']) await folder.removeEntry(name);
  }
}

/** Where there is no such file system, as in WebKitGTK: Blobs. */
async function byBlobs() {
  const message = new Blob(Array.from(parts(), (part) => new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (part)])));
  const chunks = await split(message).blob();
  const merged = await merge(chunks).blob();
  assert.equal(merged.size, message.size);
  const read = (/** @type {Blob} */ blob) => async (/** @type {Uint8Array} */ bytes, /** @type {number} */ offset) => {
    const piece = new Uint8Array(await blob.slice(offset, offset + bytes.length).arrayBuffer());
    bytes.set(piece);
    return piece.length;
  };
  assert.equal(await differing(message.size, read(message), read(merged)), undefined);
  await streamed(chunks);
}

/** What comes of a merged message from another thread, against what was split. @param {any} chunks */
async function streamed(chunks) {
  const model = await openInWorker(chunks);
  const wanted = parts();
  let part = new Uint8Array(0);
  let got = 0;
  for (const reader = model.merged({ length: STREAMED }).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (let at = 0; at < value.length;) {
      if (part.length === 0) part = /** @type {Uint8Array<ArrayBuffer>} */ (wanted.next().value);
      const count = Math.min(part.length, value.length - at);
      for (let i = 0; i < count; i++) if (part[i] !== value[at + i]) assert.fail(`byte ${got + at + i} differs`);
      part = part.subarray(count);
      at += count;
    }
    got += value.length;
  }
  model.close();
  assert.equal(got, STREAMED);
}

const round = native ? byPath : globalThis.navigator?.storage?.getDirectory ? inBrowser : byBlobs;

test('342 MB are split and merged back, and 200 MB streamed from a Worker', { timeout }, round);
