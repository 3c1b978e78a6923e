/** Parts of a scope that has too many children to draw: some that follow one another are a box, which opens as a scope. */
import { linesOf } from './held.js';
import { summary } from './op-kinds.js';

/** Children in a part, and the most parts of a scope. */
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
