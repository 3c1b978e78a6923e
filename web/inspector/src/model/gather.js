/** Too many boxes to draw become fewer: those that are alike become one. */

/**
 * @typedef {object} Group what is drawn as one box: a node, a scope with all in it, or many alike
 * @property {string} id
 * @property {string} label
 * @property {string} scope the open one that it is in, '' outside of all
 * @property {string[]} frames the open scopes around it, the outermost first
 * @property {number} count of nodes
 * @property {'node' | 'scope' | 'many' | 'rest' | 'argument' | 'result'} is what it stands for;
 *   the rest of a scope is not here
 * @property {string} [word] what an argument or a result is called, if not so
 * @property {string} op of the node, or of all of them; of an argument or a result, its type
 * @property {{ name: string, function: string }[]} calls functions, and by which attributes
 * @property {Line[]} attached variables and constants that it takes
 * @property {number} [more] how many there are besides
 * @property {number} [parameters] elements of the variables
 */

/** A line in a box about one of its inputs. @typedef {object} Line
 * @property {string} id of the node, or of the function's argument
 * @property {'variable' | 'constant' | 'resource'} is
 * @property {string} name
 * @property {string} text */

/** At least so many similar boxes become one. */
const ALIKE = 6;

/** Boxes are alike if they are nodes of one operation, or scopes with the same name except for numbers. @param {Group} group */
const kindOf = ({ is, scope, op, label }) => `${scope}\n${is}\n${is === 'node' ? op : label.replace(/\d+/g, '*')}`;

/**
 * @param {Map<string, Group>} groups
 * @param {number} [drawn] up to so many boxes, nothing is gathered
 * @returns {Map<string, string>} from a removed box to the box with its contents
 */
export function gathered(groups, drawn = 160) {
  if (groups.size <= drawn) return new Map();
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
  // The most numerous first, so that the others may stay as they are.
  for (const [id, members] of [...kinds].sort(([, a], [, b]) => b.length - a.length)) {
    if (groups.size <= drawn) break;
    const [first] = members;
    if (!first || first.is === 'rest' || first.is === 'result' || members.length < ALIKE) continue;
    const { is, op, scope, frames } = first;
    const label = is === 'node' ? op : is === 'argument' ? 'arguments' : first.label.replace(/\d+/g, '*');
    const count = members.reduce((sum, one) => sum + one.count, 0);
    groups.set(id, {
      id,
      label,
      scope,
      frames,
      count,
      is: 'many',
      op: is === 'node' ? op : '',
      calls: [],
      attached: [],
    });
    for (const one of members) {
      into.set(one.id, id);
      groups.delete(one.id);
    }
  }
  return into;
}
