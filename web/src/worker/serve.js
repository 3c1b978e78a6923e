/** openInWorker(): the worker's side. */
import { init } from '../init.js';
import { open } from '../reader/index.js';
import { connect, unpack } from './calls.js';

/** @import { Message } from '../reader/open.js' */
/** @import { Description, Port } from './calls.js' */

const types = ['UNSET', 'MESSAGE', 'BYTES'];

/** Answers the page, which opens one message. @param {Port} port */
export function serve(port) {
  /** @type {Message | undefined} */
  let message;
  const connection = connect(port, {
    describe: (object) => (hasMethods(object) ? describe(object) : undefined),
    // What a .pb file answers may be in the cache, too.
    owned: () => message?.kind === 'cpb',
    cost: () => message && { ...message.transferred },
  });
  connection.expose({
    /** @param {any} posted @param {any} [o] */
    async open({ module, input, source, options }, { signal } = {}) {
      await init(module);
      message = await open(source ? unpack({ connection }, source) : input, { ...options, signal });
      return { ...describe(message), tree: message.tree(), table: tableOf(message) };
    },
  });

  /** @param {Record<string, any>} object @returns {Description} */
  function describe(object) {
    const names = Object.keys(object);
    const data = names.filter((name) => !isFunction(object[name]));
    return {
      object: connection.expose(object),
      data: Object.fromEntries(data.map((name) => [name, object[name]])),
      methods: names.filter((name) => isFunction(object[name])),
    };
  }
}

/** @param {unknown} value */
const isFunction = (value) => typeof value === 'function';

/** Whether it is a Field, and no bytes or JSON. @param {any} value */
const hasMethods = (value) => isFunction(value?.elements);

/** Type, size and position of each chunk. @param {Message} message */
function tableOf(message) {
  const table = new Float64Array(3 * message.numChunks);
  for (const { index, type, size, position } of message.chunks())
    table.set([types.indexOf(type), size, position], 3 * index);
  return table;
}
