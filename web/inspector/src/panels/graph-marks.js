/** Marks the differences from another model in the drawing of a graph: a sign, words and a colour for each box. */
import { counted } from '../format.js';
import { functionName } from './graph-drawing.js';

/** @import { Group } from '../model/gather.js' */

/** @typedef {'added' | 'removed' | 'changed'} Change */
/** Changes of nodes, by graph and name. @typedef {Map<string, Map<string, Change>>} Marks */

export const SIGNS = { added: '+', removed: '−', changed: '~' };
export const MEANINGS = { added: 'only in the other', removed: 'only in this one', changed: 'changed' };

/** @type {Record<Change, string>} */
const COLOURS = { added: '#2f9a72', removed: '#c2553f', changed: '#c08a1e' };
const WORDS = { added: 'only here', removed: 'only here', changed: 'changed' };

/** The name of a graph in both models: TensorFlow numbers functions anew. @param {string} [at] */
export const graphKey = (at) => functionName(at && at !== '/' ? at : '');

/** The changes in a box. @param {Map<string, Change>} changes @param {Group} group @returns {Change[]} */
function inside(changes, { is, id }) {
  const own = changes.get(id);
  if (is !== 'scope') return own ? [own] : [];
  return [...changes].flatMap(([name, change]) => (name.startsWith(`${id}/`) ? [change] : []));
}

/**
 * How the boxes of a graph look.
 *
 * @param {Marks} marks @param {string} at the graph
 * @returns {{ of: (group: Group) => string | undefined, sign: (group: Group) => string, legend: [string, string][] }}
 */
export function markedBy(marks, at) {
  const changes = marks.get(graphKey(at)) ?? new Map();
  const used = new Set(changes.values());
  const kind = (/** @type {Change[]} */ all) => (new Set(all).size === 1 ? all[0] : all.length ? 'changed' : undefined);
  return {
    of: (group) => {
      const one = kind(inside(changes, group));
      return one && COLOURS[one];
    },
    sign: (group) => {
      const all = inside(changes, group);
      const one = kind(all);
      if (!one) return '';
      return `${SIGNS[one]} ${group.is === 'scope' ? counted(all.length, 'difference') : WORDS[one]}`;
    },
    legend: /** @type {Change[]} */ (['added', 'removed', 'changed'])
      .filter((one) => used.has(one))
      .map((one) => [COLOURS[one], `${SIGNS[one]} ${WORDS[one]}`]),
  };
}
