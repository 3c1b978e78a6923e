/**
 * Represents objects of the other thread: their methods make calls, and so does each step of their streams and
 * iterators.
 */
import { abortable } from '../waiting.js';
import { streamOf } from '../source/streams.js';

/** @import { Connection, Packed, Place } from './connection.js' */

/**
 * The state shared by a proxy's methods, running calls and streams: when it is garbage-collected, the other end
 * releases the object.
 * @typedef {{ connection: Connection, parent?: Owner }} Owner
 */

/** @typedef {{ next: () => Promise<any>, release: () => void }} Steps undefined ends them */

/**
 * A function for the other thread to call, and `check`, which rethrows its error.
 *
 * @template {unknown[]} T
 * @param {((...args: T) => void) | undefined} call anything but a function is left for the other thread to reject
 */
export function watched(call) {
  /** @type {{ error: unknown } | undefined} */
  let failed;
  return {
    tell:
      typeof call === 'function'
        ? (/** @type {T} */ ...args) => {
            try {
              call(...args);
            } catch (error) {
              failed ??= { error };
              throw error;
            }
          }
        : undefined,
    check() {
      if (failed) throw failed.error;
    },
  };
}

/** @param {Owner} owner @param {Place} place @param {string} method @param {any[]} args */
const call = (owner, place, method, args) => owner.connection.call(owner, place, method, args);

/** @param {Owner} owner @param {Place} place @param {string} method @param {any[]} args */
function streamFrom(owner, place, method, args) {
  if (owner.connection.ended) throw owner.connection.ended;
  const last = typeof args.at(-1) === 'object' ? args.length - 1 : args.length;
  const options = args[last];
  return streamOf(
    (signal) => iterate(owner, place, method, [...args.slice(0, last), { ...options, signal }]),
    options?.signal,
    'own',
  );
}

/** @param {Owner} owner @param {Place} place @param {string} method @param {any[]} args */
async function* iterate(owner, place, method, args) {
  const options = args.at(-1);
  const { tell, check } = watched(options?.onProgress);
  if (tell) args = [...args.slice(0, -1), { ...options, onProgress: tell }];
  /** @type {Steps} */
  const { next, release } = await call(owner, place, method, args);
  try {
    for (;;) {
      const item = await abortable(next(), options?.signal).finally(check);
      if (!item) return;
      yield item;
    }
  } finally {
    release();
  }
}

/** Methods that return no promise. @type {Record<string, typeof streamFrom | typeof iterate>} */
const shapes = { stream: streamFrom, merged: streamFrom, elements: iterate };

/** @param {Owner} owner @param {Place} place @param {string[]} methods @param {object} data @returns {any} */
export function proxy(owner, place, methods, data) {
  /** @param {string} name */
  const method =
    (name) =>
    /** @param {any[]} args */ (...args) =>
      (shapes[name] ?? call)(owner, place, name, args);
  return { ...data, ...Object.fromEntries(methods.map((name) => [name, method(name)])) };
}

/** Unpacks a result of a call, or an argument. @param {Owner} owner @param {Packed} packed */
export function unpack(owner, { plain, iterator, object, methods = [], data = {} }) {
  const id = object ?? iterator;
  if (id === undefined) return plain;
  const { connection } = owner;
  /** @type {Owner} */
  const self = { connection, parent: owner };
  connection.forgotten.register(self, id, self);
  if (object) return proxy(self, [object], methods, data);
  return {
    ...proxy(self, [id], ['next'], {}),
    release() {
      connection.forgotten.unregister(self);
      connection.release(id);
    },
  };
}
