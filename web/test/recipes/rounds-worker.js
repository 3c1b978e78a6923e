/**
 * In a Worker of a page: a message of the origin private file system is made, split and merged back, all by
 * synchronous access handles. Answers what differs, which is nothing.
 */
import { merge, split } from '../../src/index.js';
import { differing, parts } from './large-message.js';

/** @type {any} */
const scope = self;

async function round() {
  const folder = await navigator.storage.getDirectory();
  /** @type {any[]} */
  const [message, chunks, merged] = await Promise.all(
    ['message.pb', 'chunks.cpb', 'merged.pb'].map(async (name) =>
      /** @type {any} */ (await folder.getFileHandle(name, { create: true })).createSyncAccessHandle(),
    ),
  );
  let at = 0;
  for (const part of parts()) at += message.write(part, { at });
  const result = await split(message).to(chunks);
  await merge(chunks).to(merged);
  const read = (/** @type {any} */ handle) => (/** @type {Uint8Array} */ bytes, /** @type {number} */ offset) =>
    handle.read(bytes, { at: offset });
  const sizes = [at, message.getSize(), merged.getSize()];
  const difference = await differing(at, read(message), read(merged));
  for (const handle of [message, chunks, merged]) handle.close();
  return { sizes, difference, chunks: result.chunks };
}

scope.onmessage = async () => {
  try {
    scope.postMessage(await round());
  } catch (error) {
    scope.postMessage({ error: `${error}\n${/** @type {Error} */ (error).stack}` });
  }
};
