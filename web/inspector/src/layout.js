/** Lays graphs out in a worker; what nobody waits for any more is ended. */
import { startWorker } from './start-worker.js';

/** @typedef {import('./layout-worker.js').Layout} Layout */

/** @type {Worker | undefined} one that has nothing to do */
let spare;

/**
 * @param {import('./layout-worker.js').Box[]} boxes
 * @param {import('./layout-worker.js').Edge[]} edges
 * @param {AbortSignal} [signal]
 * @returns {Promise<Layout>}
 */
export function layOut(boxes, edges, signal) {
  const worker = spare ?? startWorker(new URL('./layout-worker.js', import.meta.url));
  spare = undefined;
  return new Promise((resolve, reject) => {
    const stop = () => {
      worker.terminate();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop);
    worker.onmessage = ({ data }) => {
      signal?.removeEventListener('abort', stop);
      spare?.terminate();
      spare = worker;
      resolve(data);
    };
    worker.onerror = ({ message }) => {
      worker.terminate();
      reject(new Error(`the layout failed: ${message}`));
    };
    worker.postMessage({ boxes, edges });
  });
}
