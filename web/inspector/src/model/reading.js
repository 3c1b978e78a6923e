/** What of a graph's nodes a reader wants to see as boxes, and what leads from one to another. */
import { attachments } from './attachments.js';
import { tensorNamed } from './tensors.js';

/** @typedef {import('./attachments.js').Attached} Attached */
/** @typedef {import('./folded-graph.js').Node} Node */
/** @typedef {import('./folded-graph.js').Input} Input */
/** @typedef {import('./folded-graph.js').Output} Output */
/** @typedef {import('./tensors.js').Tensor} Tensor */

/**
 * @typedef {object} Reading
 * @property {Map<string, Node>} nodes by name: all
 * @property {Node[]} kept those that are boxes
 * @property {Input[]} inputs those that are boxes
 * @property {(name: string) => Attached | undefined} attached
 * @property {(input: string) => Tensor} source of an input, past what only hands it on
 */

/** Nodes that the outputs depend on. @param {Map<string, Node>} nodes @param {Output[]} outputs */
function needed(nodes, outputs) {
  /** @type {Set<string>} */
  const seen = new Set();
  const left = outputs.map(({ tensor }) => tensorNamed(tensor).name);
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const node = seen.has(name) ? undefined : nodes.get(name);
    seen.add(name);
    if (node) left.push(...node.inputs.map((input) => tensorNamed(input).name));
  }
  return seen;
}

const parentOf = (/** @type {string} */ name) => name.slice(0, Math.max(0, name.lastIndexOf('/')));

/** Who takes what. @param {Node[]} nodes @param {Output[]} outputs */
function usesOf(nodes, outputs) {
  const data = new Set(nodes.flatMap(({ inputs }) => inputs.map((input) => tensorNamed(input).name)));
  const control = new Set(nodes.flatMap(({ control_inputs }) => control_inputs));
  const returned = new Set(outputs.map(({ tensor }) => tensorNamed(tensor).name));
  return { data, control, returned };
}

/**
 * @param {{ nodes: Node[], inputs: Input[], outputs: Output[], onlyOutputs: boolean }} graph
 * @param {{ control: boolean, all: boolean }} options whether control edges are drawn, and
 *   everything as a box
 * @returns {Reading}
 */
export function readingOf({ nodes: whole, inputs, outputs, onlyOutputs }, { control, all }) {
  const nodes = new Map(whole.map((node) => [node.name, node]));
  const led = onlyOutputs ? needed(nodes, outputs) : undefined;
  const wanted = led && whole.some(({ name }) => led.has(name)) ? led : undefined;
  const within = wanted ? whole.filter(({ name }) => wanted.has(name)) : whole;
  const attached = all ? () => undefined : attachments(nodes, inputs);
  const uses = usesOf(within, outputs);
  const ends = new Set(inputs.map(({ name }) => name));

  /** Identities at the end of a scope, or of the function. @param {Node} node */
  function handsOn({ name, op, inputs: [input, other] }) {
    if (control || all || op !== 'Identity' || input === undefined || other !== undefined) return false;
    const from = tensorNamed(input).name;
    const scope = parentOf(name);
    return (
      (uses.returned.has(name) && !uses.data.has(name)) ||
      (scope !== '' && (from === scope || parentOf(from) === scope))
    );
  }

  /** @param {Node} node */
  function isBox(node) {
    const { name, op, inputs, control_inputs } = node;
    if (ends.has(name)) return false; // a placeholder
    const isUsed = uses.data.has(name) || uses.returned.has(name);
    const hasControl = control_inputs.length > 0 || uses.control.has(name);
    if (attached(name)) return false;
    if (!control && (hasControl || op === 'NoOp') && !isUsed && !inputs.length) return false;
    return !handsOn(node);
  }

  const kept = within.filter(isBox);
  return {
    nodes,
    kept: kept.length || outputs.length ? kept : within,
    inputs: inputs.filter(({ name }) => !attached(name) && (!wanted || wanted.has(name))),
    attached,
    source(input) {
      let tensor = tensorNamed(input);
      for (let left = nodes.size; left > 0; left--) {
        const node = nodes.get(tensor.name);
        if (!node || !handsOn(node)) break;
        tensor = tensorNamed(node.inputs[0] ?? '');
      }
      return tensor;
    },
  };
}
