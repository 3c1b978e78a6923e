/** How a node makes real values of quantized weights, as the core tells it. */

/** @typedef {{ by: string, scale: number | string, zero?: number | string, axis?: number }} QuantizedBy */

/** Types that may be quantized. */
const SMALL = /^u?int(2|4|8|16|32)$|^float8/i;

/** Consumers to look at. */
const CONSUMERS = 8;

/**
 * @param {(question: string, options: any) => Promise<any>} ask
 * @param {any} tensor
 * @returns {Promise<QuantizedBy | undefined>} undefined: it is not quantized, or in a way that is not known here
 */
export async function quantizedBy(ask, { node, name = node, function: scope, dtype, shape }) {
  if (!name || !SMALL.test(dtype ?? '') || !shape) return undefined;
  const { consumers } = await ask('consumers', { name, ...(scope && { scope }), count: CONSUMERS });
  const found = consumers.items.find((/** @type {any} */ one) => one.quantized?.scale !== undefined);
  if (!found) return undefined;
  const { scale, zero_point: zero, axis } = found.quantized;
  return { by: found.name, scale, zero, axis };
}
