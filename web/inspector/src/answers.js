/** What panels make of answers: variables with their sizes and layers, which weights are stored twice. */

/** As many variables, functions or layers as a panel lists. */
export const MOST = 20_000;

/** Bytes of an element. @type {Record<string, number>} */
const WIDTHS = { bool: 1, half: 2, bfloat16: 2, float: 4, double: 8, complex64: 8, complex128: 16, long: 8, int: 4 };

/** @param {string | null | undefined} dtype */
function widthOf(dtype) {
  const name = (dtype ?? '').toLowerCase().replace(/_ref$/, '');
  const bits = /^(?:q?u?int|float|bfloat)(\d+)/.exec(name)?.[1];
  return WIDTHS[name] ?? (bits ? Math.ceil(Number(bits) / 8) : 0);
}

/** @param {(number | null)[] | null | undefined} shape */
export const elementsOf = (shape) => shape?.reduce((/** @type {number} */ all, d) => all * (d ?? 0), 1) ?? 0;

/** Of what is stored, else what its values would take. @param {any} variable */
export const bytesOf = ({ stored, dtype, shape }) => stored?.size ?? elementsOf(shape) * widthOf(dtype);

/**
 * A variable, for people.
 *
 * @typedef {object} Variable
 * @property {string} at what a link calls it
 * @property {string} name
 * @property {string | null} path of its object
 * @property {string} dtype
 * @property {(number | null)[] | null} shape
 * @property {number} elements
 * @property {number} size in bytes
 * @property {string} layer that it belongs to, or its name's scope
 * @property {string | null} layerPath of that layer's object
 * @property {boolean} trainable
 * @property {boolean} twin whether it is stored a second time, and this is that
 * @property {any} one as the answer has it
 */

/** Its layer where the answer says that, else the scope in its name. @param {any} one */
const layerOf = ({ layer, name }) =>
  typeof layer === 'string' ? layer : (layer?.name ?? (name ?? '').split('/').slice(0, -1).join('/'));

/** Which variables are one and the same weight, to all that can be seen. @param {any} one */
const weightOf = ({ name, dtype, shape, stored }) => JSON.stringify([name, dtype, shape, stored?.crc32c, stored?.size]);

/** Keras 3 writes each weight of an export into two of its lists; the answer says so, or its paths. */
const TWICE = /^root\._all_variables\./;

/** @param {any[]} items of the answer `variables` @returns {Variable[]} */
export function variablesIn(items) {
  /** @type {Map<string, number>} */
  const called = new Map();
  for (const { name, path } of items) if (!TWICE.test(path ?? '')) called.set(name, (called.get(name) ?? 0) + 1);
  /** What it is called, unless others are called so, too. @param {any} one */
  const nameOf = ({ name, path, key, node }) =>
    (name && (called.get(name) ?? 0) <= 1 ? name : path || key || name) || `#${node}`;
  const others = new Set(items.filter(({ path }) => !TWICE.test(path ?? '')).map(weightOf));
  return items.map((one) => ({
    at: one.path ?? one.key ?? one.name ?? `#${one.node}`,
    name: nameOf(one),
    path: one.path,
    dtype: one.dtype ?? one.stored?.dtype,
    shape: one.shape ?? one.stored?.shape ?? null,
    elements: elementsOf(one.shape ?? one.stored?.shape),
    size: bytesOf(one),
    layer: layerOf(one),
    layerPath: one.layer?.path ?? null,
    trainable: one.trainable !== false,
    twin: Boolean(one.copy_of) || (TWICE.test(one.path ?? '') && others.has(weightOf(one))),
    one,
  }));
}

/**
 * All variables of a SavedModel, or as many as a panel lists.
 *
 * @param {import('./session.js').Session} session
 * @param {AbortSignal} signal
 */
export async function variablesOf(session, signal) {
  const answer = await session.ask('variables', { count: MOST, signal });
  return { ...answer, total: answer.variables.total, list: variablesIn(answer.variables.items) };
}

/** What a tensor's view is to show of a variable; undefined where no values are stored, or in parts.
 * @param {Variable} variable */
export const tensorOf = ({ name, one }) =>
  one.stored && !one.stored.slices ? { name, variable: one.key, ...one.stored } : undefined;
