/**
 * Calls between two threads. What one exposes the other holds as a proxy, whose
 * methods are messages; both ends are the same.
 */
import { CpbError } from '../errors.js';
import { streamOf } from '../source/pieces.js';
import { abortable } from '../source/wait.js';

/** @import { Cost } from '../types.js' */

/**
 * One end of a connection: a Worker as the page has it, or the port inside.
 * @typedef {object} Port
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {((event: any) => void) | null} [onmessage]
 */

/**
 * Where a method is: of an exposed object, or of what a method of it returns.
 * @typedef {[id: number, method?: string, argument?: any]} Place
 */

/**
 * An exposed object, as it is posted: what it is now, and what it can do.
 * @typedef {{ object: number, data: object, methods: string[] }} Description
 */

/** @typedef {ReturnType<typeof connect>} Connection */
/**
 * What a proxy's methods hold, and so do calls under way and streams: when nobody holds
 * it, the other end forgets the object.
 * @typedef {{ connection: Connection, parent?: Owner }} Owner
 */

/**
 * @param {Port} port
 * @param {object} [hooks]
 * @param {(busy: boolean) => void} [hooks.busy] whether an answer is waited for
 * @param {(object: any) => Description | undefined} [hooks.describe] of a result that stays
 *   here, with methods; without it all are posted
 * @param {() => boolean} [hooks.owned] whether bytes that are answered are nobody else's
 * @param {() => Cost | undefined} [hooks.cost] is told with each answer
 */
export function connect(port, { busy, describe, owned, cost } = {}) {
  /** @type {Map<number, { resolve: Function, reject: Function, owner: Owner }>} */
  const waiting = new Map();
  /** @type {Map<number, { object: any, close?: () => void }>} */
  const objects = new Map();
  /** @type {Map<number, AbortController>} */
  const running = new Map();
  const forgotten = new FinalizationRegistry((/** @type {number} */ id) => release(id));
  let count = 0;

  const connection = {
    /** @type {CpbError | undefined} why it ended */
    ended: undefined,
    /** @type {Cost | undefined} as the other end told it last */
    cost: undefined,
    call,
    release,
    expose,
    forgotten,
    /** All that waits, and what is called later, fails. @param {CpbError} error */
    end(error) {
      connection.ended ??= error;
      for (const { reject } of waiting.values()) reject(error);
      for (const controller of running.values()) controller.abort(error);
      for (const { close } of objects.values()) close?.();
      waiting.clear();
      objects.clear();
    },
  };

  /** @param {number} id */
  function release(id) {
    if (!connection.ended) port.postMessage({ release: id });
  }

  /** @param {any} object @param {() => void} [close] when it is forgotten @returns {number} */
  function expose(object, close) {
    objects.set(++count, { object, close });
    return count;
  }

  /**
   * @param {Owner} owner
   * @param {Place} place
   * @param {string} method
   * @param {any[]} args the last may hold a signal
   * @returns {Promise<any>}
   */
  async function call(owner, place, method, args) {
    if (connection.ended) throw connection.ended;
    const options = args.at(-1);
    const ends = 'signal' in Object(options);
    /** @type {AbortSignal | undefined} */
    const signal = options?.signal;
    signal?.throwIfAborted();
    if (ends) args = [...args.slice(0, -1), { ...options, signal: undefined }];
    const id = ++count;
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, owner }));
    const abort = () => port.postMessage({ abort: id });
    try {
      port.postMessage({ call: id, place, method, args, ends });
    } catch (cause) {
      waiting.delete(id);
      throw new CpbError('USAGE', `${method}: ${cause}`, { cause });
    }
    busy?.(true);
    signal?.addEventListener('abort', abort);
    try {
      return await abortable(answered, signal);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** @param {any} message */
  async function perform({ call: id, place: [on, via, argument], method, args, ends }) {
    const controller = new AbortController();
    if (ends) args.at(-1).signal = controller.signal;
    running.set(id, controller);
    try {
      const target = objects.get(on)?.object;
      const result = await (via ? target[via](argument) : target)[method](...args);
      /** @type {any[]} */
      const transfer = [];
      answer({ answer: id, value: pack(result, controller, transfer) }, transfer);
    } catch (error) {
      answer({ answer: id, error: packError(error) });
    }
    running.delete(id);
  }

  /** @param {object} message @param {any[]} [transfer] */
  function answer(message, transfer) {
    if (!connection.ended) port.postMessage({ ...message, cost: cost?.() }, transfer ?? []);
  }

  /** @param {any} value @param {AbortController} controller @param {any[]} transfer */
  function pack(value, controller, transfer) {
    const reader = value instanceof ReadableStream && value.getReader();
    const steps = reader
      ? { next: () => reader.read(), return: () => reader.cancel() }
      : value?.[Symbol.asyncIterator]?.();
    if (steps) {
      const next = async () => (await steps.next()).value;
      return { iterator: expose({ next }, () => close(steps, controller)) };
    }
    /** @param {any} item */
    const give = (item) => (item instanceof Uint8Array ? own(item, transfer) : item);
    return (
      describe?.(value) ?? {
        plain: Array.isArray(value)
          ? value.map(give)
          : value?.bytes
            ? { ...value, bytes: give(value.bytes) }
            : give(value),
      }
    );
  }

  /** Bytes that can be given away. @param {Uint8Array} bytes @param {any[]} transfer */
  function own(bytes, transfer) {
    const whole = owned?.() && bytes.byteLength === bytes.buffer.byteLength;
    const mine = whole ? bytes : new Uint8Array(bytes);
    transfer.push(mine.buffer);
    return mine;
  }

  port.onmessage = ({ data }) => {
    if (data.call) perform(data);
    else if (data.abort) running.get(data.abort)?.abort();
    else if (data.release) {
      objects.get(data.release)?.close?.();
      objects.delete(data.release);
    } else {
      const { resolve, reject, owner } = waiting.get(data.answer) ?? {};
      waiting.delete(data.answer);
      connection.cost = data.cost;
      if (waiting.size === 0) busy?.(false);
      if (data.error) reject?.(unpackError(data.error));
      else if (owner) resolve?.(unpack(owner, data.value));
    }
  };
  return connection;
}

