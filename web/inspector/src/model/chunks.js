/** The chunks of a file, and bytes of one of them. */

/** @import { Message } from 'libcpb' */

/** @typedef {{ signal: AbortSignal }} Signal */

/** @param {Message} message @param {{ first: number, count: number }} page */
export function chunksOf(message, { first, count }) {
  const total = message.numChunks;
  const length = Math.max(0, Math.min(count, total - first));
  const items = Array.from({ length }, (_, i) => {
    const { index, type, size, position, file } = message.chunk(first + i);
    return { index, type, size, position, file };
  });
  return { total, first, items };
}

/**
 * Bytes of a chunk, and how it is stored; without a chunk, of the message itself.
 *
 * @param {Message} message
 * @param {{ chunk?: number, offset: number, length: number }} range
 * @param {Signal} how
 */
export async function chunkBytes(message, { chunk: index, offset, length }, { signal }) {
  if (index === undefined) {
    const [bytes, size] = [await message.read(offset, length, { signal }), await message.messageSize({ signal })];
    return { bytes, size };
  }
  const chunk = message.chunk(index);
  const stored = await chunk.stored({ signal });
  const bytes = await chunk.read(offset, length, { signal });
  const other = chunk.file > 0 ? (await message.files())[chunk.file - 1]?.name : undefined;
  return { bytes, size: stored.size, stored, type: chunk.type, position: chunk.position, other };
}
