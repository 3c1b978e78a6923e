/** Arrays in groups by their names, and areas for both as large as their bytes. */

/**
 * @typedef {{ one: any, parts: string[], size: number }} Item with the parts of its name
 * @typedef {{ name: string, size: number, items: Item[], depth: number }} Group the first parts of the names, `depth` of
 *   them, are alike
 * @typedef {{ x: number, y: number, width: number, height: number }} Area
 */

/** The most groups, and the share from which a group is divided again. */
export const GROUPS = 24;
const LARGE = 1 / 3;

/** @param {{ size: number }[]} list */
export const sizeOf = (list) => list.reduce((sum, { size }) => sum + size, 0);

/** The largest first. @template {{ size: number }} T @param {T[]} list */
export const descending = (list) => list.sort((a, b) => b.size - a.size);

/** Those of one name together. @template {{ size: number }} T @param {T[]} items @param {(item: T) => string} nameOf */
export function groupedBy(items, nameOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return [...groups].map(([name, of]) => ({ name, size: sizeOf(of), items: of }));
}

/** A part without the separator after it; a number alone says little. @param {string[]} parts @param {number} at */
const named = (parts, at) =>
  parts
    .slice(/^\d+\W?$/.test(parts[at] ?? '') ? at - 1 : at, at + 1)
    .join('')
    .replace(/[/.]$/, '');

/** The common part of too many names: the beginning up to a number, or the first word. */
const BEGINNINGS = [/.*/, /^\D*\d+/, /^.[^_.\d]*/];

/** At the first level where the names differ, into so many groups at most if their names allow it.
 * @param {Item[]} items @param {number} depth @param {number} most @returns {Group[]} */
function split(items, depth, most) {
  const [first = { parts: [] }] = items;
  while (items.every(({ parts }) => parts.length > depth + 1 && parts[depth] === first.parts[depth])) depth++;
  /** @type {Group[]} */
  let groups = [];
  for (const beginning of BEGINNINGS) {
    const nameOf = (/** @type {Item} */ { parts }) => beginning.exec(named(parts, depth))?.[0] || named(parts, depth);
    // Under the name of a whole scope, the names are within it.
    const inner = beginning === BEGINNINGS[0] ? depth + 1 : depth;
    groups = groupedBy(items, nameOf).map((group) => ({ ...group, depth: inner }));
    if (groups.length <= most) break;
  }
  return groups;
}

/** The largest first; one that has most of all is divided again. @param {Item[]} items @returns {Group[]} */
export function grouped(items) {
  const whole = sizeOf(items);
  let groups = split(items, 0, GROUPS);
  for (;;) {
    const [largest, ...others] = descending(groups);
    if (!largest || largest.size < LARGE * whole) return groups;
    const most = GROUPS - others.length;
    const inner = split(largest.items, largest.depth, most);
    const isUseful = inner.length > 1 && inner.length <= most && inner.some((one) => one.items.length > 1);
    if (!isUseful) return groups;
    groups = [...inner, ...others];
  }
}

/**
 * Areas for all, in rows along the shorter side, each as square as it can be.
 *
 * @template {{ size: number }} T
 * @param {T[]} list the largest first
 * @param {Area} area
 * @returns {(Area & { of: T })[]}
 */
export function squares(list, { x, y, width, height }) {
  const places = [];
  let left = sizeOf(list);
  for (let at = 0; at < list.length && left > 0;) {
    const isBeside = width >= height;
    const [side, scale] = [Math.min(width, height), (width * height) / left];
    let [end, sum, worst] = [at, 0, Infinity];
    for (; end < list.length; end++) {
      const [largest, smallest, all] = [list[at]?.size ?? 0, list[end]?.size ?? 0, sum + (list[end]?.size ?? 0)];
      const thick = (all * scale) / side;
      const ratio = Math.max((largest * scale) / thick ** 2, thick ** 2 / (smallest * scale));
      if (ratio > worst) break;
      [sum, worst] = [all, ratio];
    }
    const thick = (sum * scale) / side;
    let along = isBeside ? y : x;
    for (const of of list.slice(at, end)) {
      const length = (of.size / sum) * side;
      places.push(
        isBeside
          ? { of, x, y: along, width: thick, height: length }
          : { of, x: along, y, width: length, height: thick },
      );
      along += length;
    }
    if (isBeside) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
    [at, left] = [end, left - sum];
  }
  return places;
}
