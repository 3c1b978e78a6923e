/**
 * An instance of the module, and its memory: views are made on each use (memory
 * may grow and then detaches them), pointers are unsigned, a trap poisons the
 * instance permanently.
 */
import { codes, CpbError } from '../errors.js';
import { structs } from './structs.js';

/** @import { Layout, Place, StructName } from './structs.js' */

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** UINT64_MAX means "none" or "unlimited" where it occurs. */
export const NONE = 0xffffffffffffffffn;

/** @typedef {any} Values a struct's fields: numbers, nested structs, strings */

/**
 * Frees everything allocated in the scope at its end.
 * @typedef {object} Scope
 * @property {(size: number) => number} alloc zeroed
 * @property {(bytes: Uint8Array) => number} bytes a copy
 * @property {(text: string) => number} string UTF-8, terminated by NUL
 * @property {(make: (error: number) => number) => number} made the result of a C function, or throws the error that it
 *   sets
 * @property {(name: StructName | Layout, values?: Values) => number} struct zeroed except for `values`; sets
 *   `struct_size` if there is one
 */

/** @param {StructName | Layout} name */
const layoutOf = (name) => (typeof name === 'object' ? name : structs[name]);

/** @param {bigint} value */
function toNumber(value) {
  const unsigned = BigInt.asUintN(64, value);
  return unsigned === NONE ? Infinity : Number(unsigned);
}

/** @param {any} result */
function unsigned(result) {
  if (typeof result === 'number') return result >>> 0;
  return typeof result === 'bigint' ? toNumber(result) : result;
}

export class Instance {
  /**
   * The module's exports. 64-bit arguments are BigInt; results are unsigned numbers, also 64-bit ones (Infinity for
   * UINT64_MAX). A trap becomes a CpbError TRAPPED, and so does every later call.
   * @type {Record<string, any>}
   */
  c = {};
  /** Number of live engines and other objects in it. */
  users = 0;
  /** The built-in types, once they were needed. */
  schema = 0;
  /** The largest size of its memory, in bytes. */
  most = 2 ** 30;
  /** Brotli's dictionary, once it was needed. */
  dictionary = 0;
  #memory;
  #data;
  /** @type {CpbError | undefined} why it can no longer be used */
  #dead;

  /** @param {WebAssembly.Exports} exports */
  constructor({ memory, ...exports }) {
    this.#memory = /** @type {WebAssembly.Memory} */ (memory);
    this.#data = new DataView(this.#memory.buffer);
    for (const [name, f] of Object.entries(exports)) if (typeof f === 'function') this.c[name] = this.#guard(f);
    this.c._initialize?.();
  }

