/** Roles of tensors in nodes of ONNX and Core ML, such as `W` and `scale`, and in frozen graphs. Other formats have
 * telling names. */
import { isFrozen } from './held.js';

/** @import { Ask, Signal } from './folded-graph.js' */

/** By the names of a node and of a value; by '' for the nodes of scopes. @typedef {Map<string, Map<string, string>>} Roles */

/** The most nodes of a scope that are examined. */
const MOST = 20_000;

/** @param {any} child of the answer `scopes` */
const takesTensors = ({ nodes, tensors = [] }) =>
  nodes === 1 ? tensors.length : tensors.some((/** @type {any} */ one) => isFrozen(one.node));

/** Of the inputs of a node. @param {any} node @returns {[value: string, role: string][]} */
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
