/**
 * Measures the cost of round trips: ranges of a redirected URL, and the constants of plain models, over a link of 50 ms.
 *
 *     node web/bench/round-trips.js [--latency 50] [--mbit 20]
 *
 * Each is measured with and without the optimization: without it, redirects are followed each time, or there is a
 * budget of bytes, which forbids guessing. Requests and bytes are those that the server counts.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { inspect } from '../src/node.js';
import { urlSource } from '../src/source/url.js';
import { graphOf } from '../test/support/files.js';
import { slowLink } from './link.js';

const { values } = parseArgs({ options: { latency: { type: 'string' }, mbit: { type: 'string' } } });
const latency = Number(values.latency ?? 50);
const mbit = Number(values.mbit ?? 20);

/** Constants of a ResNet101 whose batch normalization is four constants each. */
function resnet() {
  let channels = 64;
  const conv = (/** @type {number} */ size, /** @type {number} */ to) => [4 * size, ...Array(4).fill(4 * to)];
  return [3, 4, 23, 3].flatMap((count, stage) =>
    Array.from({ length: count }, (_, i) => {
      const [width, from] = [64 << stage, channels];
      channels = 4 * width;
      const inner = [conv(from * width, width), conv(9 * width * width, width), conv(width * channels, channels)];
      return [...(i === 0 ? conv(from * channels, channels) : []), ...inner.flat()];
    }).flat(),
  );
}

/** Sizes without a rule, of 0.1 to 8.2 MB. */
const irregular = Array.from({ length: 82 }, (_, i) => 4000 * (25 + ((i * i * 7919 + 13 * i) % 2029)));

const models = /** @type {[string, number[]][]} */ ([
  ['82 constants of one size', Array(82).fill(4_170_000)],
  ['82 constants, each larger', Array.from({ length: 82 }, (_, i) => 100_000 * (i + 1))],
  ['82 constants without a rule', irregular],
  ['a frozen ResNet101', resnet()],
]);

let asked = { requests: 0, bytes: 0 };
/** @type {ReturnType<typeof graphOf>} */
let file = graphOf([4]);
const link = slowLink({ mbit });

const server = createServer(async (request, response) => {
  asked.requests++;
  await new Promise((resolve) => setTimeout(resolve, latency));
  if (request.url?.startsWith('/moved')) return response.writeHead(302, { Location: '/model.pb' }).end();
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const begin = Number(from);
  const end = to ? Math.min(file.size, Number(to) + 1) : file.size;
  const about = { 'Content-Range': `bytes ${begin}-${end - 1}/${file.size}`, 'Content-Length': end - begin };
  response.writeHead(206, { ...about, ETag: '"bench"' });
  const read = async (/** @type {number} */ at, /** @type {number} */ size) => {
    asked.bytes += size;
    return file.source.read(at, size);
  };
  return link.stream(response, read, begin, end);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const base = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;

/** @param {() => Promise<unknown>} act */
async function measured(act) {
  asked = { requests: 0, bytes: 0 };
  const begun = performance.now();
  await act();
  return { seconds: ((performance.now() - begun) / 1000).toFixed(2), ...asked };
}

/** @param {string} name @param {Record<string, () => Promise<unknown>>} ways */
async function row(name, ways) {
  for (const [way, act] of Object.entries(ways)) {
    const { seconds, requests, bytes } = await measured(act);
    console.log(`| ${name} | ${way} | ${seconds} | ${requests} | ${bytes.toLocaleString('en')} |`);
  }
}

/** @param {'keep' | 'again'} redirects */
const ranges = (redirects) => async () => {
  const source = urlSource(`${base}/moved`, { redirects });
  for (let i = 0; i < 82; i++) await source.read(i * 100_000, 1000);
};

/** @param {object} [options] */
const constants = (options) => async () => {
  const model = await inspect(`${base}/model.pb`, { kind: 'graph_def', format: 'pb', ...options });
  await model.constants({ count: 'all' });
  model.close();
};

console.log('| what | way | seconds | requests | bytes |\n|---|---|--:|--:|--:|');
file = graphOf(Array(82).fill(100_000));
await row('82 ranges of a redirected URL', { 'as it is': ranges('keep'), 'followed each time': ranges('again') });
for (const [name, sizes] of models) {
  file = graphOf(sizes);
  await row(name, { 'as it is': constants(), 'without guesses': constants({ budget: { bytes: 2 ** 40 } }) });
}
server.close();
server.closeAllConnections();
