/** Colours of boxes: by kind of operation, by element type, or by number of parameters; and what they mean. */
import { counted, plain } from '../format.js';
import { kindOf } from '../model/op-kinds.js';
import { typed } from '../model/tensors.js';

/** @import { Group } from '../model/gather.js' */

/** @typedef {{ of: (group: Group) => string | undefined, legend: [colour: string, meaning: string][] }} Colours */

/** @type {Record<string, [colour: string, meaning: string]>} */
const KINDS = {
  weigh: ['#3f7fe0', 'products, convolutions'],
  norm: ['#2f9a72', 'normalization'],
  act: ['#c2553f', 'activation'],
  pool: ['#8a6bd1', 'reduction'],
  form: ['#8b94a3', 'shape and type'],
  call: ['#c08a1e', 'calls, branches'],
};
/** For types, the most frequent first. */
const TYPES = ['#3f7fe0', '#c08a1e', '#2f9a72', '#8a6bd1', '#c2553f', '#8b94a3'];
/** For numbers of parameters, the largest first: each has a tenth of the one before. */
const SIZES = ['#c2553f', '#c08a1e', '#2f9a72', '#3f7fe0', '#8b94a3'];

const isColoured = (/** @type {Group} */ { is }) => is === 'node' || is === 'scope';

/** @param {Group} group */
const kindIn = ({ is, label, op }) => (is === 'scope' && /norm/i.test(label) ? 'norm' : kindOf(op));

/** @param {Group[]} groups @returns {Colours} */
function byKind(groups) {
  const used = new Set(groups.map(kindIn));
  return {
    of: (group) => KINDS[kindIn(group)]?.[0],
    legend: Object.entries(KINDS).flatMap(([kind, meaning]) => (used.has(kind) ? [meaning] : [])),
  };
}

/** @param {Group[]} groups @returns {Colours} */
function byType(groups) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { dtype } of groups) if (dtype) counts.set(dtype, (counts.get(dtype) ?? 0) + 1);
  const types = [...counts].sort(([, a], [, b]) => b - a).map(([dtype]) => dtype);
  const colour = (/** @type {string} */ dtype) => TYPES[types.indexOf(dtype)] ?? TYPES.at(-1) ?? '';
  return {
    of: ({ dtype }) => (dtype ? colour(dtype) : undefined),
    legend: types.slice(0, TYPES.length).map((dtype) => [colour(dtype), plain(typed({ dtype }))]),
  };
}

/** @param {Group[]} groups @returns {Colours} */
function bySize(groups) {
  const most = 10 ** Math.floor(Math.log10(Math.max(1, ...groups.map(({ weight = 0 }) => weight))));
  const step = (/** @type {number} */ n) => Math.min(SIZES.length - 1, Math.max(0, Math.ceil(Math.log10(most / n))));
  const used = new Set(groups.flatMap(({ weight }) => (weight ? [step(weight)] : [])));
  return {
    of: ({ weight }) => (weight ? SIZES[step(weight)] : undefined),
    legend: SIZES.flatMap((colour, i) => {
      const least = i < SIZES.length - 1 ? most / 10 ** i : 0;
      return used.has(i) ? [[colour, least >= 1 ? `from ${counted(least, 'parameter')}` : 'fewer']] : [];
    }),
  };
}

/**
 * The choices, by their names in the view.
 *
 * @type {Record<string, [title: string, colours: (groups: Group[]) => Colours]>}
 */
export const colourings = {
  kind: ['operation', byKind],
  type: ['type', byType],
  size: ['parameters', bySize],
};

/** @param {string | undefined} name @param {Group[]} groups @returns {Colours} */
export function coloursOf(name, groups) {
  const [, colours] = colourings[name ?? ''] ?? ['', byKind];
  const { of, legend } = colours(groups.filter(isColoured));
  return { of: (group) => (isColoured(group) ? of(group) : undefined), legend };
}
