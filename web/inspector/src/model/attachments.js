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
 * @property {string} [word] what it is called, if that is not what it is
 * @property {string} [at] what a link to its values calls it
 */

const VARIABLES = new Set(['VarHandleOp', 'VariableV2', 'Variable', 'variable']);
/** These give what they take. */
const READS = new Set(['ReadVariableOp', 'Identity']);

/** The tensor of a node that is a constant. @param {Node} node */
export const constantOf = (node) => (node.op === 'Const' ? attribute(node, 'value') : undefined);

/** @param {Node} node @returns {Attached | undefined} */
function ofNode(node) {
  const { name, op } = node;
  const tensor = constantOf(node);
  if (op === 'Const') return { id: name, name, is: 'constant', dtype: tensor?.dtype, shape: tensor?.shape, tensor };
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
 * @param {{ name: string, attached?: Attached }[]} inputs of the function, or initializers
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