  /** @param {Function} f */
  #guard(f) {
    return (/** @type {any[]} */ ...args) => {
      if (this.#dead) throw this.#dead;
      try {
        return unsigned(f(...args));
      } catch (cause) {
        throw (this.#dead = new CpbError('TRAPPED', `the WebAssembly instance failed: ${cause}`, {
          cause,
        }));
      }
    };
  }

  get #view() {
    const { buffer } = this.#memory;
    if (this.#data.buffer !== buffer) this.#data = new DataView(buffer);
    return this.#data;
  }

  /** A part of the memory: valid until the next call. @param {number} pointer @param {number} length */
  view(pointer, length) {
    return new Uint8Array(this.#memory.buffer, pointer, length);
  }

  /** @param {number} pointer @param {number} length */
  copy(pointer, length) {
    return this.view(pointer, length).slice();
  }

  /** @param {number} pointer @param {number} [length] by default to its NUL */
  text(pointer, length) {
    const bytes = this.view(pointer, length ?? this.#memory.buffer.byteLength - pointer);
    return decoder.decode(length === undefined ? bytes.subarray(0, bytes.indexOf(0)) : bytes);
  }

  /** @param {number} pointer */
  u64(pointer) {
    return this.#view.getBigUint64(pointer, true);
  }

  /** @param {number} pointer */
  u32(pointer) {
    return this.#view.getUint32(pointer, true);
  }

  /** @param {number} pointer @param {number} value */
  setU32(pointer, value) {
    this.#view.setUint32(pointer, value, true);
  }

  /** A struct's fields. @param {StructName | Layout} name @param {number} pointer */
  get(name, pointer) {
    /** @type {Values} */
    const values = {};
    const { fields } = layoutOf(name);
    for (const key in fields) {
      const { offset, type } = /** @type {Place} */ (fields[key]);
      values[key] = this.#getField(type, pointer + offset);
    }
    return values;
  }

  /** @param {StructName | Layout} name @param {number} pointer @param {Values} values */
  set(name, pointer, values) {
    const { fields, size } = layoutOf(name);
    if (fields.struct_size) this.#view.setUint32(pointer, size, true);
    for (const key in values) {
      const field = fields[key];
      const value = values[key];
      if (field && value !== undefined) this.#setField(field.type, pointer + field.offset, value);
    }
  }

  /** @param {string | Layout} type @param {number} p @returns {any} */
  #getField(type, p) {
    if (typeof type === 'object') return this.get(type, p);
    const view = this.#view;
    if (type === 'u64') return toNumber(view.getBigUint64(p, true));
    if (type === 'i16') return view.getInt16(p, true);
    if (type === 'i32') return view.getInt32(p, true);
    if (type === 'u8') return view.getUint8(p);
    return type === 'text' ? this.text(p) : view.getUint32(p, true);
  }

  /** @param {string | Layout} type @param {number} p @param {any} value */
  #setField(type, p, value) {
    if (typeof type === 'object') return this.set(type, p, value);
    const view = this.#view;
    if (type === 'u64') view.setBigUint64(p, value === Infinity ? NONE : BigInt(value), true);
    else if (type === 'u8') view.setUint8(p, value);
    else view.setUint32(p, Math.min(Number(value), 0xffffffff), true);
  }

  /** Throws MEMORY. @param {number} size @returns {number} */
  alloc(size) {
    const pointer = this.c.malloc(size || 1);
    if (!pointer) throw new CpbError('MEMORY', `no memory for ${size} bytes`);
    return pointer;
  }

  /** @param {number} pointer */
  free(pointer) {
    this.c.free(pointer);
  }

  /**
   * @template T
   * @param {(scope: Scope) => T} use must not be async
   * @returns {T}
   */
  scope(use) {
    return inScope(this, use);
  }

  /** From a cpb_error. @param {number} pointer */
  error(pointer) {
    const { code, offset, message } = this.get('error', pointer);
    return new CpbError(codes[code - 1] ?? 'DAMAGED', message, offset === Infinity ? {} : { offset });
  }

  /** Whether another file may use it. */
  reusable() {
    return !this.#dead && this.users === 0 && this.#memory.buffer.byteLength <= REUSED;
  }

  /** Throws LIMIT once it has exceeded the limit. */
  checkMemory() {
    if (this.#memory.buffer.byteLength <= this.most) return;
    throw (this.#dead = new CpbError('LIMIT', `more than ${this.most} bytes of memory (limits.memory)`));
  }
}

/** @param {WebAssembly.Module} module @returns {Promise<Instance>} */
export async function createInstance(module) {
  const { exports } = await WebAssembly.instantiate(module);
  return new Instance(exports);
}

/** A larger instance is not reused for another file. */
const REUSED = 16 * 2 ** 20;

/** @param {Record<string, (...args: any[]) => any>} c @param {string} name @returns {(...args: any[]) => any} */
export function at(c, name) {
  const f = c[name];
  if (!f) throw new CpbError('UNSUPPORTED', `this WebAssembly module has no ${name}`);
  return f;
}

/** @template T @param {Instance} instance @param {(scope: Scope) => T} use */
function inScope(instance, use) {
  /** @type {number[]} */
  const blocks = [];
  /** @type {Scope} */
  const scope = {
    alloc(size) {
      const pointer = instance.alloc(size);
      blocks.push(pointer);
      instance.view(pointer, size).fill(0);
      return pointer;
    },
    bytes(bytes) {
      const pointer = scope.alloc(bytes.length);
      instance.view(pointer, bytes.length).set(bytes);
      return pointer;
    },
    string: (text) => scope.bytes(encoder.encode(`${text}\0`)),
    made(make) {
      const error = scope.struct('error');
      const pointer = make(error);
      if (!pointer) throw instance.error(error);
      return pointer;
    },
    struct(name, values = {}) {
      const pointer = scope.alloc(layoutOf(name).size);
      instance.set(name, pointer, values);
      return pointer;
    },
  };
  try {
    return use(scope);
  } finally {
    // After a trap, each call throws it again.
    blocks.forEach(instance.free, instance);
  }
}

/** The most idle instances of a module that are kept for the next file. */
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
 * @param {WebAssembly.Module} module @param {Instance} instance
 */
export function release(module, instance) {
  const kept = idle.get(module) ?? [];
  if (instance.reusable() && kept.length < KEPT) kept.push(instance);
  idle.set(module, kept);
}
