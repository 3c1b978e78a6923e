/** Asks the worker that lays graphs out. */

/** @typedef {import('./layout-worker.js').Layout} Layout */

/** @type {Worker | undefined} */
let worker;
let asked = 0;
/** @type {Map<number, { resolve: (layout: Layout) => void, reject: (error: unknown) => void }>} */
const waiting = new Map();

function start() {
  const started = new Worker(new URL('./layout-worker.js', import.meta.url), { type: 'module' });
  started.onmessage = ({ data: { id, layout } }) => {
    waiting.get(id)?.resolve(layout);
    waiting.delete(id);
  };
  started.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(`the layout failed: ${event.message}`));
    waiting.clear();
    worker = undefined;
  };
  return started;
}

/**
 * @param {import('./layout-worker.js').Box[]} boxes
 * @param {import('./layout-worker.js').Edge[]} edges
 * @returns {Promise<Layout>}
 */
export function layOut(boxes, edges) {
  worker ??= start();
  const id = ++asked;
  worker.postMessage({ id, boxes, edges });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}
