/** Reduces the number of boxes to draw: similar ones become one, and so do parts of a scope with too many children. */
import { linesOf } from './held.js';
import { summary } from './op-kinds.js';

/**
 * @typedef {object} Group a single box: a node, a scope with all its contents, or many similar boxes
 * @property {string} id
 * @property {string} label
 * @property {string} scope the open scope around it, '' outside of all scopes
 * @property {string[]} frames the open scopes around it, the outermost first
 * @property {number} count number of nodes
 * @property {'node' | 'scope' | 'many' | 'rest' | 'argument' | 'result'} is its kind; the rest of a scope is not listed
 *   here
 * @property {string} [word] the name of an argument or a result, if different
 * @property {string} op of the node, or of all of them; for an argument or a result, its type
 * @property {{ name: string, function: string }[]} calls functions, and by which attributes
 * @property {Line[]} attached variables and constants that it takes
 * @property {number} [more] number of further ones
 * @property {number} [parameters] total elements of the variables
 * @property {number} [weight] that number, or of those variables that are known
 * @property {string | null} [dtype] of its first output, or of its largest tensor
 * @property {number} [same] of a scope: how many next to it, and itself, have the same contents
 */

/** A line in a box about one of its inputs. @typedef {object} Line
 * @property {string} id of the node, or of the function's argument
 * @property {'variable' | 'constant' | 'resource'} is
 * @property {string} name
 * @property {string} text */

/** Similar boxes become one if there are this many. */
const ALIKE = 6;

/**
 * The key of similar boxes: nodes with the same operation, scopes with the same name except for numbers.
 * @param {Group} group
 */
const kindOf = ({ is, scope, op, label }) => `${scope}\n${is}\n${is === 'node' ? op : label.replace(/\d+/g, '*')}`;

/**
 * @param {Map<string, Group>} groups
 * @param {number} [drawn] the number of boxes that may be drawn separately
 * @returns {Map<string, string>} from removed boxes to those that contain them
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
  // The largest groups first, so that the others may stay separate.
  for (const [id, members] of [...kinds].sort(([, a], [, b]) => b.length - a.length)) {
    if (groups.size <= drawn) break;
    const [first] = members;
    if (!first || first.is === 'rest' || first.is === 'result' || members.length < ALIKE) continue;
    const { is, op, scope, frames } = first;
    const label = is === 'node' ? op : is === 'argument' ? 'arguments' : first.label.replace(/\d+/g, '*');
    const count = members.reduce((sum, one) => sum + one.count, 0);
    const box = { id, label, scope, frames, count, calls: [], attached: [] };
    groups.set(id, { ...box, is: 'many', op: is === 'node' ? op : '' });
    for (const one of members) {
      into.set(one.id, id);
      groups.delete(one.id);
    }
  }
  return into;
}

/**
 * Children in a part, and the most parts of a scope: some that follow one another are a box, which opens as a scope.
 */
const [SIZE, PARTS] = [50, 150];

/** @param {string} id */
export const isPart = (id) => /(^|\/)\d+–\d+$/.test(id);

/** @typedef {{ id: string, label: string, items: any[] }} Part */

/** @param {string} scope @param {any[]} children @returns {Part[]} */
export function partsOf(scope, children) {
  const size = Math.max(SIZE, Math.ceil(children.length / PARTS));
  if (children.length < 2 * size) return [];
  return Array.from({ length: Math.ceil(children.length / size) }, (_, i) => {
    const items = children.slice(i * size, (i + 1) * size);
    const places = `${i * size + 1}–${i * size + items.length}`;
    const [first, last] = [items[0], items.at(-1)];
    const label = first.is === 'scope' ? `${first.name} … ${last.name}` : `nodes ${places}`;
    return { id: scope ? `${scope}/${places}` : places, label, items };
  });
}

/** Its box, as far as it differs from others. @param {Part} part */
export function partBox({ id, label, items }) {
  const tensors = items
    .flatMap((one) => one.tensors ?? [])
    .sort((a, b) => Number(b.parameters ?? 0) - Number(a.parameters ?? 0));
  const sum = (/** @type {(one: any) => unknown} */ of) => items.reduce((all, one) => all + Number(of(one) ?? 0), 0);
  /** @type {Map<string, number>} */
  const ops = new Map();
  for (const { op, ops: inside } of items)
    for (const one of inside ?? [{ op, count: 1 }]) ops.set(one.op, (ops.get(one.op) ?? 0) + one.count);
  const used = [...ops].sort(([, a], [, b]) => b - a).map(([op]) => op);
  return {
    id,
    label,
    count: sum((one) => one.nodes),
    is: /** @type {const} */ ('scope'),
    op: summary(used).join(', '),
    calls: [],
    attached: linesOf({ tensors: tensors.slice(0, 3) }),
    more: sum((one) => one.more_tensors) + Math.max(0, tensors.length - 3),
    parameters: sum((one) => one.parameters),
    weight: sum((one) => one.parameters),
  };
}
