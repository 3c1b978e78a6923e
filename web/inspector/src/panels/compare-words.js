/**
 * The words that a person reads for the names of sections, items and members in a comparison; `cpb diff` shows the same
 * (src/cli/show/diff_item.c).
 */
import { brief, count, plain, shape } from '../format.js';

/** Names that say too little by themselves. @type {Record<string, string>} section, or section and item */
const TITLES = { ops: 'kinds of operations', 'overview ops': 'operations' };

/** The same of members. @type {Record<string, string>} */
const MEMBERS = {
  'ops count': 'used',
  'ops in_graph': 'in the graph',
  'ops in_functions': 'in functions',
  'overview ops total': 'kinds that the exporter lists',
  'overview total': '',
};

/** Sections whose items are facts, with names of ours. */
const FACTS = ['overview', 'tag'];

/** Up to the first dot a name is ours, not the model's. @param {string} name */
const spaced = (name) => name.replace(/^[^.]*/, (ours) => ours.replaceAll('_', ' '));

/** @param {string} section */
export const sectionWords = (section) => TITLES[section] ?? spaced(section);

/** @param {string} section @param {string} name */
export function itemWords(section, name) {
  if (section === 'opset_imports') return name || 'ai.onnx';
  return FACTS.includes(section) ? (TITLES[`${section} ${name}`] ?? spaced(name)) : name;
}

/** @param {string} section @param {string} item @param {string} member */
export function memberWords(section, item, member) {
  if (section === 'overview' && member.startsWith('kinds.')) return `${spaced(member.slice(6))}s`;
  return MEMBERS[`${section} ${item} ${member}`] ?? MEMBERS[`${section} ${member}`] ?? spaced(member);
}

/** Whether the numbers of a member are counts. @param {string} section @param {string} member */
export const isCount = (section, member) =>
  ['overview', 'ops'].includes(section) || ['parameters', 'trainable_parameters'].includes(member);

/** Sizes may have names, or be ranges; a list of only names is not a shape. @param {any[]} list */
const isShape = (list) =>
  list.every((d) => d === null || ['number', 'string'].includes(typeof d)) &&
  !(list.length && list.every((d) => typeof d === 'string'));

/** Shapes are in brackets, even if all sizes are names. @param {string} member @param {any[]} values */
export const areShapes = (member, ...values) => member.endsWith('shape') && values.some(Array.isArray);

/**
 * A value on one line: shapes and tensors in the usual form, an object by its members.
 *
 * @param {any} value
 * @param {boolean} [counts]
 * @returns {string} '' for none
 */
export function valueWords(value, counts) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return counts ? count(value) : String(value);
  if (Array.isArray(value)) return isShape(value) ? shape(value) : value.map((one) => valueWords(one)).join(', ');
  if (typeof value !== 'object') return plain(value);
  const { name, dtype, shape: dimensions, ...others } = value;
  const tensor = dtype && dimensions !== undefined;
  const members = Object.entries(tensor ? others : value)
    .map(([key, one]) => [key, valueWords(one)])
    .filter(([, words]) => words)
    .map(([key, words]) => `${plain(key)} ${words}`);
  const first = tensor ? [[name && plain(name), brief(value)].filter(Boolean).join(' ')] : [];
  return [...first, ...members].join(', ');
}
