/** Which boxes of two graphs differ, and the signs for it. */

/** @typedef {import('../model/gather.js').Group} Group */
/** @typedef {'added' | 'removed' | 'changed'} Change */
/** A difference, and the number of the compared graph that it is in. @typedef {{ graph: number, change: Change, name: string }} Difference */
/** How many differences a box has. @typedef {Record<Change, number>} Counts */

/** @type {Record<Change, string>} */
export const SIGNS = { added: '+', removed: '−', changed: '~' };
/** @type {Record<Change, string>} */
export const MEANINGS = { added: 'only in the other', removed: 'only in this one', changed: 'changed' };
const CHANGES = /** @type {Change[]} */ (Object.keys(SIGNS));

/** The graphs that differ. @param {any[]} sections of the comparison */
export const graphsIn = (sections) =>
  sections.filter(({ section, differences }) => section === 'nodes' && differences.length);

/** What changed before what only one of the models has. @template {{ change: string }} T @param {T[]} list */
export const inOrder = (list) =>
  [...list].sort((one, other) => Number(other.change === 'changed') - Number(one.change === 'changed'));

/** All differences of the graphs, in the order of the list. @param {any[]} graphs @returns {Difference[]} */
export const differencesIn = (graphs) =>
  graphs.flatMap(({ differences }, graph) =>
    inOrder(/** @type {Difference[]} */ (differences)).map((one) => ({ ...one, graph })),
  );

/**
 * Counts the differences of boxes in one of the two drawings, which lacks what only the other has.
 *
 * @param {Difference[]} differences of the graph @param {Change} without
 * @returns {(group: Group) => Counts | undefined}
 */
export function counter(differences, without) {
  /** @type {Map<string, Counts>} nodes, and the scopes around them */
  const counts = new Map();
  for (const { name, change } of differences) {
    if (change === without) continue;
    for (let end = name.length; end > 0; end = name.lastIndexOf('/', end - 1)) {
      const path = name.slice(0, end);
      const known = counts.get(path) ?? { added: 0, removed: 0, changed: 0 };
      known[change]++;
      counts.set(path, known);
    }
  }
  return ({ id, is }) => (is === 'node' || is === 'scope' ? counts.get(id) : undefined);
}

/** The signs of a box: a node has one, a scope has the numbers. @param {Counts} counts @param {boolean} isScope */
export const signsOf = (counts, isScope) =>
  CHANGES.filter((change) => counts[change])
    .map((change) => SIGNS[change] + (isScope ? counts[change] : ''))
    .join(' ');

/** The same for screen readers. @param {Counts} counts @param {boolean} isScope */
export const spokenOf = (counts, isScope) =>
  CHANGES.filter((change) => counts[change])
    .map((change) => `${isScope ? `${counts[change]} ` : ''}${MEANINGS[change]}`)
    .join(', ');

/** Which colour: that of its only kind of difference. @param {Counts} counts @returns {Change} */
export function colourOf(counts) {
  const kinds = CHANGES.filter((change) => counts[change]);
  return kinds.length === 1 && kinds[0] ? kinds[0] : 'changed';
}
