/** Checks options where they are passed: their names and values. */
import { CpbError } from './errors.js';

/**
 * Checks a value: returns undefined if it is valid, otherwise the expected value.
 * @typedef {(value: any, path: string) => string | undefined} Kind
 */
/** The options of a call by their names. @typedef {Record<string, Kind>} Known */

/** @param {string} what @param {(value: any) => boolean} is @returns {Kind} */
const kind = (what, is) => (value) => (is(value) ? undefined : what);

const isText = (/** @type {unknown} */ it) => typeof it === 'string';

/** @param {any} value */
const shown = (value) => (isText(value) ? `'${value}'` : String(value));

/** @param {string} type @param {string} what */
const typed = (type, what) => kind(what, (value) => typeof value === type);

const isSize = (/** @type {any} */ it) => Number.isSafeInteger(it) && it >= 0;

export const flag = typed('boolean', 'true or false');
export const text = kind('a string', isText);
export const texts = kind('an array of strings', (list) => Array.isArray(list) && list.every(isText));
export const callback = typed('function', 'a function');
export const size = kind('a whole number from 0 to 2^53 - 1', isSize);
/** Of elements. */
export const count = kind("a whole number from 1 to 2^53 - 1, or 'all'", (n) => n === 'all' || (isSize(n) && n > 0));
export const fraction = kind('a number from 0 to 1', (n) => n >= 0 && n <= 1);
/** Values beyond the size mean everything. */
export const amount = kind('a whole number from 0 to 2^53 - 1, or Infinity', (n) => n === Infinity || isSize(n));
export const whole = kind('a whole number', Number.isSafeInteger);
export const bytes = kind(
  'a Uint8Array or another view of bytes',
  (b) => ArrayBuffer.isView(b) || b instanceof ArrayBuffer,
);
export const anything = kind('', () => true);
/** Also those of other realms and polyfills. */
export const signal = kind('an AbortSignal', (it) => typeof it?.throwIfAborted === 'function');

/** One of these. @param {...unknown} values @returns {Kind} */
export const oneOf = (...values) => kind(values.map(shown).join(', '), (it) => values.includes(it));

/** One of these kinds. @param {...Kind} kinds @returns {Kind} */
export const either =
  (...kinds) =>
  (value, path) => {
    const expected = kinds.map((is) => is(value, path));
    return expected.every(Boolean) ? expected.join(' or ') : undefined;
  };

/** An object with these options. @param {Known} known @returns {Kind} */
export const within = (known) => (value, path) => {
  if (typeof value !== 'object' || value === null) return `an object of ${Object.keys(known).join(', ')}`;
  checkOptions(value, known, `${path}.`);
};

const cost = within({ requests: amount, bytes: amount });

const milliseconds = kind('a number of milliseconds above 0', (ms) => ms > 0);

/** How an input is read, as in source/index.js. */
export const reading = {
  http: within({
    fetch: callback,
    headers: anything,
    credentials: text,
    mode: text,
    cache: text,
    timeout: milliseconds,
    minSpeed: amount,
    maxTime: milliseconds,
    suffix: oneOf('auto', true, false),
    maxWhole: amount,
    ignoreEtag: flag,
    requireValidator: flag,
    redirects: oneOf('keep', 'again'),
    budget: cost,
  }),
  retry: either(
    oneOf(false),
    within({ attempts: amount, patience: amount, base: amount, max: amount, jitter: callback, sleep: callback }),
  ),
  coalesce: within({ gap: amount, maxBytes: amount, connections: amount }),
  cache: either(oneOf(false), within({ bytes: amount, block: size, share: flag })),
  budget: cost,
  memory: amount,
  references: either(oneOf('folder', 'none'), callback),
};

const perByte = ['decoded', 'held', 'walked', 'entries', 'answer', 'index'];
const limitNames = ['riegeliChunk', 'window', 'chunks', 'recordsPerChunk', 'depth', 'memory'];
limitNames.push(...perByte, ...perByte.map((name) => `${name}PerByte`));

export const verify = oneOf('first', 'late', 'never');
export const limits = within(Object.fromEntries(limitNames.map((name) => [name, amount])));

/** The options of open(). */
export const opening = {
  signal,
  onProgress: callback,
  type: text,
  schema: bytes,
  format: oneOf('cpb', 'pb'),
  limits,
  verify,
  trustSizes: flag,
  wholeIndex: flag,
  ...reading,
};

/**
 * @param {object} options
 * @param {Known} [known] by default those of open()
 * @param {string} [path] of the object that has them
 */
export function checkOptions(options, known = opening, path = '') {
  if (typeof options !== 'object' || options === null)
    throw new CpbError('USAGE', `the options are ${shown(options)}; expected an object`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, name))
      throw new CpbError('USAGE', `there is no option ${path}${name}; there are ${Object.keys(known).join(', ')}`);
    const expected = value === undefined ? undefined : known[name]?.(value, path + name);
    if (expected) throw new CpbError('USAGE', `the option ${path}${name} is ${shown(value)}; expected ${expected}`);
  }
}
