/** On Node, as a child process: does what its parent asks for. */
import { work } from './work.js';

/** What the isolate holds: its heap, and arrays outside of it. */
const held = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

async function collected() {
  // What is finalized in the first makes more garbage.
  for (let i = 0; i < 3; i++) {
    await new Promise((rest) => setTimeout(rest, 50));
    globalThis.gc?.();
  }
  return held();
}

process.on('message', async (/** @type {{what: string, url: string, count: number}} */ asked) => {
  const { what, url, count } = asked;
  let isolate = 0;
  const timer = setInterval(() => (isolate = Math.max(isolate, held())), 10);
  /** @type {any} */
  let answer;
  try {
    answer = await work[what]?.(url, count);
  } catch (error) {
    answer = { error: String(/** @type {Error} */ (error).stack) };
  }
  clearInterval(timer);
  process.send?.({ ...answer, isolate, collected: await collected() });
});
