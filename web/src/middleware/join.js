/** @import { Range } from '../types.js' */

/**
 * Joins ranges that are close to each other: groups in file order, each with the range that
 * covers all its members.
 *
 * @template {Range} T @param {T[]} ranges @param {import('./coalesce.js').CoalesceOptions} [options]
 * @returns {(Range & { members: T[] })[]}
 */
export function join(ranges, { gap = 16 << 10, maxBytes = 8 << 20 } = {}) {
  /** @type {(Range & { members: T[] })[]} */
  const groups = [];
  for (const range of [...ranges].sort((a, b) => a.offset - b.offset)) {
    const group = groups.at(-1);
    const length = group && Math.max(group.length, range.offset + range.length - group.offset);
    if (
      group &&
      length !== undefined &&
      range.offset <= group.offset + group.length + gap &&
      (length <= maxBytes || length === group.length)
    ) {
      group.length = length;
      group.members.push(range);
    } else {
      groups.push({ offset: range.offset, length: range.length, members: [range] });
    }
  }
  return groups;
}
