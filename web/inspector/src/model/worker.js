/** The worker that has one model: calls come in, answers go out, and what is fetched is told. */
import { openModel } from './opened.js';

/** So often the page is told what was fetched, in milliseconds. */
const EVERY = 60;

/** @type {import('./opened.js').Opened | undefined} */
let model;
/** @type {Map<number, AbortController>} */
const running = new Map();
/** @type {import('./opened.js').Fetched[]} */
let fetched = [];
let timer = 0;

function tell() {
  clearTimeout(timer);
  timer = 0;
  if (fetched.length) postMessage({ fetched });
  fetched = [];
}

const methods = {
  /** @param {any} input @param {AbortSignal} signal */
  async open(input, signal) {
    model = await openModel(input, signal, (range) => {
      fetched.push(range);
      timer ||= setTimeout(tell, EVERY);
    });
    return model.about;
  },
};

/** @param {MessageEvent<{ id: number, method: string, args: any, abort?: number }>} event */
onmessage = async ({ data: { id, method, args, abort } }) => {
  if (abort) return running.get(abort)?.abort();
  const controller = new AbortController();
  running.set(id, controller);
  /** @type {any} */
  const target = method === 'open' ? methods : model;
  try {
    const value = await target[method](args, controller.signal);
    tell();
    postMessage({ id, value });
  } catch (error) {
    tell();
    const { name, code, offset, message = String(error) } = /** @type {any} */ (error) ?? {};
    postMessage({ id, error: { name, code, offset, message } });
  }
  running.delete(id);
};
