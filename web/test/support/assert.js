/**
 * The few assertions that the tests need, the same on every runtime. The last
 * argument says what was looked at, such as a file's name.
 */

export class AssertionError extends Error {
  name = 'AssertionError';
}

/**
 * @param {unknown} value
 * @returns {string} short, for a message
 */
export function show(value) {
  if (typeof value === 'string')
    return value.length > 300 ? `${JSON.stringify(value.slice(0, 300))}…` : JSON.stringify(value);
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return `${value.constructor.name}(${value.byteLength}) ${[...bytes.subarray(0, 24)]}`;
  }
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? `${value}n` : String(value);
  if (value instanceof Error) return `${value.name}${'code' in value ? ` ${value.code}` : ''}: ${value.message}`;
  let text;
  try {
    text = JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
  } catch {
    text = String(value);
  }
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

/**
 * @param {string | undefined} context
 * @param {string} text
 * @returns {never}
 */
function fail(context, text) {
  throw new AssertionError(context ? `${context}: ${text}` : text);
}

/**
 * @param {ArrayBufferView} a
 * @param {ArrayBufferView} b
 */
function sameBytes(a, b) {
  if (a.constructor !== b.constructor || a.byteLength !== b.byteLength) return false;
  const [x, y] = [wordsOf(a), wordsOf(b)];
  for (const [i, part] of x.entries()) {
    const other = /** @type {ArrayLike<number>} */ (y[i]);
    for (let at = 0; at < part.length; at++) if (part[at] !== other[at]) return false;
  }
  return true;
}

/** In words, copied where they are not aligned, and the bytes behind them. @param {ArrayBufferView} view */
function wordsOf({ buffer, byteOffset, byteLength }) {
  const words = byteLength >> 2;
  const from = byteOffset % 4 ? buffer.slice(byteOffset, byteOffset + byteLength) : buffer;
  const begin = from === buffer ? byteOffset : 0;
  return [new Uint32Array(from, begin, words), new Uint8Array(from, begin + 4 * words, byteLength - 4 * words)];
}

/**
 * Where two values first differ, as a path; undefined when they are equal.
 *
 * @param {any} a
 * @param {any} b
 * @param {string} [path]
 * @returns {string | undefined}
 */
function difference(a, b, path = '') {
  if (Object.is(a, b)) return undefined;
  // Only once they differ: to show much takes long.
  const here = () => `${path || 'value'} is ${show(a)}, not ${show(b)}`;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return here();
  if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) {
    return ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && sameBytes(a, b) ? undefined : here();
  }
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return here();
  if (a instanceof Map || a instanceof Set) return difference([...a], [...b], path);
  if (Array.isArray(a) && a.length !== b.length) return `${here()} (lengths ${a.length} and ${b.length})`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!Object.hasOwn(a, key) || !Object.hasOwn(b, key)) {
      return `${path}.${key} is ${Object.hasOwn(a, key) ? 'not wanted' : 'missing'}; ${here()}`;
    }
    const found = difference(a[key], b[key], `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

/**
 * @param {any} error
 * @param {any} expected a RegExp for the message, a class, or properties (RegExps match)
 * @param {string} [context]
 */
function checkError(error, expected, context) {
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    if (!expected.test(String(error?.message ?? error))) fail(context, `${show(error)} does not match ${expected}`);
  } else if (typeof expected === 'function') {
    if (!(error instanceof expected)) fail(context, `${show(error)} is no ${expected.name}`);
  } else {
    for (const [key, wanted] of Object.entries(expected)) {
      const value = error?.[key];
      const same = wanted instanceof RegExp ? wanted.test(String(value)) : difference(value, wanted) === undefined;
      if (!same)
        fail(context, `the error's ${key} is ${show(value)}, not ${show(String(wanted))}; it is ${show(error)}`);
    }
  }
}

export const assert = {
  /** @type {(value: unknown, context?: string) => void} */
  ok(value, context) {
    if (!value) fail(context, `${show(value)} is not true`);
  },

  /** Object.is. @type {(actual: unknown, expected: unknown, context?: string) => void} */
  equal(actual, expected, context) {
    if (!Object.is(actual, expected)) fail(context, `${show(actual)} is not ${show(expected)}`);
  },

  /**
   * Structure, prototypes and bytes.
   * @type {(actual: unknown, expected: unknown, context?: string) => void}
   */
  deepEqual(actual, expected, context) {
    const found = difference(actual, expected);
    if (found) fail(context, found);
  },

  /** @type {(text: string, pattern: RegExp, context?: string) => void} */
  match(text, pattern, context) {
    if (!pattern.test(text)) fail(context, `${show(text)} does not match ${pattern}`);
  },

  /**
   * @param {() => unknown} fn
   * @param {any} [expected] a RegExp for the message, a class, or properties: {code: 'RANGE'}
   * @param {string} [context]
   * @returns {any} what was thrown
   */
  throws(fn, expected, context) {
    let result;
    try {
      result = fn();
    } catch (error) {
      checkError(error, expected, context);
      return error;
    }
    return fail(context, `nothing was thrown; the result is ${show(result)}`);
  },

  /**
   * @param {PromiseLike<unknown> | (() => unknown)} promise or a function that gives one
   * @param {any} [expected] as for `throws`
   * @param {string} [context]
   * @returns {Promise<any>} what was thrown
   */
  async rejects(promise, expected, context) {
    let result;
    try {
      result = await (typeof promise === 'function' ? promise() : promise);
    } catch (error) {
      checkError(error, expected, context);
      return error;
    }
    return fail(context, `nothing was thrown; the result is ${show(result)}`);
  },
};
