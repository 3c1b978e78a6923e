/**
 * Constants and variables belong to the nodes that take them: as in other viewers, they are no
 * boxes of their own but lines in those of their users.
 */
import { attribute, shapeOf, tensorNamed } from './tensors.js';

/** @typedef {import('./folded-graph.js').Node} Node */

/**
 * A constant, or a variable that is read.
 * @typedef {object} Attached
 * @property {string} id of the node, or of the function's argument
 * @property {string} name of the variable, or of the constant's node
 * @property {'variable' | 'constant' | 'resource'} is
 * @property {string} [dtype]
 * @property {import('./tensors.js').Shape} [shape]
 * @property {any} [tensor] a constant's
 * @property {string} [path] of the object
 */

const VARIABLES = new Set(['VarHandleOp', 'VariableV2', 'Variable', 'variable']);
/** These give what they take. */
const READS = new Set(['ReadVariableOp', 'Identity']);

/** @param {Node} node @returns {Attached | undefined} */
function ofNode(node) {
  const { name, op } = node;
  if (op === 'Const') {
    const tensor = attribute(node, 'value');
    return { id: name, name, is: 'constant', dtype: tensor?.dtype, shape: tensor?.shape, tensor };
  }
  if (!VARIABLES.has(op)) return undefined;
  const named = attribute(node, 'shared_name');
  return {
    id: name,
    name: typeof named === 'string' && named ? named : name,
    is: 'variable',
    dtype: attribute(node, 'dtype'),
    shape: attribute(node, 'shape'),
  };
}

/**
 * What of a graph is such a value: by the name of a node or argument.
 *
 * @param {Map<string, Node>} nodes
 * @param {{ name: string, attached?: Attached }[]} inputs of the function
 */
export function attachments(nodes, inputs) {
  /** @type {Map<string, Attached | undefined>} */
  const known = new Map(inputs.map(({ name, attached }) => [name, attached]));

  /** @param {string} name @returns {Attached | undefined} */
  function attachedAt(name) {
    /** @type {Node[]} */
    const reads = [];
    /** @type {Attached | undefined} */
    let found;
    for (let at = name; ;) {
      const node = nodes.get(at);
      if (known.has(at)) found = known.get(at);
      else if (node) {
        known.set(at, (found = ofNode(node)));
        const [from, other] = node.inputs;
        if (!found && READS.has(node.op) && from !== undefined && other === undefined) {
          reads.push(node);
          at = tensorNamed(from).name;
          continue;
        }
      }
      break;
    }
    for (const node of reads.reverse()) {
      found = found && {
        ...found,
        dtype: found.dtype ?? attribute(node, 'dtype') ?? attribute(node, 'T'),
        shape: found.shape ?? shapeOf(node, { index: 0 }),
      };
      known.set(node.name, found);
    }
    return known.get(name);
  }
  return attachedAt;
}
