/** What is told of one node, argument or result beside the drawing. */
import { attachments, constantOf } from './attachments.js';
import { callsOf, resultId } from './small-graph.js';
import { attribute, shapeOf, tensorNamed, valueOf } from './tensors.js';

/** @typedef {import('./attachments.js').Attached} Attached */
/** @typedef {import('./folded-graph.js').Graph} Graph */
/** @typedef {import('./folded-graph.js').Node} Node */

/** Inputs of a large graph's node that are looked up for their shapes. */
const MOST = 16;

/** What the drawing says already, or nobody asked for. */
const KNOWN = new Set(['_output_shapes']);

/**
 * @typedef {object} From where an input comes from
 * @property {string} name of the node or argument
 * @property {number} index of its output
 * @property {string} [dtype]
 * @property {import('./tensors.js').Shape} [shape]
 * @property {string} [value] of a constant
 * @property {Attached} [attached]
 */

/** @param {string} input @param {Graph} graph @param {(name: string) => Node | undefined} named @param {(name: string) => Attached | undefined} attached @returns {From} */
function fromOf(input, graph, named, attached) {
  const tensor = tensorNamed(input);
  const { name } = tensor;
  const value = attached(name);
  const argument = graph.inputs.find((one) => one.name === name);
  const node = named(name);
  const from = {
    index: tensor.index,
    name,
    dtype: value?.dtype ?? argument?.dtype,
    shape: shapeOf(node, tensor) ?? value?.shape ?? argument?.shape,
  };
  return { ...from, attached: value, value: value?.tensor && valueOf(value.tensor) };
}

/** @param {Graph} graph @param {string} id */
function endOf({ inputs, outputs, nodes }, id) {
  const argument = inputs.find(({ name }) => name === id);
  if (argument && !nodes?.some(({ name }) => name === id)) return { is: 'argument', ...argument };
  const result = outputs.find(({ name }) => resultId(name) === id);
  return result && { is: 'result', ...result, from: tensorNamed(result.tensor).name };
}

/**
 * @param {Graph} graph
 * @param {string} id
 * @param {(name: string) => Promise<Node | undefined>} named
 */
export async function detailOf(graph, id, named) {
  const end = endOf(graph, id);
  if (end) return end;
  const node = await named(id);
  if (!node) return undefined;
  const sources = [...new Set(node.inputs.map((input) => tensorNamed(input).name))].slice(0, MOST);
  const known = graph.nodes ? [] : await Promise.all([...sources, id].map(named));
  const nodes = new Map((graph.nodes ?? known).flatMap((one) => (one ? [[one.name, one]] : [])));
  const attached = attachments(nodes, graph.inputs);
  const calls = graph.library.has(node.op) ? [{ name: 'calls', function: node.op }] : [];
  const tensor = constantOf(node);
  return {
    is: 'node',
    ...node,
    attributes: node.attributes.filter(({ name }) => !KNOWN.has(name) && !(tensor && name === 'value')),
    calls: [...calls, ...callsOf(node)],
    from: node.inputs.map((input) => fromOf(input, graph, (name) => nodes.get(name), attached)),
    outputs: node.outputs ?? [],
    value: attached(id),
    tensor,
  };
}
