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

// The largest chunk that is a value as it is, such as the weights of a layer.
const values = [...model.chunks()].filter(({ type }) => type === 'BYTES');
const [largest] = values.sort((a, b) => b.size - a.size);
const bytes = await largest?.bytes();
report(`chunk ${largest?.index}: ${bytes?.length.toLocaleString('en')} bytes, their hash checked`);

const field = await model.field(path);
report(`${path} found`);
const text = JSON.stringify(await field.json({ omit: 100 }));
report(`and read: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`);

const merged = Buffer.from(await new Response(model.merged()).arrayBuffer());
report(`all of it merged: ${merged.length.toLocaleString('en')} bytes`);

if (original) {
  const pb = await readFile(original);
  const place = bytes ? pb.indexOf(bytes) : -1;
  if (place < 0) throw new Error(`chunk ${largest?.index} is not in ${original}`);
  console.log(`chunk ${largest?.index} is at byte ${place.toLocaleString('en')} of ${original}`);
  if (!merged.equals(pb)) throw new Error(`the merged message is not ${original}`);
  console.log('the merged message is that file, byte for byte');
}
model.close();
