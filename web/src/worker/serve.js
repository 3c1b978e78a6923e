/** openInWorker(): the worker's side. */
import { init } from '../init.js';
import { open } from '../reader/index.js';
import { Connection } from './connection.js';
import { unpack } from './proxy.js';

/** @import { Message } from '../reader/open.js' */
/** @import { Port } from './connection.js' */

const types = ['UNSET', 'MESSAGE', 'BYTES'];

/** Answers the page, which opens one message. @param {Port} port */
export function serve(port) {
  /** @type {Message | undefined} */
  let message;
  const connection = new Connection(port, {
    stays: isField,
    // What a .pb file answers may be in the cache, too.
    owned: () => message?.kind === 'cpb',
    cost: () => message && { ...message.transferred },
  });
  connection.expose({
    /** @param {any} posted @param {any} [o] */
    async open({ module, input, source, options }, { signal } = {}) {
      await init(module);
      message = await open(source ? unpack({ connection }, source) : input, { ...options, signal });
      return { ...connection.describe(message), tree: message.tree(), table: tableOf(message) };
    },
  });
}

/** And no bytes or JSON. @param {any} value */
const isField = (value) => typeof value?.elements === 'function';

/** Type, size and position of each chunk. @param {Message} message */
function tableOf(message) {
  const table = new Float64Array(3 * message.numChunks);
  for (const { index, type, size, position } of message.chunks())
    table.set([types.indexOf(type), size, position], 3 * index);
  return table;
}
