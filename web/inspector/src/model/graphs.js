/** Graphs of a model: small ones are read and folded here, of large ones only what is shown. */
import { CHILDREN, largeGraph } from './large.js';
import { folded, nodeOf, nodesOf, scopesOf } from './scopes.js';

/** @typedef {(options: any, signal: AbortSignal) => Promise<any>} Ask */
/** @typedef {ReturnType<typeof largeGraph>} Graph */

/** Nodes of a graph that is small; of SameDiff, all that are looked at. */
const [SMALL, MOST] = [4000, 150_000];
/** How many are asked for at once, and users of a node that are listed. */
const [PAGE, USERS] = [4000, 100];

/** @param {any[]} nodes @param {number} total @param {any[]} problems @returns {Graph} */
function smallGraph(nodes, total, problems) {
  const scopes = scopesOf(nodes);
  return {
    async graph(open) {
      const { groups, edges } = folded(nodes, new Set(open), scopes);
      return { groups, edges, total, problems };
    },
    async members({ open, group, first, count }) {
      const { members } = folded(nodes, new Set(open), scopes);
      const inside = nodes.filter(({ name }) => members.get(name) === group);
      return { total: inside.length, first, items: inside.slice(first, first + count).map(({ name, op }) => ({ name, op, is: 'node' })) };
    },
    async node(node) {
      const found = nodes.find(({ name }) => name === node);
      const users = nodes.filter(({ inputs, control_inputs: others }) => [...inputs, ...others].some((input) => nodeOf(input) === node));
      return found && { ...found, users: users.slice(0, USERS).map(({ name }) => name), more: Math.max(0, users.length - USERS) };
    },
  };
}

/**
 * @param {Ask} ask
 * @param {string} kind
 */
export function graphs(ask, kind) {
  const samediff = kind.startsWith('samediff');
  /** @type {{ name?: string, graph: Graph } | undefined} the last that was looked at */
  let last;

  /** @param {string | undefined} name @param {AbortSignal} signal @returns {Promise<Graph>} */
  async function read(name, signal) {
    if (!samediff) {
      const whole = await ask({ question: 'scopes', name, count: CHILDREN }, signal);
      if (whole.nodes > SMALL) return largeGraph(ask, name, whole);
    }
    /** @type {any[]} */
    const found = [];
    for (;;) {
      const { nodes, operations = nodes, problems } = await ask({ question: 'nodes', name, first: found.length, count: PAGE }, signal);
      found.push(...operations.items);
      const done = !operations.items.length || found.length >= Math.min(operations.total, MOST);
      if (done) return smallGraph(samediff ? nodesOf(found) : found, operations.total, problems);
    }
  }

  /** @param {{ name?: string }} options @param {AbortSignal} signal */
  async function graphOf({ name }, signal) {
    if (last?.name !== name || !last) last = { name, graph: await read(name || undefined, signal) };
    return last.graph;
  }

  return {
    /** What is shown. @param {{ name?: string, open: string[] }} options @param {AbortSignal} signal */
    graph: async (options, signal) => (await graphOf(options, signal)).graph(options.open, signal),
    /** A page of what is in one group. @param {{ name?: string, open: string[], group: string, first: number, count: number }} options @param {AbortSignal} signal */
    members: async (options, signal) => (await graphOf(options, signal)).members(options, signal),
    /** @param {{ name?: string, node: string }} options @param {AbortSignal} signal */
    node: async (options, signal) => (await graphOf(options, signal)).node(options.node, signal),
  };
}