/** @param {AsyncIterator<any>} steps @param {AbortController} controller */
function close(steps, controller) {
  controller.abort();
  steps.return?.()?.catch(() => {});
}

/* --- Proxies ------------------------------------------------------------------ */

/** @typedef {{ next: () => Promise<any>, release: () => void }} Steps undefined ends them */

/** @param {Owner} owner @param {Place} place @param {string} method @param {any[]} args */
function streamFrom(owner, place, method, args) {
  if (owner.connection.ended) throw owner.connection.ended;
  const last = typeof args.at(-1) === 'object' ? args.length - 1 : args.length;
  const options = args[last];
  return streamOf(
    (signal) => iterate(owner, place, method, [...args.slice(0, last), { ...options, signal }]),
    options?.signal,
  );
}

/**
 * @param {Owner} owner
 * @param {Place} place
 * @param {string} method
 * @param {any[]} args
 */
async function* iterate(owner, place, method, args) {
  /** @type {Steps} */
  const { next, release } = await owner.connection.call(owner, place, method, args);
  try {
    for (let item; (item = await abortable(next(), args.at(-1)?.signal));) yield item;
  } finally {
    release();
  }
}

/** Methods that return no promise. @type {Record<string, typeof streamFrom | typeof iterate>} */
const shapes = { stream: streamFrom, merged: streamFrom, elements: iterate };

/**
 * @param {Owner} owner
 * @param {Place} place
 * @param {string[]} methods
 * @param {object} data
 * @returns {any}
 */
export function proxy(owner, place, methods, data) {
  const { call } = owner.connection;
  /** @param {string} name */
  const method = (name) =>
    /** @param {any[]} args */ (...args) => (shapes[name] ?? call)(owner, place, name, args);
  return { ...data, ...Object.fromEntries(methods.map((name) => [name, method(name)])) };
}

/** @param {Owner} owner @param {any} value */
export function unpack(owner, { plain, iterator, object, methods, data }) {
  const { forgotten, release } = owner.connection;
  if (!iterator && !object) return plain;
  /** @type {Owner} */
  const self = { connection: owner.connection, parent: owner };
  forgotten.register(self, object ?? iterator, self);
  if (object) return proxy(self, [object], methods, data);
  return {
    ...proxy(self, [iterator], ['next'], {}),
    release() {
      forgotten.unregister(self);
      release(iterator);
    },
  };
}

/** @param {any} error */
const packError = (error) =>
  error instanceof CpbError
    ? { ...error, message: error.message }
    : { name: error?.name, message: error?.message ?? String(error) };

/** @param {any} error */
const unpackError = ({ code, message, ...details }) =>
  code ? new CpbError(code, message, details) : Object.assign(new Error(message), details);
