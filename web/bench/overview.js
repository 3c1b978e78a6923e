// Time and bytes to the first overview of a model over a slow link, by range and
// by downloading it whole:
//
//   npm ci --prefix web/bench && node web/bench/overview.js [MODEL.pb] [--mbit 20] [--delay 50]
//
// One server answers all, 50 ms after each request and then at 20 Mbit/s in all.
// The overview is the same for each: TensorFlow's version, the signatures' names,
// the number of nodes and the count of each operation.
import { execFileSync } from 'node:child_process';
import { open as openFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import protobuf from 'protobufjs';
import { open } from '../src/node.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mbit: { type: 'string', default: '20' },
    delay: { type: 'string', default: '50' },
    cpb: { type: 'string', default: join(root, 'build/cpb') },
  },
});
const pb = positionals[0] ?? join(root, 'build/models/frozen/saved_model.pb');
const cpb = join(tmpdir(), `${basename(pb, '.pb')}.cpb`);
execFileSync(options.cpb, ['split', pb, '-o', cpb, '--force']);

// --- The link ----------------------------------------------------------------

const PIECE = 64 * 1024;
const millisecondsPerByte = 8 / (Number(options.mbit) * 1000);
let sent = { requests: 0, bytes: 0 };
let free = 0; // when the link has sent what was given to it

/** Waits until `bytes` more went over the link. @param {number} bytes */
async function transmit(bytes) {
  free = Math.max(free, performance.now()) + bytes * millisecondsPerByte;
  sent.bytes += bytes;
  await sleep(free - performance.now());
}

const server = createServer(async (request, response) => {
  sent.requests++;
  const file = await openFile(request.url === '/cpb' ? cpb : pb);
  const { size } = await file.stat();
  const [, first, last] = /bytes=(\d*)-(\d*)/.exec(request.headers.range ?? 'bytes=0-') ?? [];
  const begin = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Math.min(size, Number(last) + 1) : size;
  await sleep(Number(options.delay));
  response.writeHead(request.headers.range ? 206 : 200, {
    'Content-Length': end - begin,
    'Content-Range': `bytes ${begin}-${end - 1}/${size}`,
    ETag: '"1"',
  });
  for (let at = begin; at < end && !response.destroyed; at += PIECE) {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(PIECE, end - at)), 0, Math.min(PIECE, end - at), at,
    );
    await transmit(bytesRead);
    if (!response.write(buffer)) await new Promise((drained) => response.once('drain', drained).once('close', drained));
  }
  response.end();
  await file.close();
});
await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
const base = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;

// --- The overviews -----------------------------------------------------------

/** @param {Iterable<string>} names */
function count(names) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort());
}

/** @param {string} url */
async function byRange(url) {
  const model = await open(url, { type: 'tensorflow.SavedModel' });
  const graph = await (await model.field('meta_graphs[0]')).json({ omit: 256 });
  model.close();
  return {
    version: graph.meta_info_def?.tensorflow_version ?? '',
    signatures: Object.keys(graph.signature_def ?? {}).sort(),
    ops: count(graph.graph_def.node.map((/** @type {any} */ node) => node.op)),
  };
}

/** @param {string} url */
async function whole(url) {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const types = new protobuf.Root();
  types.resolvePath = (_, target) => join(root, 'proto', target);
  await types.load('tensorflow/core/protobuf/saved_model.proto');
  const model = /** @type {any} */ (types.lookupType('tensorflow.SavedModel').decode(bytes));
  const graph = model.metaGraphs[0];
  return {
    version: graph.metaInfoDef?.tensorflowVersion,
    signatures: Object.keys(graph.signatureDef ?? {}).sort(),
    ops: count(graph.graphDef.node.map((/** @type {any} */ node) => node.op)),
  };
}

/** @type {[string, () => Promise<any>][]} */
const ways = [
  ['libcpb, .cpb by range', () => byRange(`${base}/cpb`)],
  ['libcpb, .pb by range', () => byRange(`${base}/pb`)],
  ['download, protobufjs', () => whole(`${base}/pb`)],
];
const rows = [];
for (const [name, overview] of ways) {
  sent = { requests: 0, bytes: 0 };
  const begun = performance.now();
  const result = JSON.stringify(await overview());
  rows.push({ name, result, seconds: (performance.now() - begun) / 1000, ...sent });
  console.error(`${name}: ${rows.at(-1)?.seconds.toFixed(2)} s`);
}
server.close();
if (rows.some(({ result }) => result !== rows[0]?.result)) {
  throw new Error(`the overviews differ:\n${rows.map(({ result }) => result).join('\n')}`);
}

const slowest = /** @type {typeof rows[0]} */ (rows.at(-1));
console.log('| way | seconds | requests | bytes | times as fast |\n|---|---|---|---|---|');
for (const { name, seconds, requests, bytes } of rows) {
  const times = (slowest.seconds / seconds).toFixed(1);
  console.log(`| ${name} | ${seconds.toFixed(2)} | ${requests} | ${bytes} | ${times} |`);
}
