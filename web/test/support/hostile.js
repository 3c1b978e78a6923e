/** SavedModels that nobody would write, and what is said of them (tests/data/README.md). */
import { data } from './test.js';

/** @typedef {number | string | Field[] | { hex: string }} Value */
/** @typedef {[number, Value]} Field */

/**
 * @typedef {object} Hostile
 * @property {string} name
 * @property {File} file
 * @property {{ ask: [string, string?], has: Record<string, unknown> }[]} answers and what of each
 *   is known, by the path of the member
 * @property {string[]} [problems] that are told
 */

/** @param {bigint} value @returns {number[]} */
const varint = (value) => (value < 128n ? [Number(value)] : [Number(value % 128n) + 128, ...varint(value / 128n)]);

/** @param {Value} value @returns {number[]} */
function contentOf(value) {
  if (typeof value === 'string') return [...new TextEncoder().encode(value)];
  if (Array.isArray(value)) return value.flatMap(encode);
  const { hex } = /** @type {{ hex: string }} */ (value);
  return (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
}

/** @param {Field} field */
function encode([number, value]) {
  const tag = BigInt(number) * 8n;
  if (typeof value === 'number') return [...varint(tag), ...varint(BigInt.asUintN(64, BigInt(value)))];
  const content = contentOf(value);
  return [...varint(tag + 2n), ...varint(BigInt(content.length)), ...content];
}

/** @returns {Promise<Hostile[]>} */
export async function hostileModels() {
  const text = new TextDecoder().decode(await data('tests/data/hostile_models.json'));
  return JSON.parse(text).cases.map((/** @type {any} */ { message, ...rest }) => ({
    ...rest,
    file: new File([Uint8Array.from(contentOf(message))], 'saved_model.pb'),
  }));
}
