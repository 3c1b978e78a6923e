/** openInWorker() and inspectInWorker(): the worker's side. */
import { init } from '../init.js';
import { inspect } from '../inspect/inspect.js';
import { open } from '../reader/index.js';
import { refusal } from '../source/refusal.js';
import { setUpRefusals } from '../source/resource.js';
import { Connection } from './connection.js';
import { unpack } from './proxy.js';

/** @import { Message } from '../reader/open.js' */
/** @import { Port } from './connection.js' */

const types = ['UNSET', 'MESSAGE', 'BYTES'];

/** Answers the page, which opens one message or model. @param {Port} port */
export function serve(port) {
  setUpRefusals(refusal);
  /** What is open, or the message of it. @type {Message | undefined} */
  let message;
  const connection = new Connection(port, {
    stays: (value) => isField(value) || isValues(value),
    // What a .pb file answers may be in the cache, too.
    owned: () => message?.kind === 'cpb',
    cost: () => message && { ...message.transferred },
  });
  connection.expose({
    /** @param {any} posted @param {any} [o] */
    async open({ modules, input, source, options }, { signal, onProgress } = {}) {
      await init(modules);
      message = await open(source ? unpack({ connection }, source) : input, { ...options, signal, onProgress });
      return { ...connection.describe(message), tree: message.tree(), table: tableOf(message) };
    },

    /** @param {any} posted @param {any} [o] */
    async inspect({ modules, input, source, options }, { signal, onProgress } = {}) {
      await init(modules);
      const { data } = Object(options.checkpoint);
      if (data) options.checkpoint.data = unpack({ connection }, data).data;
      const model = await inspect(source ? unpack({ connection }, source) : input, { ...options, signal, onProgress });
      message = model.message;
      return connection.describe(
        model,
        Object.keys(model).filter((name) => !HERE.includes(name)),
      );
    },
  });
}

/** Members of a model that stay here. */
const HERE = ['message', 'transferred', 'cut', 'add', 'close'];

/** Of a constant or a variable. @param {any} value */
const isValues = (value) => typeof value?.bytes === 'function' && 'dtype' in value;

/** And no bytes or JSON. @param {any} value */
const isField = (value) => typeof value?.elements === 'function';

/** Type, size and position of each chunk. @param {Message} message */
function tableOf(message) {
  const table = new Float64Array(3 * message.numChunks);
  for (const { index, type, size, position } of message.chunks())
    table.set([types.indexOf(type), size, position], 3 * index);
  return table;
}
