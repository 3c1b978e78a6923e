/** Too many boxes to draw become fewer: those that are alike become one. */

/**
 * @typedef {object} Group what is drawn as one box: a node, a scope with all in it, or many alike
 * @property {string} id
 * @property {string} label
 * @property {string} scope the open one that it is in, '' outside of all
 * @property {number} count of nodes
 * @property {'node' | 'scope' | 'many' | 'rest'} is what it stands for; the rest of a scope is not here
 * @property {string} op of the node, or of all of them
 */

/** Boxes that are drawn; of more, those that are alike become one, if they are so many. */
const [DRAWN, ALIKE] = [160, 6];

/** What is alike: nodes of one operation, scopes with the same name but for numbers. @param {Group} group */
const kindOf = ({ is, scope, op, label }) => `${scope}\n${is}\n${is === 'node' ? op : label.replace(/\d+/g, '*')}`;

/**
 * @param {Map<string, Group>} groups
 * @returns {Map<string, string>} from what is gone to what it is in
 */
export function gathered(groups) {
  if (groups.size <= DRAWN) return new Map();
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
  for (const [id, members] of kinds) {
    const [first] = members;
    if (!first || first.is === 'rest' || members.length < ALIKE) continue;
    const label = first.is === 'node' ? first.op : first.label.replace(/\d+/g, '*');
    const count = members.reduce((sum, one) => sum + one.count, 0);
    groups.set(id, { id, label, scope: first.scope, count, is: 'many', op: first.op });
    for (const one of members) {
      into.set(one.id, id);
      groups.delete(one.id);
    }
  }
  return into;
}
