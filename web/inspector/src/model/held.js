/** Tensors that nodes hold, as lines of their boxes, from the answers `scopes` and `constants`. */
import { times, typed, valueOf } from './tensors.js';

/** @import { Ask, Signal } from './folded-graph.js' */

/**
 * A constant, or a variable that is read.
 * @typedef {object} Attached
 * @property {string} id of the node, or of the function's argument
 * @property {string} name of the variable, or of the constant's node
 * @property {'variable' | 'constant' | 'resource'} is
 * @property {string | null} [dtype]
 * @property {import('./tensors.js').Shape} [shape]
 * @property {any} [tensor] a constant's
 * @property {string} [path] of the object
 * @property {string} [word] its name, if different
 * @property {string} [at] its name in a link to its values
 */

/** Types for which the shape is sufficient: quantized weights have another type. */
const USUAL = /^(b?float16|float32|float64|half|bfloat16|float|double)$/i;
const FLOAT = /float|half|double/i;

/** The tensor with its values. @param {any} one */
export const tensorOf = (one) => ({ size: one.bytes, ...one.array, ...one });

/** Whether it is a variable's value in a frozen graph, in place of the node that read it. @param {string} name */
export const isFrozen = (name) => /ReadVariableOp[^/]*\/resource$/.test(name);

/** Its name next to others of the same node: for a value, the last part that is not a number. In a frozen graph, a
 * variable's value is in place of the node that read it. @param {any} one */
function nameOf({ node, is, name = node }) {
  if (is === 'attribute' || is === 'weights') return node.slice(node.lastIndexOf(':') + 1) || node;
  if (isFrozen(name)) return 'weights';
  return /[^./]*([./]\d+)*$/.exec(name)?.[0] || node;
}

/** @param {any} one */
export const wordOf = ({ is, use }) =>
  is === 'initializer' || is === 'variable'
    ? is
    : is === 'constant' && use === 'constant'
      ? is
      : is === 'attribute'
        ? is
        : 'weights';

/** A list of numbers in an attribute, as opposed to a tensor. @param {any} one */
const listed = ({ attributes: [{ value } = {}] = [] }) =>
  value === undefined ? '' : valueOf({ preview: [value].flat(), shape: Array.isArray(value) ? [value.length] : [] });

/**
 * Its value if that is short and not a weight, else its shape, or its type if the shape is not sufficient.
 * @param {any} one
 */
export function textOf(one) {
  const { dtype, shape } = one;
  if (shape === undefined) return listed(one);
  if (shape.length === 0 || (shape.length === 1 && !FLOAT.test(dtype ?? ''))) return valueOf(tensorOf(one));
  return USUAL.test(dtype ?? '') ? times(shape) : typed(one);
}

/** @param {any} one @returns {'variable' | 'constant'} */
const kindOf = ({ use, is }) => (use === 'constant' || (!use && is === 'constant') ? 'constant' : 'variable');

/** The lines in a box about its tensors, called after their roles if these are known. @param {any} child
 * @param {Map<string, string>} [roles] @returns {import('./gather.js').Line[]} */
export const linesOf = ({ tensors = [] }, roles) =>
  tensors.map((/** @type {any} */ one) => {
    const name = roles?.get(one.node) ?? nameOf(one);
    return { id: one.node, is: kindOf(one), name, text: textOf(one) };
  });

/** @param {any} one @returns {Attached} */
export const attachedOf = (one) => ({
  id: one.node,
  name: one.name ?? one.node,
  path: one.object?.path,
  is: kindOf(one),
  dtype: one.dtype,
  shape: one.shape,
  tensor: tensorOf(one),
  word: wordOf(one),
  at: one.function ? `${one.function}:${one.node}` : one.node,
});

/** Functions that a node calls, and graphs that it has. @param {any} child */
export const callsOf = ({ calls = [] } = {}) =>
  calls.map((/** @type {any} */ { name, element, function: called }) => ({
    name: element === undefined ? name : `${name}[${element}]`,
    function: called,
  }));

/**
 * Roles of tensors, such as `W` and `scale`, by the names of a node and of a value; by '' for the nodes of scopes.
 * @typedef {Map<string, Map<string, string>>} Roles
 */

/** The most nodes of a scope that are examined. */
const MOST = 20_000;

/** @param {any} child of the answer `scopes` */
const takesTensors = ({ nodes, tensors = [] }) =>
  nodes === 1 ? tensors.length : tensors.some((/** @type {any} */ one) => isFrozen(one.node));

/** The roles of the inputs of a node. @param {any} node @returns {[value: string, role: string][]} */
const rolesOf = ({ inputs, parameters = [] }) =>
  parameters.map((/** @type {string} */ role, /** @type {number} */ i) => [inputs[i], role]);

/** Roles of the tensors of a frozen graph, each read by an Identity. Letters such as `b` say less than "weights".
 * @param {any[]} nodes */
function frozenRoles(nodes) {
  /** @type {Map<string, string>} */
  const read = new Map();
  for (const { op, name, inputs } of nodes) if (op === 'Identity') read.set(name, inputs[0]);
  /** @type {Map<string, string>} */
  const roles = new Map();
  for (const [taken, role] of nodes.flatMap(rolesOf)) {
    const value = read.get(taken) ?? taken;
    if (isFrozen(value) && role.length > 1) roles.set(value, role);
  }
  return roles;
}

/**
 * The roles in nodes of ONNX and Core ML, and in frozen graphs; other formats have telling names.
 *
 * @param {Ask} ask
 * @param {string} name of the graph
 * @param {string} kind of the model
 */
export function rolesIn(ask, name, kind) {
  /** @type {Roles} */
  const roles = new Map();
  /** @type {Set<string>} the scopes that were asked about */
  const known = new Set();
  return async (/** @type {any[]} */ answers, /** @type {Signal} */ how) => {
    for (const { scope, nodes: all, children } of answers) {
      if (known.has(scope) || known.has('') || !children.items.some(takesTensors)) continue;
      const within = { name: name || undefined, scope: scope ? `${scope}/` : undefined };
      const { nodes } = await ask({ question: 'nodes', ...within, count: MOST }, how);
      if (scope || all <= MOST) known.add(scope);
      if (kind !== 'graph_def') for (const one of nodes.items) roles.set(one.name, new Map(rolesOf(one)));
      else roles.set('', new Map([...(roles.get('') ?? []), ...frozenRoles(nodes.items)]));
    }
    return roles;
  };
}
