/** A zip archive, as small as can be. */

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** DEFLATE's blocks that are not compressed. @param {Uint8Array} bytes */
function deflate(bytes) {
  const blocks = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 0xffff) {
    const block = bytes.subarray(at, at + 0xffff);
    const last = Number(at + 0xffff >= bytes.length);
    blocks.push(new Uint8Array([last, ...numbers(2, block.length), ...numbers(2, 0xffff - block.length)]), block);
  }
  return join(blocks);
}

/** @param {number} size @param {...number} values */
const numbers = (size, ...values) =>
  values.flatMap((value) => Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** i) & 0xff));

/** @param {Uint8Array[]} parts */
function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * @param {Record<string, Uint8Array>} files
 * @param {boolean} deflated
 */
export function zip(files, deflated) {
  const parts = [];
  const records = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const text = new TextEncoder().encode(name);
    const packed = deflated ? deflate(content) : content;
    const sizes = [crc32(content), packed.length, content.length];
    const about = [
      ...numbers(2, 20, 0, deflated ? 8 : 0, 0, 33),
      ...numbers(4, ...sizes),
      ...numbers(2, text.length, 0),
    ];
    const local = join([new Uint8Array([0x50, 0x4b, 3, 4, ...about]), text, packed]);
    const place = [...numbers(2, 0, 0, 0), ...numbers(4, 0, at)];
    records.push(new Uint8Array([0x50, 0x4b, 1, 2, ...numbers(2, 20), ...about, ...place]), text);
    parts.push(local);
    at += local.length;
  }
  const directory = join(records);
  const count = parts.length;
  const end = [...numbers(2, 0, 0, count, count), ...numbers(4, directory.length, at), ...numbers(2, 0)];
  return join([...parts, directory, new Uint8Array([0x50, 0x4b, 5, 6, ...end])]);
}
