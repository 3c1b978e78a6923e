/**
 * In Deno, with its types and its permissions: the largest chunks of a model, and one
 * of them written to a file as it arrives.
 *
 *     deno run --allow-net --allow-read --allow-write deno.ts URL|FILE [CHUNK OUT]
 *
 * `libcpb` is `npm:libcpb` where there is no package.json or import map that says so.
 */
import { type Chunk, open } from 'libcpb';

const [input, index, out] = Deno.args;
// A string is a URL or else a path.
using model = await open(input);

const chunks: Chunk[] = [...model.chunks()].sort((a, b) => b.size - a.size);
for (const { index, type, size } of chunks.slice(0, 10)) console.log(index, type, size);

if (out) {
  const file = await Deno.create(out);
  // Its hash is checked: if it is wrong, the stream ends with an error.
  await model.chunk(Number(index)).stream().pipeTo(file.writable);
}
console.log(`${model.transferred.requests} reads, ${model.transferred.bytes} bytes`);
