/** Lays out graphs in a worker; ends layouts that nothing waits for any more. */
import { connectWorker } from 'libcpb/worker/connected-worker.js';
import { startWorker } from './start-worker.js';

/** @import { Layout } from './layout-worker.js' */

/** @type {ReturnType<typeof connectWorker> | undefined} one that has nothing to do */
let spare;

/** @param {ReturnType<typeof connectWorker>} worker one that has done its work */
function keep(worker) {
  spare?.end();
  spare = worker;
}

/**
 * @param {import('./layout-worker.js').Box[]} boxes
 * @param {import('./layout-worker.js').Edge[]} edges
 * @param {AbortSignal} [signal]
 * @returns {Promise<Layout>}
 */
export async function layOut(boxes, edges, signal) {
  signal?.throwIfAborted();
  const worker = spare ?? connectWorker(startWorker('layout-worker'));
  spare = undefined;
  try {
    const { connection } = worker;
    const layout = await connection.call({ connection }, [1], 'layOut', [boxes, edges, { signal }]);
    keep(worker);
    return layout;
  } catch (error) {
    worker.end(); // It may be busy, and hears nothing then.
    throw error;
  }
}
