/** openInWorker(): the worker's side. */
import { init } from '../init.js';
import { open } from '../reader/open.js';
import { connect, describe, unpack } from './calls.js';

/** @import { Message } from '../reader/open.js' */
/** @import { Port } from './calls.js' */

const types = ['UNSET', 'MESSAGE', 'BYTES'];

/** Answers the page, which opens one message. @param {Port} port */
export function serve(port) {
  /** @type {Message | undefined} */
  let message;
  const connection = connect(port, {
    // What a .pb file answers may be in the cache, too.
    owned: () => message?.kind === 'cpb',
    cost: () => message && { ...message.transferred },
  });
  connection.expose({
    /** @param {any} posted @param {any} [o] */
    async open({ module, input, source, options }, { signal } = {}) {
      await init(module);
      message = await open(source ? unpack({ connection }, source) : input, { ...options, signal });
      const { object: id, methods, data } = describe(message, connection.expose(message));
      return { id, methods, data, tree: message.tree(), table: tableOf(message) };
    },
  });
}

/** Type, size and position of each chunk. @param {Message} message */
function tableOf(message) {
  const table = new Float64Array(3 * message.numChunks);
  for (const { index, type, size, position } of message.chunks())
    table.set([types.indexOf(type), size, position], 3 * index);
  return table;
}
