/** Idle instances, kept for the next file. */
import { createInstance } from './instance.js';

/** @import { Instance } from './instance.js' */

const KEPT = 4;

/** @type {WeakMap<WebAssembly.Module, Instance[]>} */
const idle = new WeakMap();

/**
 * An instance without other users; `release` it when all objects made in it
 * are freed.
 *
 * @param {WebAssembly.Module} module
 * @param {number} [memory] bytes that it may have; default 1 GiB
 */
export async function acquire(module, memory = 2 ** 30) {
  const instance = idle.get(module)?.pop() ?? (await createInstance(module));
  instance.most = memory;
  return instance;
}

/**
 * Keeps it for the next file, unless it trapped, grew large, or something in it
 * is still alive: then it is left to the garbage collector.
 *
 * @param {WebAssembly.Module} module
 * @param {Instance} instance
 */
export function release(module, instance) {
  const kept = idle.get(module) ?? [];
  if (instance.reusable() && kept.length < KEPT) kept.push(instance);
  idle.set(module, kept);
}
