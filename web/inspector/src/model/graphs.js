/** Graphs of a model: small ones are read and folded here, of large ones only what is shown. */
import { CHILDREN, largeGraph } from './large.js';
import { folded, nodesOf, scopesOf } from './scopes.js';

/** @typedef {(options: any, signal: AbortSignal) => Promise<any>} Ask */
/** @typedef {import('./large.js').Page} Page */
/** @typedef {ReturnType<typeof largeGraph> & { users(node: string, first: number, count: number, signal: AbortSignal): Promise<Page> }} Graph */

/** Nodes of a graph that is small; of SameDiff, all that are looked at. */
const [SMALL, MOST] = [4000, 150_000];
/** How many are asked for at once. */
const PAGE = 4000;

/** @param {any[]} nodes @param {number} total @param {any[]} problems @returns {Omit<Graph, 'users'>} */
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
    node: async (node) => nodes.find(({ name }) => name === node),
  };
}

/** What takes SameDiff's operations and variables, which are nodes here.
 * @param {any[]} nodes @returns {Graph['users']} */
const usersAmong = (nodes) => async (node, first, count) => {
  const users = nodes.filter(({ inputs }) => inputs.includes(node));
  const items = users.slice(first, first + count).map(({ name, op, inputs }) => ({
    is: 'node', name, op, control: false,
    inputs: inputs.flatMap((/** @type {string} */ from, /** @type {number} */ input) => (from === node ? [{ input, output: null, index: 0 }] : [])),
  }));
  return { total: users.length, first, items };
};

/** What takes a node, of the function of that name. @param {Ask} ask @param {string | undefined} scope @returns {Graph['users']} */
const usersAsked = (ask, scope) => async (name, first, count, signal) =>
  (await ask({ question: 'consumers', name, scope, first, count }, signal)).consumers;

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
      if (whole.nodes > SMALL) return { ...largeGraph(ask, name, whole), users: usersAsked(ask, name) };
    }
    /** @type {any[]} */
    const found = [];
    for (;;) {
      const { nodes, operations = nodes, problems } = await ask({ question: 'nodes', name, first: found.length, count: PAGE }, signal);
      found.push(...operations.items);
      const done = !operations.items.length || found.length >= Math.min(operations.total, MOST);
      if (!done) continue;
      const all = samediff ? nodesOf(found) : found;
      return { ...smallGraph(all, operations.total, problems), users: samediff ? usersAmong(all) : usersAsked(ask, name) };
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
    /** A page of what takes a node. @param {{ name?: string, node: string, first: number, count: number }} options @param {AbortSignal} signal */
    users: async (options, signal) => (await graphOf(options, signal)).users(options.node, options.first, options.count, signal),
    /** @param {{ name?: string, node: string }} options @param {AbortSignal} signal */
    node: async (options, signal) => (await graphOf(options, signal)).node(options.node, signal),
  };
}
