/**
 * Turns answers into data for panels: variables and constants with their sizes and layers, and which are stored twice.
 */
import { tensorOf as heldTensor } from './model/held.js';
import { isExported, isSameDiff } from './model/kinds.js';

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
const elementsOf = (shape) => shape?.reduce((/** @type {number} */ all, d) => all * (d ?? 0), 1) ?? 0;

/** The stored size, or else the size of its values. @param {any} variable */
export const bytesOf = ({ stored, dtype, shape }) => stored?.size ?? elementsOf(shape) * widthOf(dtype);

/**
 * A variable, or a constant in the role of one, as shown to people.
 *
 * @typedef {object} Variable
 * @property {string} at its name in links
 * @property {string} name
 * @property {string | null} path of its object
 * @property {string} dtype
 * @property {(number | null)[] | null} shape
 * @property {number} size in bytes
 * @property {string} layer that it belongs to, or its name's scope
 * @property {string | null} layerPath of that layer's object
 * @property {boolean} trainable
 * @property {boolean} twin whether it is a second, stored copy of another one
 * @property {any} one as the answer has it
 * @property {any} [tensor] the tensor with its values
 * @property {string | null} [within] the function that it is in
 * @property {boolean} [isConstant]
 */

/** Its layer according to the answer, or else the scope in its name. @param {any} one */
const layerOf = ({ layer, name }) =>
  typeof layer === 'string' ? layer : (layer?.name ?? (name ?? '').split('/').slice(0, -1).join('/'));

/**
 * @param {any[]} items of the answer `variables`
 * @returns {Variable[]}
 */
function variablesIn(items) {
  /** @type {Map<string, number>} */
  const called = new Map();
  for (const { name, copy_of: twin } of items) if (!twin) called.set(name, (called.get(name) ?? 0) + 1);
  /** Its name, unless others have the same. @param {any} one */
  const nameOf = ({ name, path, key, node }) =>
    (name && (called.get(name) ?? 0) <= 1 ? name : path || key || name) || `#${node}`;
  return items.map((one) => ({
    at: one.path ?? one.key ?? one.name ?? `#${one.node}`,
    name: nameOf(one),
    path: one.path,
    dtype: one.dtype ?? one.stored?.dtype,
    shape: one.shape ?? one.stored?.shape ?? null,
    size: bytesOf(one),
    layer: layerOf(one),
    layerPath: one.layer?.path ?? null,
    trainable: one.trainable !== false,
    twin: Boolean(one.copy_of),
    one,
  }));
}

/**
 * A constant.
 *
 * @param {any} one of the answer `constants`
 * @param {string | undefined} tag
 * @param {boolean} ofSameDiff
 * @returns {Variable & { isConstant: boolean, use?: string }}
 */
function constantIn(one, tag, ofSameDiff) {
  const { node, function: within = null, is, use, array, dtype, shape = null } = { ...one.array, ...one };
  // A file of SameDiff has a header before the values; the size of strings is unknown.
  const bytes = array?.bytes ?? (ofSameDiff ? (one.bytes ?? one.size) : one.size) ?? one.bytes ?? 0;
  return {
    at: within ? `${within}:${node}` : node,
    name: node,
    path: null,
    dtype,
    shape,
    size: bytes,
    layer: /^(.*)[./][^./]*$/.exec(node)?.[1] ?? '',
    layerPath: null,
    trainable: (use ?? is) !== 'constant',
    twin: false,
    isConstant: true,
    tensor: { dtype, shape, tag, ...heldTensor(one), size: heldTensor(one).size ?? bytes },
    within,
    use,
    one,
  };
}

/** @import { Session } from './session.js' */

/** @typedef {{ signal: AbortSignal, unasked?: boolean }} How */

/** All variables of a SavedModel, or as many as a panel lists. @param {Session} session @param {How} how */
export async function variablesOf(session, how) {
  const answer = await session.ask('variables', { count: MOST, ...how });
  return { ...answer, total: answer.variables.total, list: variablesIn(answer.variables.items), what: 'variables' };
}

/**
 * Constants and initializers, or the parameters of a SameDiff tag, as variables.
 *
 * @param {Session} session @param {How} how @param {string} [tag]
 */
export async function constantsOf(session, how, tag) {
  const answer = await session.ask('constants', { ...(tag ? { scope: tag } : {}), count: MOST, ...how });
  const { items, total } = answer.constants;
  const ofSameDiff = isSameDiff(session.about.kind);
  const list = items.map((/** @type {any} */ one) => constantIn(one, tag, ofSameDiff));
  return { ...answer, total, list, what: ofSameDiff ? 'parameters' : 'constants' };
}

/**
 * The parts of a model that are trained: its variables, parameters, or weights among its constants.
 *
 * @param {Session} session @param {How} how @param {string} [tag]
 */
export async function weightsOf(session, how, tag) {
  const { kind } = session.about;
  if (kind === 'saved_model' || kind === 'checkpoint') return variablesOf(session, how);
  const answer = await constantsOf(session, how, tag);
  if (!isExported(kind)) return answer;
  const { parameters: figures } = await session.ask('overview', how);
  const list = answer.list.filter((/** @type {any} */ { use }) => use !== 'constant');
  const total = answer.total > answer.list.length ? answer.total : list.length;
  return { ...answer, total, list, what: 'weights', figures };
}

/** The tensor for a tensor's view; undefined without stored values. @param {Variable} variable */
export const tensorOf = ({ name, one, tensor }) =>
  tensor ?? (one.stored ? { name, variable: one.key, ...one.stored } : undefined);
