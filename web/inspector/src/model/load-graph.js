/** Reads a graph as far as its drawing needs it: all nodes of a small one, the rest in folds. */
import { endsOf } from './function-ends.js';
import { attribute, tensorNamed } from './tensors.js';

/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Graph} Graph */
/** @typedef {import('./folded-graph.js').Node} Node */
/** @typedef {import('./folded-graph.js').Signal} Signal */
/** @typedef {import('./signature-names.js').Entry} Entry */

/** Nodes of a graph that is small. */
const SMALL = 4000;
/** Children of a scope of a large graph that are shown one by one, and boxes of which those that are alike do not become
 * one. */
const [CHILDREN, ROOM] = [600, 160];
/** Operations that are looked through for those named like functions. */
const OPERATIONS = 10_000;

/** What goes in and out of the main graph, as a signature says. @param {Entry | undefined} entry */
const endsByTensors = (entry) => ({
  /** @type {import('./folded-graph.js').Input[]} */
  inputs: [],
  outputs: (entry?.tensors ?? []).map(({ name, tensor, dtype, shape }) => ({
    name,
    label: name,
    tensor,
    dtype,
    shape,
  })),
});

/** Functions that the main graph calls by operations of their names. @param {Ask} ask @param {Signal} how */
async function libraryOf(ask, how) {
  const { ops } = await ask({ question: 'ops', count: OPERATIONS }, how);
  return ops.items.flatMap((/** @type {any} */ { op, from }) => (from === 'library' ? [op] : []));
}

/**
 * A graph of TensorFlow's: the main one, or a function's.
 *
 * @param {Ask} ask
 * @param {string} name of the function
 * @param {Entry | undefined} entry the signature that leads to it
 * @param {Signal} how
 * @returns {Promise<Graph>}
 */
export async function tensorflowGraph(ask, name, entry, how) {
  const question = { question: 'scopes', name: name || undefined };
  const whole = await ask({ ...question, count: CHILDREN }, how);
  const ends = name ? await endsOf(ask, name, entry?.names, how) : endsByTensors(entry);
  const library = new Set('calls' in ends ? ends.calls : await libraryOf(ask, how));
  const { nodes: total, problems } = whole;
  const { inputs, outputs } = ends;
  const graph = {
    ask,
    name,
    at: '',
    whole,
    most: CHILDREN,
    room: ROOM,
    total,
    problems,
    inputs,
    outputs,
    library,
    onlyOutputs: !name && Boolean(entry),
  };
  if (total > SMALL) return graph;
  const all = await ask({ question: 'nodes', name: name || undefined, count: SMALL }, how);
  /** @type {Node[]} */
  const nodes = all.nodes.items;
  const placeholders = name
    ? []
    : nodes.filter(({ op }) => op === 'Placeholder').map((node) => placeholder(node, entry));
  return { ...graph, most: SMALL, problems: all.problems, nodes, inputs: [...inputs, ...placeholders] };
}

/** A placeholder is an argument of the main graph. @param {Node} node @param {Entry | undefined} entry */
const placeholder = (node, entry) => ({
  name: node.name,
  label: entry?.given.find(({ tensor }) => tensorNamed(tensor).name === node.name)?.name ?? node.name,
  dtype: attribute(node, 'dtype'),
  shape: attribute(node, 'shape'),
});
