/** Roles of tensors in nodes of ONNX and Core ML, such as `W` and `scale`. Other formats have telling names. */

/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Signal} Signal */
/** By the names of a node and of a value. @typedef {Map<string, Map<string, string>>} Roles */

/** The most nodes of a scope that are examined. */
const MOST = 20_000;

/** @param {any} child of the answer `scopes` */
const takesTensors = ({ nodes, tensors }) => nodes === 1 && tensors?.length;

/**
 * @param {Ask} ask
 * @param {string} name of the graph
 */
export function rolesIn(ask, name) {
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
      for (const { name, inputs, parameters = [] } of nodes.items)
        roles.set(
          name,
          new Map(parameters.map((/** @type {string} */ role, /** @type {number} */ i) => [inputs[i], role])),
        );
    }
    return roles;
  };
}
