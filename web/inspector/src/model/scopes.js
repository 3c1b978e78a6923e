/** A graph that is here as a whole, folded by name scope: what is shown when some are open. */

/**
 * @typedef {{ name: string, op: string, inputs: string[], control_inputs: string[], attributes: any[] }} Node
 * @typedef {object} Group what is shown as one: a node, a scope with all in it, or many alike
 * @property {string} id
 * @property {string} label
 * @property {string} scope the open one that it is in, '' outside of all
 * @property {number} count of nodes
 * @property {'node' | 'scope' | 'many' | 'rest'} is what it stands for; the rest of a scope is not here
 * @property {string} op of the node, or of all of them
 * @typedef {{ from: string, to: string, control: boolean }} Edge
 * @typedef {{ groups: Group[], edges: Edge[] }} Folded
 */

/** Boxes that are drawn; of more, those that are alike become one, if they are so many. */
const [DRAWN, ALIKE] = [160, 6];
/** Of an input such as 'a/b:1', '^a/b' or 'a:output:0', the node. @param {string} input */
export const nodeOf = (input) => input.replace(/^\^/, '').replace(/:.*$/, '');

/** 'a/b/c' is in 'a' and in 'a/b'. @param {string} name */
export function prefixes(name) {
  const found = [];
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) found.push(name.slice(0, at));
  return found;
}

/** @param {Node[]} nodes */
export const scopesOf = (nodes) => new Set(nodes.flatMap(({ name }) => prefixes(name)));

/**
 * Each node's group, when these scopes are open.
 *
 * @param {Node[]} nodes
 * @param {Set<string>} scopes all that there are
 * @param {Set<string>} open
 */
function grouped(nodes, scopes, open) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  /** @type {Map<string, string>} */
  const home = new Map();
  for (const { name, op } of nodes) {
    // A node named as a scope stands for it: 'a' is folded with 'a/b'.
    const chain = scopes.has(name) ? [...prefixes(name), name] : prefixes(name);
    const closed = chain.findIndex((scope) => !open.has(scope));
    const id = chain[closed] ?? name;
    const group = groups.get(id) ?? {
      id,
      label: id.slice(id.lastIndexOf('/') + 1),
      scope: (closed < 0 ? chain.at(-1) : chain[closed - 1]) ?? '',
      count: 0,
      is: closed < 0 ? 'node' : 'scope',
      op: closed < 0 ? op : '',
    };
    group.count++;
    groups.set(id, group);
    home.set(name, id);
  }
  return { groups, home };
}

/** What is alike: nodes of one operation, scopes with the same name but for numbers. @param {Group} group */
const kindOf = ({ is, scope, op, label }) => `${scope}\n${is}\n${is === 'node' ? op : label.replace(/\d+/g, '*')}`;

/**
 * Too many groups to draw become fewer: those that are alike become one.
 *
 * @param {Map<string, Group>} groups
 * @returns {Map<string, string>} from what is gone to what it is in
 */
export function gathered(groups) {
  if (groups.size <= DRAWN) return new Map();
  /** @type {Map<string, Group[]>} */
  const kinds = new Map();
  for (const group of groups.values()) {
    const kind = kindOf(group);
    const alike = kinds.get(kind) ?? [];
    alike.push(group);
    kinds.set(kind, alike);
  }
  /** @type {Map<string, string>} */
  const into = new Map();
  for (const [id, members] of kinds) {
    const [first] = members;
    if (!first || first.is === 'rest' || members.length < ALIKE) continue;
    const label = first.is === 'node' ? first.op : first.label.replace(/\d+/g, '*');
    const count = members.reduce((sum, one) => sum + one.count, 0);
    groups.set(id, { id, label, scope: first.scope, count, is: 'many', op: first.op });
    for (const one of members) {
      into.set(one.id, id);
      groups.delete(one.id);
    }
  }
  return into;
}

/**
 * @param {Node[]} nodes
 * @param {Set<string>} open the scopes whose members are shown one by one
 * @param {Set<string>} [scopes]
 * @returns {Folded & { members: Map<string, string> }} members: from a node to its group
 */
export function folded(nodes, open, scopes = scopesOf(nodes)) {
  const { groups, home } = grouped(nodes, scopes, open);
  const into = gathered(groups);
  for (const [name, id] of into.size ? home : []) home.set(name, into.get(id) ?? id);
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  for (const node of nodes) {
    const to = home.get(node.name) ?? '';
    for (const [inputs, control] of /** @type {const} */ ([[node.inputs, false], [node.control_inputs, true]])) {
      for (const input of inputs) {
        const from = home.get(nodeOf(input));
        const id = `${from}\n${to}`;
        if (from !== undefined && from !== to && !edges.has(id)) edges.set(id, { from, to, control });
      }
    }
  }
  return { groups: [...groups.values()], edges: [...edges.values()], members: home };
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
        ...properties.map((/** @type {any} */ { name: key, ...values }) => attribute(key, Object.values(values)[0])),
      ],
    })),
  ];
}
