/**
 * A model on an HTTP server, read by range from Node. Any server will do that answers
 * range requests: nginx, Caddy, a CDN, a signed URL of an object store.
 *
 *     node node-http.js URL FIELD [ORIGINAL]
 *
 * With the .pb that was split it compares what it read with that.
 */
import { readFile } from 'node:fs/promises';
import { open } from 'libcpb';

const [url = '', path = '', original] = process.argv.slice(2);

// One request for the end of the file, where the index is.
const model = await open(url);
let before = { requests: 0, bytes: 0 };

/** Prints what was done, and what it took. @param {string} what */
function report(what) {
  const { requests, bytes } = model.transferred;
  const cost = [requests - before.requests, bytes - before.bytes];
  const [count, size] = cost.map((n) => n.toLocaleString('en').padStart(12));
  console.log(`${count} ${size}  ${what}`);
  before = { requests, bytes };
}

console.log(`${model.size.toLocaleString('en')} bytes, ${model.numChunks} chunks, ${model.type}`);
console.log('    REQUESTS        BYTES');
report('opened');

// The largest chunk: of those that are one value, such as the weights of a layer, if any.
const chunks = [...model.chunks()].sort((a, b) => b.size - a.size);
const chunk = chunks.find(({ type }) => type === 'BYTES') ?? model.chunk(chunks[0]?.index ?? 0);
const bytes = await chunk.bytes();
report(`chunk ${chunk.index}: ${bytes.length.toLocaleString('en')} bytes, their hash checked`);

const field = await model.field(path);
report(`${path} found`);
const text = JSON.stringify(await field.json({ omit: 100 }));
report(`and read: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`);

const merged = Buffer.from(await new Response(model.merged()).arrayBuffer());
report(`all of it merged: ${merged.length.toLocaleString('en')} bytes`);

if (original) {
  const pb = await readFile(original);
  if (chunk.type === 'BYTES') {
    const place = pb.indexOf(bytes);
    if (place < 0) throw new Error(`chunk ${chunk.index} is not in ${original}`);
    console.log(`chunk ${chunk.index} is at byte ${place.toLocaleString('en')} of ${original}`);
  }
  if (!merged.equals(pb)) throw new Error(`the merged message is not ${original}`);
  console.log('the merged message is that file, byte for byte');
}
model.close();
