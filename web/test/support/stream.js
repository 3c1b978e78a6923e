/**
 * All bytes of a stream. `new Response(stream).arrayBuffer()` would do, but in
 * browsers hides a stream's error behind one of its own.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function collect(stream) {
  const parts = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value.slice());
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
