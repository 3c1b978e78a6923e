// Time and bytes to the first overview of a model over a slow link, by range and
// by downloading it whole:
//
//   npm ci --prefix web/bench && node web/bench/overview.js [MODEL.pb] [--mbit 20] [--delay 50]
//                                                           [--way cpb]...
//
// One server answers all, 50 ms after each request and then at 20 Mbit/s in all.
// The overview is the same for each: TensorFlow's version, the signatures' names,
// the number of nodes and the count of each operation. Without a model: one of
// 500 MB, made of that of tests/support/models.py. Each way runs in a new process, so
// that what it must load and compile counts.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { slowLink } from './link.js';
import { enlarge } from './model.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mbit: { type: 'string', default: '20' },
    delay: { type: 'string', default: '50' },
    cpb: { type: 'string', default: join(root, 'build/cpb') },
    way: { type: 'string', multiple: true, default: ['cpb', 'pb', 'whole'] },
  },
});

function largeModel() {
  const path = join(root, 'build/bench/overview.pb');
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) enlarge(join(root, 'build/models/frozen/saved_model.pb'), path);
  return path;
}

const pb = positionals[0] ?? largeModel();
const cpb = join(tmpdir(), `${basename(pb, '.pb')}.cpb`);
execFileSync(options.cpb, ['split', pb, '-o', cpb, '--force']);

// --- The link ----------------------------------------------------------------

const link = slowLink({ mbit: Number(options.mbit), piece: 64 * 1024 });
let requests = 0;

const server = createServer(async (request, response) => {
  requests++;
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
  const read = async (/** @type {number} */ at, /** @type {number} */ length) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  await link.stream(response, read, begin, end);
  await file.close();
});
await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
const base = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;

// --- The ways ------------------------------------------------------------------

/** @type {Record<string, [name: string, path: string]>} */
const ways = {
  cpb: ['libcpb, .cpb by range', '/cpb'],
  pb: ['libcpb, .pb by range', '/pb'],
  whole: ['download, protobufjs', '/pb'],
};
const rows = [];
for (const way of options.way) {
  const [name, path] = /** @type {[string, string]} */ (ways[way]);
  requests = 0;
  const earlier = link.bytes;
  const command = [join(root, 'web/bench/overview-of.js'), way, base + path];
  const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: 1e8 });
  const { seconds, cpu, result } = JSON.parse(stdout);
  rows.push({ name, result: JSON.stringify(result), seconds, cpu, requests, bytes: link.bytes - earlier });
  console.error(`${name}: ${seconds.toFixed(2)} s`);
}
server.close();
if (rows.some(({ result }) => result !== rows[0]?.result)) {
  throw new Error(`the overviews differ:\n${rows.map(({ result }) => result).join('\n')}`);
}

const slowest = /** @type {typeof rows[0]} */ (rows.at(-1));
console.log('| way | seconds | of which CPU | requests | bytes | times as fast |\n|---|---|---|---|---|---|');
for (const { name, seconds, cpu, requests, bytes } of rows) {
  const times = (slowest.seconds / seconds).toFixed(1);
  const cells = [name, seconds.toFixed(2), cpu.toFixed(2), requests, bytes.toLocaleString('en'), times];
  console.log(`| ${cells.join(' | ')} |`);
}
