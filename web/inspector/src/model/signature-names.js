/** The functions that signatures lead to, with the names that these have for what goes in and out. */
import { callsOf } from './small-graph.js';
import { tensorNamed } from './tensors.js';

/** @typedef {import('./folded-graph.js').Ask} Ask */
/** @typedef {import('./folded-graph.js').Signal} Signal */
/** @typedef {import('./folded-graph.js').Node} Node */

/** By their numbers: a function's arguments and results.
 * @typedef {{ inputs: Map<number, string>, outputs: Map<number, string> }} Names */

/** A tensor of the graph. @typedef {{ name: string, tensor: string, dtype?: string, shape?: any }} End */

/**
 * A signature and what it computes: a function, or without one what leads to tensors of the graph.
 * @typedef {{ key: string, function: string, names: Names, given: End[], tensors: End[] }} Entry
 */

/** Signatures that are looked at; a wrapper has few nodes. */
const [MOST, WRAPPER] = [20, 400];

/** Through nodes that only hand on, where a tensor comes from. @param {Map<string, Node>} nodes @param {string} tensor */
function origin(nodes, tensor) {
  let at = tensorNamed(tensor);
  for (let left = nodes.size; left > 0; left--) {
    const node = nodes.get(at.name);
    if (node?.op !== 'Identity' || !node.inputs[0]) break;
    at = tensorNamed(node.inputs[0]);
  }
  return at;
}

/**
 * How a wrapper names what the function takes and gives that it calls.
 *
 * @param {Ask} ask @param {string} wrapper @param {string} called @param {End[]} outputs of the signature
 * @param {Signal} how
 * @returns {Promise<Names>}
 */
async function namesBy(ask, wrapper, called, outputs, how) {
  const [answer, { nodes }] = await Promise.all([
    ask({ question: 'function', name: wrapper }, how),
    ask({ question: 'nodes', name: wrapper, count: WRAPPER }, how),
  ]);
  const byName = new Map(nodes.items.map((/** @type {Node} */ node) => [node.name, node]));
  const call = nodes.items.find((/** @type {Node} */ node) => callsOf(node).some((one) => one.function === called));
  const names = { inputs: new Map(), outputs: new Map() };
  const captures = new Set((answer.captures ?? []).map((/** @type {any} */ one) => one.argument));
  const given = new Set(answer.inputs.flatMap((/** @type {any} */ { name }) => (captures.has(name) ? [] : [name])));
  call?.inputs.forEach((/** @type {string} */ input, /** @type {number} */ i) => {
    const { name } = origin(byName, input);
    if (given.has(name)) names.inputs.set(i, name);
  });
  for (const { name, tensor } of outputs) {
    // The graph calls the wrapper, whose results have numbers there.
    const from = origin(byName, answer.outputs[tensorNamed(tensor).index]?.tensor ?? '');
    if (call && from.name === call.name) names.outputs.set(from.index, name);
  }
  return names;
}

/** @param {Ask} ask @param {string} key @param {Signal} how @returns {Promise<Entry>} */
async function entryOf(ask, key, how) {
  const { wrapper, function: called, inputs, outputs } = await ask({ question: 'signature', name: key }, how);
  const name = called?.name ?? wrapper?.function ?? '';
  const none = { inputs: new Map(), outputs: new Map() };
  const names = wrapper && called ? await namesBy(ask, wrapper.function, name, outputs, how).catch(() => none) : none;
  const tensors = (/** @type {any[]} */ list) => (name ? [] : list.filter(({ tensor }) => tensor));
  return { key, function: name, names, given: tensors(inputs), tensors: tensors(outputs) };
}

/**
 * The signatures of a SavedModel, the default one first.
 *
 * @param {Ask} ask @param {Signal} how
 * @returns {Promise<Entry[]>}
 */
export async function entriesOf(ask, how) {
  const { signatures } = await ask({ question: 'overview' }, how);
  const keys = signatures.items
    .map((/** @type {any} */ { key }) => key)
    .filter((/** @type {string} */ key) => !key.startsWith('__saved_model_'));
  keys.sort(
    (/** @type {string} */ a, /** @type {string} */ b) =>
      Number(b === 'serving_default') - Number(a === 'serving_default'),
  );
  const entries = [];
  for (const key of keys.slice(0, MOST)) entries.push(await entryOf(ask, key, how));
  return entries;
}
