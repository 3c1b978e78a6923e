/** Graphs of a model: which one is looked at, and what of it is shown. */
import { drawn, membersOf, nodeNamed } from './folded-graph.js';
import { graphDefOf, nodesOf } from './samediff-graph.js';

/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Graph} Graph */
/** @typedef {import('./folded-graph.js').Signal} Signal */

/** Nodes of a graph that is small; of SameDiff, operations that are looked at. */
const [SMALL, MOST] = [4000, 150_000];
/** How many are asked for at once. */
const PAGE = 4000;
/** Children of a scope of a large graph that are shown one by one. */
const CHILDREN = 600;

/**
 * A graph of TensorFlow's; all nodes of a small one are read.
 *
 * @param {Ask} askModel
 * @param {{ name?: string, metaGraph?: number }} options of the function
 * @param {Signal} how
 * @returns {Promise<Graph>}
 */
async function tensorflowGraph(askModel, { name, metaGraph }, how) {
  /** @type {Ask} */
  const ask = (question, signal) => askModel(metaGraph ? { ...question, metaGraph } : question, signal);
  const question = { question: 'scopes', name };
  const whole = await ask({ ...question, count: CHILDREN }, how);
  const { nodes: total, children, problems } = whole;
  if (total > SMALL) return { ask, name, whole, most: CHILDREN, total, problems };
  const all = await ask({ question: 'nodes', name, count: SMALL }, how);
  return {
    ask,
    name,
    whole: children.total > CHILDREN ? await ask({ ...question, count: SMALL }, how) : whole,
    most: SMALL,
    total,
    problems: all.problems,
    nodes: all.nodes.items,
  };
}

/**
 * The graph of a SameDiff file.
 *
 * @param {Ask} ask
 * @param {(graphDef: Uint8Array) => Promise<Ask>} open
 * @param {Signal} how
 * @returns {Promise<Graph>}
 */
async function sameDiffGraph(ask, open, how) {
  /** @type {any[]} */
  const found = [];
  for (;;) {
    const { operations, problems } = await ask({ question: 'nodes', first: found.length, count: PAGE }, how);
    found.push(...operations.items);
    const { total } = operations;
    if (operations.items.length && found.length < Math.min(total, MOST)) continue;
    const nodes = nodesOf(found);
    const asGraphDef = await open(graphDefOf(nodes));
    const whole = await asGraphDef({ question: 'scopes', count: SMALL }, how);
    return { ask: asGraphDef, whole, most: SMALL, total, problems, nodes };
  }
}

/**
 * @param {Ask} ask
 * @param {string} kind
 * @param {(graphDef: Uint8Array) => Promise<Ask>} open asks about a graph that is not the model's own
 */
export function graphs(ask, kind, open) {
  /** @type {{ name?: string, metaGraph?: number, graph: Graph } | undefined} the last that was looked at */
  let last;

  /** @param {{ name?: string, metaGraph?: number }} options @param {Signal} how */
  async function graphOf({ name, metaGraph }, how) {
    if (last && last.name === name && last.metaGraph === metaGraph) return last.graph;
    const graph = kind.startsWith('samediff')
      ? await sameDiffGraph(ask, open, how)
      : await tensorflowGraph(ask, { name: name || undefined, metaGraph }, how);
    last = { name, metaGraph, graph };
    return graph;
  }

  return {
    /** What is shown. @param {{ name?: string, open: string[] }} options @param {Signal} how */
    graph: async (options, how) => drawn(await graphOf(options, how), options.open, how),
    /** A page of what is in one group. @param {{ name?: string, open: string[], group: string, first: number, count: number }} options @param {Signal} how */
    members: async (options, how) => membersOf(await graphOf(options, how), options, how),
    /** @param {{ name?: string, node: string }} options @param {Signal} how */
    node: async (options, how) => nodeNamed(await graphOf(options, how), options.node, how),
    /** A page of what takes a node. @param {{ name?: string, node: string, first: number, count: number }} options @param {Signal} how @returns {Promise<import('./folded-graph.js').Page>} */
    async users(options, how) {
      const { node, first, count } = options;
      const graph = await graphOf(options, how);
      return (await graph.ask({ question: 'consumers', name: node, scope: graph.name, first, count }, how)).consumers;
    },
  };
}
