/** Protobuf's wire format, to make models of: a message is a list of [field, value]. */

/** @typedef {[field: number, value: number | string | Uint8Array | Field[]]} Field */

/** @param {number[]} out @param {number} value */
function varint(out, value) {
  for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  out.push(value);
}

/** @param {Uint8Array[]} parts */
function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** @param {Field[]} fields @returns {Uint8Array<ArrayBuffer>} */
export function message(fields) {
  return joined(
    fields.flatMap(([field, value]) => {
      /** @type {number[]} */
      const head = [];
      varint(head, field * 8 + (typeof value === 'number' ? 0 : 2));
      if (typeof value === 'number') {
        varint(head, value);
        return [Uint8Array.from(head)];
      }
      const body = Array.isArray(value)
        ? message(value)
        : typeof value === 'string'
          ? new TextEncoder().encode(value)
          : value;
      varint(head, body.length);
      return [Uint8Array.from(head), body];
    }),
  );
}
