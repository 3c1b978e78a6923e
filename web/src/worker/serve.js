/** openInWorker() and inspectInWorker(): the worker's side. */
import { setUpAllParts } from '../all-parts.js';
import { init, setUp } from '../init.js';
import { inspect } from '../inspect/inspect.js';
import { types } from '../reader/chunks.js';
import { open } from '../reader/index.js';
import { Connection } from './connection.js';
import { unpack } from './proxy.js';

/** @import { Message } from '../reader/open.js' */
/** @import { Port } from './connection.js' */

/** Serves the page, which opens one message or model. @param {Port} port */
export function serve(port) {
  setUpAllParts();
  /** The opened message, or that of the opened model. @type {Message | undefined} */
  let message;
  const connection = new Connection(port, {
    stays: (value) => isField(value) || isValues(value),
    // The bytes of a .pb file may also be in the cache.
    owned: () => message?.kind === 'cpb',
    cost: () => message && { ...message.transferred },
  });
  /**
   * Uses the modules that were posted (the page has the others); returns the input, and how to open it.
   *
   * @param {any} posted @param {any} [how]
   */
  async function take({ modules, more, input, source, options }, { signal, onProgress } = {}) {
    setUp(unpack({ connection }, more).moduleFor);
    await init(modules);
    const from = source ? unpack({ connection }, source) : input;
    return { from, how: { ...options, ...referencesOf(connection, options), signal, onProgress } };
  }

  connection.expose({
    /** @param {any} posted @param {any} [o] */
    async open(posted, o) {
      const { from, how } = await take(posted, o);
      const opened = await open(from, how);
      message = opened;
      const readIndex = async (/** @type {any} */ how) => {
        await opened.readIndex(how);
        return knownOf(opened);
      };
      return { ...connection.describe({ ...opened, type: opened.type, readIndex }), known: knownOf(opened) };
    },

    /** @param {any} posted @param {any} [o] */
    async inspect(posted, o) {
      const { data } = Object(posted.options.checkpoint);
      if (data) posted.options.checkpoint.data = unpack({ connection }, data).data;
      const { from, how } = await take(posted, o);
      const model = await inspect(from, how);
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

/** Whether these are the values of a constant or a variable. @param {any} value */
const isValues = (value) => typeof value?.bytes === 'function' && 'dtype' in value;

/** As opposed to bytes or JSON. @param {any} value */
const isField = (value) => typeof value?.elements === 'function';

/**
 * The page's function for references, unless the option is one of the words.
 * @param {Connection} connection
 * @param {any} options
 */
function referencesOf(connection, { references }) {
  if (!references?.object) return {};
  const { resolve } = unpack({ connection }, references);
  return {
    references: async (/** @type {string} */ name, /** @type {any} */ about) => {
      const { source, input } = await resolve(name, about);
      return source ? unpack({ connection }, source) : input;
    },
  };
}

/**
 * The description of an index for the page.
 * @typedef {object} Told
 * @property {string | undefined} type
 * @property {import('../reader/tree.js').Node} tree
 * @property {Float64Array} table type, size, position and file of each chunk
 */

/** Undefined before it was read. @param {Message} message @returns {Told | undefined} */
function knownOf(message) {
  if (!message.hasIndex) return undefined;
  const table = new Float64Array(4 * message.numChunks);
  for (const { index, type, size, position, file } of message.chunks())
    table.set([types.indexOf(type), size, position, file], 4 * index);
  return { type: message.type, tree: message.tree(), table };
}
