/** Names of tensors, and short forms of their types and values. */

/** @typedef {(number | string | null)[] | null} Shape null if the rank is unknown; ONNX has named sizes */
/**
 * A node's output: its number, or its name and number.
 *
 * @typedef {{ name: string, output?: string, index: number }} Tensor
 */

/**
 * The output that an input such as 'a/b', 'a/b:1' or, in a function, 'a/b:output:1' refers to.
 *
 * @param {string} input @returns {Tensor}
 */
export function tensorNamed(input) {
  const [name = '', ...rest] = input.replace(/^\^/, '').split(':');
  const index = Number(rest.pop() ?? 0);
  return { name, output: rest[0], index: Number.isInteger(index) ? index : 0 };
}

/** @param {{ attributes: any[] } | undefined} node @param {string} name */
export const attribute = (node, name) => node?.attributes.find((one) => one.name === name)?.value;

/** ?×7×7×1280, or '' if nothing is known. @param {Shape | undefined} shape */
export function times(shape) {
  if (!shape) return '';
  return shape.length > 1 ? shape.map((one) => one ?? '?').join('×') : shape.length ? `[${shape[0] ?? '?'}]` : 'scalar';
}

/** Short names of types, as in f32[?,3]; also ND4J's. @type {Record<string, string>} */
const SHORT = {
  float: 'f32',
  double: 'f64',
  half: 'f16',
  long: 'i64',
  int: 'i32',
  bfloat16: 'bf16',
  complex64: 'c64',
  complex128: 'c128',
  utf8: 'string',
};

/** @param {string | null | undefined} dtype */
const shortType = (dtype) =>
  SHORT[dtype?.toLowerCase() ?? ''] ??
  (dtype ?? '?').toLowerCase().replace(/^(u?)(int|float)(\d+)(?=$|_)/, (_, u, kind, bits) => (u || kind[0]) + bits);

/** An element type; of any rank, if the rank is unspecified. @param {any} tensor */
const inner = (tensor) => `${typed(tensor)}${tensor.shape === null ? '[*]' : ''}`;

/** A type of ONNX or Core ML other than a tensor, as sequence(f32[?]). @param {any} type @returns {string} */
function composed(type) {
  const [[name, of] = ['', {}]] = Object.entries(type);
  if (name === 'map') return `map(${[shortType(of.key), of.value && inner(of.value)].filter(Boolean).join(' → ')})`;
  if (name === 'image') return `image[${of.color},${of.width}x${of.height}]`;
  return name === 'opaque' ? [of.domain, of.name].filter(Boolean).join('.') : `${name}(${inner(of)})`;
}

/** f32[?,7,7,1280]. @param {{ dtype?: string | null, shape?: Shape, type?: any }} tensor @returns {string} */
export const typed = ({ dtype, shape, type }) =>
  type ? composed(type) : `${shortType(dtype)}${shape ? `[${shape.map((one) => one ?? '?').join(',')}]` : ''}`;

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
