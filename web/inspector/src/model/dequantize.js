/** The real values of quantized weights: (q - zero point) * scale, as the node that takes them computes it. */

/** @typedef {{ name: string, tensor?: { offset: number, size: number }, shape: number[] }} Parameter */
/** @typedef {{ by: string, scale: Parameter, zero?: Parameter, axis: number }} Scales */

/** Types that may be quantized. */
const SMALL = /^u?int(2|4|8|16|32)$|^float8/i;

/** Consumers to look at. */
const CONSUMERS = 8;

/** Names of roles, after the one of the data. @type {[scale: RegExp, zero: RegExp]} */
const ROLES = [/^_?scale$/, /^_?zero_point$/];

/** @param {any} one an input of a node, or a tensor among its attributes @returns {Parameter} */
const parameter = ({ name, tensor, shape }) => ({ name, tensor, shape });

/** The axis of scales in one dimension. @param {any} node @param {string} role @param {number} rank */
function axisOf({ op, attributes }, role, rank) {
  const { value } = attributes.find((/** @type {any} */ one) => one.name === 'axis') ?? {};
  const axis = value?.preview?.[0] ?? value;
  if (typeof axis === 'number') return axis < 0 ? axis + rank : axis;
  return op === 'DequantizeLinear' ? 1 : role === 'w' ? 0 : rank - 1;
}

/** The inputs of an ONNX node with roles such as w, w_scale and w_zero_point. @param {any} node @param {string} name @param {number} rank @returns {Scales | undefined} */
function amongInputs(node, name, rank) {
  const role = node.from.find((/** @type {any} */ one) => one.value === name)?.role?.toLowerCase();
  if (!role) return undefined;
  const [scale, zero] = ROLES.map((wanted) =>
    node.from.find(
      (/** @type {any} */ one) => one.role?.startsWith(`${role}_`) && wanted.test(one.role.slice(role.length)),
    ),
  );
  if (!scale?.shape) return undefined;
  return {
    by: node.name,
    scale: parameter(scale),
    zero: zero && parameter(zero),
    axis: axisOf(node, role, rank),
  };
}

/** The parameters of a Core ML operation that holds quantized data. @param {any} node @param {number} rank @returns {Scales | undefined} */
function amongAttributes(node, rank) {
  if (!/^constexpr_(affine_dequantize|blockwise_shift_scale)$/.test(node.op)) return undefined;
  const [scale, zero] = [/^scale$/, /^(zero_point|offset)$/].map((name) => {
    const { name: of, value } = node.attributes.find((/** @type {any} */ one) => name.test(one.name)) ?? {};
    return value && { ...value, name: `${node.name}:${of}` };
  });
  return (
    scale && { by: node.name, scale: parameter(scale), zero: zero && parameter(zero), axis: axisOf(node, '', rank) }
  );
}

/**
 * @param {(question: string, options: any) => Promise<any>} ask
 * @param {any} tensor
 * @returns {Promise<Scales | undefined>} undefined: it is not quantized, or in a way that is not known here
 */
export async function scalesOf(ask, { node, name = node, function: scope, dtype, shape }) {
  if (!name || !SMALL.test(dtype ?? '') || !shape) return undefined;
  const options = scope ? { scope } : {};
  const [, holder] = /^(.*):(?:quantized_)?data$/.exec(name) ?? [];
  if (holder) return amongAttributes(await ask('node', { name: holder, ...options }), shape.length);
  const { consumers } = await ask('consumers', { name, ...options, count: CONSUMERS });
  for (const one of consumers.items) {
    if (one.is !== 'node' || !/quant|QLinear|QGemm/i.test(one.op ?? '')) continue;
    const found = amongInputs(await ask('node', { name: one.name, ...options }), name, shape.length);
    if (found) return found;
  }
  return undefined;
}

/**
 * The place of each element's parameter: along the axis, or in blocks of dimensions.
 *
 * @param {number[]} shape @param {number[]} of the parameter's @param {number} axis
 * @returns {(i: number) => number}
 */
function placing(shape, of, axis) {
  const all = of.reduce((n, size) => n * size, 1);
  if (all === 1) return () => 0;
  const full = of.length === shape.length ? of : shape.map((_, i) => (i === axis ? all : 1));
  const blocks = full.map((size, i) => Math.ceil(Number(shape[i]) / Math.max(1, size)));
  return (i) => {
    let [place, step] = [0, 1];
    for (let d = shape.length - 1; d >= 0; d--) {
      const size = Number(shape[d]);
      place += step * Math.floor((i % size) / Number(blocks[d]));
      step *= Number(full[d]);
      i = Math.floor(i / size);
    }
    return place;
  };
}

/**
 * @param {ArrayLike<number | bigint>} values in row-major order
 * @param {number[]} shape
 * @param {Scales} scales
 * @param {ArrayLike<number | bigint>} scale @param {ArrayLike<number | bigint>} [zero]
 */
export function realValues(values, shape, scales, scale, zero) {
  const real = new Float32Array(values.length);
  const scaleAt = placing(shape, scales.scale.shape, scales.axis);
  const zeroAt = placing(shape, scales.zero?.shape ?? [], scales.axis);
  for (let i = 0; i < real.length; i++)
    real[i] = (Number(values[i]) - Number(zero?.[zeroAt(i)] ?? 0)) * Number(scale[scaleAt(i)]);
  return real;
}
