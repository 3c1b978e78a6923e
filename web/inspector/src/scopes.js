/** A graph folded by name scope: what is shown when some scopes are open. */

/**
 * @typedef {{ name: string, op: string, inputs: string[], control_inputs: string[], attributes: any[] }} Node
 * @typedef {{ id: string, label: string, nodes: Node[], op?: string }} Group what is shown as
 *   one: a node, or a scope with all in it
 */

/** Of an input such as 'a/b:1', '^a/b' or 'a:output:0', the node. @param {string} input */
const nodeOf = (input) => input.replace(/^\^/, '').replace(/:.*$/, '');

/**
 * @param {Node[]} nodes
 * @param {Set<string>} open the scopes whose members are shown one by one
 */
export function folded(nodes, open) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  /** @type {Map<string, string>} from a node's name to its group */
  const home = new Map();
  const scopes = new Set(nodes.flatMap(({ name }) => prefixes(name)));
  for (const node of nodes) {
    // A node named as a scope stands for it: 'a' is folded with 'a/b'.
    const chain = [...prefixes(node.name), ...(scopes.has(node.name) ? [node.name] : [])];
    const closed = chain.find((scope) => !open.has(scope));
    const id = closed ?? `${node.name}`;
    const group = groups.get(id) ?? { id, label: id.slice(id.lastIndexOf('/') + 1), nodes: [] };
    group.nodes.push(node);
    if (closed === undefined) group.op = node.op;
    groups.set(id, group);
    home.set(node.name, id);
  }
  /** @type {Map<string, { from: string, to: string, control: boolean }>} */
  const edges = new Map();
  for (const node of nodes) {
    const to = home.get(node.name) ?? '';
    for (const [inputs, control] of /** @type {const} */ ([[node.inputs, false], [node.control_inputs, true]])) {
      for (const input of inputs) {
        const from = home.get(nodeOf(input));
        if (from !== undefined && from !== to && !edges.has(`${from}\n${to}`)) edges.set(`${from}\n${to}`, { from, to, control });
      }
    }
  }
  return { groups: [...groups.values()], edges: [...edges.values()] };
}

/** 'a/b/c' is in 'a' and in 'a/b'. @param {string} name */
function prefixes(name) {
  const found = [];
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) found.push(name.slice(0, at));
  return found;
}

/**
 * SameDiff's operations as nodes: its inputs and outputs are variables, of which those that
 * no operation makes are nodes of their own.
 *
 * @param {any[]} operations
 * @returns {Node[]}
 */
export function nodesOf(operations) {
  const maker = new Map(operations.flatMap(({ name, outputs }) => outputs.map((/** @type {string} */ o) => [o, name])));
  const given = new Set(operations.flatMap(({ inputs }) => inputs).filter((input) => !maker.has(input)));
  const attribute = (/** @type {string} */ name, /** @type {any} */ value) => ({ name, kind: 'argument', value });
  return [
    ...[...given].map((name) => ({ name, op: 'variable', inputs: [], control_inputs: [], attributes: [] })),
    ...operations.map(({ name, op, inputs, arguments: args, properties }) => ({
      name,
      op,
      inputs: inputs.map((/** @type {string} */ input) => maker.get(input) ?? input),
      control_inputs: [],
      attributes: [
        ...Object.entries(args).filter(([, value]) => value.length).map(([key, value]) => attribute(key, value)),
        ...properties.map(({ name: key, ...values }) => attribute(key, Object.values(values)[0])),
      ],
    })),
  ];
}
