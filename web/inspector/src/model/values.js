/** What is in one array: statistics, a histogram, a picture; the values themselves stay here. */

/** Bars of the histogram, lines of the picture, values that are shown. */
const [BARS, LINES, FIRST] = [64, 512, 64];
/** Rows of the picture are this long. */
const [NARROW, WIDE] = [4, 2048];

/** @type {Record<string, (buffer: ArrayBuffer) => ArrayLike<number | bigint>>} */
const readers = {
  float32: (b) => new Float32Array(b),
  float64: (b) => new Float64Array(b),
  int8: (b) => new Int8Array(b),
  uint8: (b) => new Uint8Array(b),
  int16: (b) => new Int16Array(b),
  uint16: (b) => new Uint16Array(b),
  int32: (b) => new Int32Array(b),
  uint32: (b) => new Uint32Array(b),
  int64: (b) => new BigInt64Array(b),
  uint64: (b) => new BigUint64Array(b),
  bool: (b) => new Uint8Array(b),
  float16: (b) => Float32Array.from(new Uint16Array(b), half),
  bfloat16: (b) => Float32Array.from(new Uint16Array(b), brain),
};

/** What NumPy calls the types above. @type {Record<string, string>} */
const numpy = {
  '<f4': 'float32', '<f8': 'float64', '|i1': 'int8', '|u1': 'uint8', '<i2': 'int16', '<u2': 'uint16', '<i4': 'int32',
  '<u4': 'uint32', '<i8': 'int64', '<u8': 'uint64', '|b1': 'bool', '<f2': 'float16', '|V2': 'bfloat16',
};

/** @param {number} bits */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

const word = new DataView(new ArrayBuffer(4));
/** @param {number} bits */
const brain = (bits) => (word.setUint16(0, bits), word.getFloat32(0));

/** Fields of TensorProto that hold varints. */
const VARINTS = /^(int|int64|bool|half|uint32|uint64)_val$/;

/** @param {Uint8Array} bytes @param {string} dtype */
function fromVarints(bytes, dtype) {
  const values = [];
  let [value, shift] = [0n, 0n];
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte & 128) continue;
    values.push(Number(dtype.startsWith('uint') ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value)));
    [value, shift] = [0n, 0n];
  }
  if (dtype === 'float16') return values.map(half);
  return dtype === 'bfloat16' ? values.map(brain) : values;
}

/**
 * @param {any} model
 * @param {any} tensor as the answers `constants` has it
 * @param {AbortSignal} signal
 * @returns {Promise<ArrayLike<number | bigint> | undefined>} undefined: no numbers
 */
async function numbersOf(model, tensor, signal) {
  if (!tensor.values) {
    const array = await model.values(tensor.name, { signal });
    const bytes = await array.bytes({ signal });
    return readers[numpy[array.numpy] ?? '']?.(bytes.slice().buffer);
  }
  const { offset, size } = tensor.values;
  const bytes = await model.message.read(offset, size, { signal });
  return VARINTS.test(tensor.field) ? fromVarints(bytes, tensor.dtype) : readers[tensor.dtype]?.(bytes.slice().buffer);
}

/** @param {ArrayLike<number | bigint>} values */
function statistics(values) {
  let [low, high, sum, squares, finite] = [Infinity, -Infinity, 0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
    if (!Number.isFinite(v)) continue;
    finite++;
    low = Math.min(low, v);
    high = Math.max(high, v);
    sum += v;
  }
  const mean = sum / finite;
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
    if (Number.isFinite(v)) squares += (v - mean) ** 2;
  }
  return { finite, low, high, mean, deviation: Math.sqrt(squares / finite) };
}

/** @param {ArrayLike<number | bigint>} values @param {number} low @param {number} high */
function histogram(values, low, high) {
  const bars = Array.from({ length: BARS }, () => 0);
  const step = (high - low || 1) / BARS;
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
    if (Number.isFinite(v)) bars[Math.min(BARS - 1, Math.floor((v - low) / step))]++;
  }
  return bars;
}

/**
 * Grey levels of a matrix, or of what the last two dimensions are together.
 *
 * @param {ArrayLike<number | bigint>} values
 * @param {number} width
 * @param {number} low
 * @param {number} high
 */
function picture(values, width, low, high) {
  const height = Math.min(LINES, Math.floor(values.length / (width || 1)));
  if (width < NARROW || width > WIDE || height < NARROW) return undefined;
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i++) {
    const level = (255 * (Number(values[i]) - low)) / (high - low || 1);
    pixels.set([level, level, level, 255], 4 * i);
  }
  return { width, height, pixels };
}

/**
 * @typedef {object} Shown
 * @property {number} count
 * @property {number} finite how many of them are finite; the following are about these
 * @property {number} low
 * @property {number} high
 * @property {number} mean
 * @property {number} deviation
 * @property {number[]} bars how many are in each part of what is between low and high
 * @property {number[]} first
 * @property {{ width: number, height: number, pixels: Uint8ClampedArray } | undefined} picture
 */

/**
 * @param {any} model
 * @param {any} tensor
 * @param {AbortSignal} signal
 * @returns {Promise<Shown>}
 */
export async function shownOf(model, tensor, signal) {
  const values = await numbersOf(model, tensor, signal);
  if (!values) throw new Error(`values of type ${tensor.dtype} are not shown`);
  const about = statistics(values);
  return {
    count: values.length,
    ...about,
    bars: about.finite ? histogram(values, about.low, about.high) : [],
    first: Array.from({ length: Math.min(FIRST, values.length) }, (_, i) => Number(values[i])),
    picture: about.finite ? picture(values, tensor.shape?.at(-1) ?? 0, about.low, about.high) : undefined,
  };
}
