/** Names of tensors, and the shapes that TensorFlow noted for them. */

/** @typedef {(number | string | null)[] | null} Shape null where the rank is not known; of ONNX sizes have names */
/** A node's output: its number, or its name and number. @typedef {{ name: string, output?: string, index: number }} Tensor */

/**
 * What an input such as 'a/b', 'a/b:1' or, in a function, 'a/b:output:1' names.
 *
 * @param {string} input
 * @returns {Tensor}
 */
export function tensorNamed(input) {
  const [name = '', ...rest] = input.replace(/^\^/, '').split(':');
  const index = Number(rest.pop() ?? 0);
  return { name, output: rest[0], index: Number.isInteger(index) ? index : 0 };
}

/** Outputs that are the first one of their operation, where it has several. */
const FIRST = new Set(['y', 'output', 'outputs', 'values', 'output_values', 'components', 'handle']);

/** @param {{ attributes: any[] } | undefined} node @param {string} name */
export const attribute = (node, name) => node?.attributes.find((one) => one.name === name)?.value;

/** A list of shapes, as the answers `nodes` have it. @param {unknown} list @returns {Shape[]} */
const shapes = (list) => (Array.isArray(list) ? list.filter((one) => one === null || Array.isArray(one)) : []);

/**
 * The shape of one output of a node, or undefined if nothing says it.
 *
 * @param {{ attributes: any[], op?: string } | undefined} node
 * @param {{ output?: string, index: number }} tensor
 * @returns {Shape | undefined}
 */
export function shapeOf(node, { output, index }) {
  const all = shapes(attribute(node, '_output_shapes'));
  if (!all.length) {
    const { shape } = attribute(node, 'value') ?? {};
    return shape === undefined ? undefined : shape;
  }
  if (output === undefined || index > 0 || all.length === 1 || FIRST.has(output)) return all[index];
  // Which of several outputs has this name, only the operation's definition says.
  const same = all.every((one) => JSON.stringify(one) === JSON.stringify(all[0]));
  return same ? all[0] : undefined;
}

/** ?×7×7×1280, or '' where nothing is known. @param {Shape | undefined} shape */
export function times(shape) {
  if (!shape) return '';
  return shape.length > 1 ? shape.map((one) => one ?? '?').join('×') : shape.length ? `[${shape[0] ?? '?'}]` : 'scalar';
}

/** Beginnings of TensorFlow's names, and ND4J's names. @type {Record<string, string>} */
const SHORT = { float: 'f', int: 'i', uint: 'u', bfloat: 'bf', complex: 'c' };
/** @type {Record<string, string>} */
const ND4J = { FLOAT: 'f32', DOUBLE: 'f64', HALF: 'f16', LONG: 'i64', INT: 'i32', UTF8: 'string' };

/** float32 is f32. @param {string | null | undefined} dtype */
const shortType = (dtype) =>
  ND4J[dtype ?? ''] ??
  String(dtype ?? '?')
    .toLowerCase()
    .replace(/^(float|bfloat|uint|int|complex)(?=\d)/, (name) => SHORT[name] ?? name);

/**
 * A type that is no tensor, as sequence(f32[?]).
 *
 * @param {any} type
 * @param {(type: any) => string} show what it is made of
 * @returns {string}
 */
export function composed(type, show) {
  const [[name, of] = ['', {}]] = Object.entries(type);
  if (name === 'map') return `map(${[shortType(of.key), of.value && show(of.value)].filter(Boolean).join(' → ')})`;
  if (name === 'image') return `image[${of.color},${of.width}x${of.height}]`;
  return name === 'opaque' ? [of.domain, of.name].filter(Boolean).join('.') : `${name}(${show(of)})`;
}

/** f32[?,7,7,1280]. @param {{ dtype?: string | null, shape?: Shape, type?: any }} tensor @returns {string} */
export const typed = ({ dtype, shape, type }) =>
  type ? composed(type, typed) : `${shortType(dtype)}${shape ? `[${shape.map((one) => one ?? '?').join(',')}]` : ''}`;

/** @param {Shape | undefined} shape */
export const elements = (shape) =>
  (shape ?? [0]).reduce((/** @type {number} */ all, one) => all * (Number(one) || 0), 1);

/** Texts longer than this are not shown in place. */
const LONG = 36;

/** @param {any} value of a preview */
const shown = (value) =>
  typeof value === 'string' || value?.text !== undefined ? JSON.stringify(value.text ?? value) : String(value);

/** A constant's value if that is short, else its type. @param {any} tensor */
export function valueOf(tensor) {
  const { preview, preview_more: more, shape } = tensor ?? {};
  if (!Array.isArray(preview) || more || !shape || shape.length > 1) return typed(tensor ?? {});
  const text = shape.length ? `[${preview.map(shown).join(', ')}]` : shown(preview[0] ?? '');
  return text.length > LONG ? typed(tensor) : text;
}
