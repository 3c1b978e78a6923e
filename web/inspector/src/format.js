/** Numbers, shapes and types as people read them. */
import { kinds } from './model/kinds.js';
import { typed } from './model/tensors.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** @param {number | string} bytes a text for numbers beyond JavaScript's precision */
export function size(bytes) {
  if (typeof bytes === 'string') return `${bytes} B`;
  let unit = 0;
  while (bytes >= 1024 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${bytes.toLocaleString('en', { maximumFractionDigits: unit && bytes < 100 ? 1 : 0 })} ${UNITS[unit]}`;
}

/** @param {number | string} n a text as of `size` */
export const count = (n) => n.toLocaleString('en');

/**
 * As the command writes it: * is any rank.
 *
 * @param {import('./model/tensors.js').Shape | undefined} dimensions null: the rank is not known
 */
export const shape = (dimensions) => (dimensions ? `[${dimensions.map((d) => d ?? '?').join(',')}]` : '[*]');

/** A shape, or a list or object of shapes, in Keras's form. @param {any} value @returns {string} */
export function shapes(value) {
  if (!Array.isArray(value)) return plain(JSON.stringify(value));
  return value.every((d) => d === null || typeof d === 'number') ? shape(value) : value.map(shapes).join(', ');
}

/**
 * A tensor in short, as f32[?,224,224,3] or f32[*]; or a `type` that is made of others.
 *
 * @param {{ dtype?: string | null, shape?: import('./model/tensors.js').Shape, type?: any }} tensor
 */
export const brief = (tensor) => `${typed(tensor)}${tensor.type || tensor.shape ? '' : '[*]'}`;

/** A part of a whole, in percent. @param {number} part @param {number} whole */
export function percent(part, whole) {
  const value = whole ? (100 * part) / whole : 0;
  return value > 0 && value < 0.1 ? '< 0.1 %' : `${value.toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}

/** @param {number | string} n @param {string} one @param {string} [many] */
export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** Characters that are invisible, or would reverse the text after them: controls, marks of direction. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A model's text, with hidden characters made visible. @param {unknown} text */
export const plain = (text) => String(text ?? '').replace(UNSEEN, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);

const COUNTED =
  /(^|[ (])(\d{4,})(?= (?:bytes|chunks|elements|entries|files|more|nodes|records|slices|strings|variables|are|steps)(?![a-z]))/g;

/** An engine's message, with separators in byte counts, other counts and offsets. @param {unknown} text */
export const told = (text) =>
  plain(text)
    .replace(COUNTED, (_, before, digits) => before + grouped(digits))
    .replace(/(?<=\bbytes? )\d{4,}/gi, grouped);

/** @param {string} digits */
const grouped = (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/** The name of a kind of model. @param {string} kind */
export const kindName = (kind) => kinds[kind]?.label ?? kind;

/** The value of an attribute as text. @param {any} value @returns {string} */
export function attributeText(value) {
  if (typeof value === 'string') return value;
  if (value?.omitted) return `${count(value.omitted.size)} bytes`;
  if (typeof value?.function === 'string') return value.function;
  if (typeof value?.graph === 'string') return `${value.graph || 'a graph'}, ${counted(value.nodes, 'node')}`;
  if (value?.type) return typed(value);
  if (value?.dtype && 'shape' in value) return typed(value);
  if (Array.isArray(value) && value.length && value.every((one) => one === null || Array.isArray(one)))
    return value.map((one) => `[${one?.map((/** @type {any} */ d) => d ?? '?').join(', ') ?? '…'}]`).join(', ');
  return Array.isArray(value)
    ? `[${value
        .map((one) => one ?? '?')
        .map(attributeText)
        .join(', ')}]`
    : JSON.stringify(value);
}
