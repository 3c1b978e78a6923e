// Merge and split from file to file in Node, compared with the native command:
//
//   node web/bench/files.js [--cpb PROGRAM] [--entry FILE] [--rounds N] [--megabytes N] [--folder DIR]
//
// Each run is a separate process, so starting Node, loading the package and compiling the module
// count. In each round every program runs once, in turn, and also Node with an empty script: the figures
// "without" subtract its cost. CPU is user and system time, peak memory that of the process. The table
// has medians; the shares are medians of the shares of each round.
// The model has constants of 16 MB of noise, which are stored uncompressed, and 20,000 small nodes.
// A second table has the cost of other ways to read a file in TensorFlow's layout, as multiples of
// merged(), in one process.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { parts } from '../test/recipes/large-message.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options } = parseArgs({
  options: {
    cpb: { type: 'string', default: join(root, 'build/cpb') },
    entry: { type: 'string', default: join(root, 'web/dist/node.js') },
    rounds: { type: 'string', default: '7' },
    megabytes: { type: 'string', default: '336' },
    folder: { type: 'string', default: join(root, 'build/bench/files') },
  },
});

// --- The model -----------------------------------------------------------------

const TENSOR = 16e6;

/** @param {string} path of a SavedModel */
function make(path) {
  const file = openSync(path, 'w');
  for (const part of parts(Math.ceil((Number(options.megabytes) * 1e6) / TENSOR), TENSOR)) writeSync(file, part);
  closeSync(file);
}

mkdirSync(options.folder, { recursive: true });
const message = join(options.folder, 'message.pb');
const chunks = join(options.folder, 'chunks.cpb');
if (!existsSync(message)) make(message);
if (!existsSync(chunks)) run([options.cpb, 'split', message, '-o', chunks, '--quiet']);

// --- Measuring -------------------------------------------------------------------

/** User and system time, to the millisecond, and peak memory. @param {string[]} command @returns {Cost} */
function run(command) {
  const timed = `TIMEFORMAT='%3U %3S'; time /usr/bin/time -f %M "$0" "$@"`;
  const { status, stderr } = spawnSync('bash', ['-c', timed, ...command], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const [kib = 0, user = 0, system = 0] = stderr.trim().split('\n').slice(-2).join(' ').split(' ').map(Number);
  return { user, system, megabytes: kib / 1024 };
}

/** @typedef {{ user: number, system: number, megabytes: number }} Cost */

/** Calls a function of the package. @param {string} call */
const script = (call) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `import * as libcpb from '${pathToFileURL(options.entry).href}';\n${call}`,
];

/** @param {string} name @param {string} from @param {string} to */
const ways = (name, from, to) => ({
  native: [options.cpb, name, from, '-o', to, '--force', '--quiet'],
  node: script(`await libcpb.${name}(${JSON.stringify(from)}).toFile(${JSON.stringify(to)})`),
});

const out = join(options.folder, 'out');
const FIELD = 'meta_graphs[0].graph_def.node[5].name';
const oneField = `const model = await libcpb.open(${JSON.stringify(chunks)});
  await (await model.field('${FIELD}')).bytes();
  model.close();`;
/** @type {[string, Record<string, string[]>][]} */
const programs = [
  ['merge', ways('merge', chunks, out)],
  ['split', ways('split', message, out)],
  [
    'open, one field',
    { native: [options.cpb, 'cat', '--field', FIELD, chunks, '-o', '/dev/null'], node: script(oneField) },
  ],
  ['import', { native: [options.cpb, '--version'], node: script('') }],
];
const empty = [process.execPath, '--input-type=module', '-e', ''];

/** @param {number[]} numbers */
const median = (numbers) => Number(numbers.toSorted((a, b) => a - b)[numbers.length >> 1]);
const cpu = (/** @type {Cost} */ { user, system }) => user + system;

console.log(`${(statSync(message).size / 1e6).toFixed(0)} MB, ${options.rounds} rounds`);
console.log('| | native: CPU s | MB | Node: CPU s | MB | times the CPU | without start: CPU s | MB | times |');
console.log('|---|---|---|---|---|---|---|---|---|');
for (const [name, { native = [], node = [] }] of programs) {
  const rounds = Array.from({ length: Number(options.rounds) }, () => ({
    native: run(native),
    node: run(node),
    start: run(empty),
  }));
  /** @param {(round: { native: Cost, node: Cost, start: Cost }) => number} what @param {number} [digits] */
  const of = (what, digits = 3) => median(rounds.map(what)).toFixed(digits);
  const cells = [
    of((round) => cpu(round.native)),
    of((round) => round.native.megabytes, 0),
    of((round) => cpu(round.node)),
    of((round) => round.node.megabytes, 0),
    of((round) => cpu(round.node) / cpu(round.native), 1),
    of((round) => cpu(round.node) - cpu(round.start)),
    of((round) => round.node.megabytes - round.start.megabytes, 0),
    of((round) => (cpu(round.node) - cpu(round.start)) / cpu(round.native), 1),
  ];
  console.log(`| ${[name, ...cells].join(' | ')} |`);
}
rmSync(out, { force: true });

// --- Chunks that share a Riegeli chunk ---------------------------------------------

const shared = join(options.folder, 'shared.cpb');
const small = join(root, 'tests/data/cpb/real_tf_keras_subclassed/orig.pb');
const how = ['--layout', 'compat', '--max-chunk-size', '64', '--quiet', '--force'];
run([options.cpb, 'split', small, '-o', shared, ...how]);

const libcpb = await import(pathToFileURL(options.entry).href);
/** @type {Record<string, (model: any) => Promise<void>>} */
const readings = {
  async 'merged()'(model) {
    for await (const _ of model.merged());
  },
  async 'each chunk in turn'(model) {
    for (const chunk of model.chunks()) await chunk.bytes();
  },
  async 'read(0, Infinity)'(model) {
    await model.read(0, Infinity);
  },
};

/** Seconds of CPU. @param {(model: any) => Promise<void>} read */
async function timed(read) {
  const before = process.cpuUsage();
  const model = await libcpb.open(shared);
  await read(model);
  model.close();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** @type {Record<string, number>[]} */
const times = [];
for (let round = 0; round <= Number(options.rounds); round++) {
  /** @type {Record<string, number>} */
  const taken = {};
  for (const [name, read] of Object.entries(readings)) taken[name] = await timed(read);
  if (round > 0) times.push(taken); // the first compiles
}
console.log('\n| 14,512 chunks in one Riegeli chunk | CPU s | times merged() |\n|---|---|---|');
for (const name of Object.keys(readings)) {
  const seconds = median(times.map((taken) => Number(taken[name])));
  const share = median(times.map((taken) => Number(taken[name]) / Number(taken['merged()'])));
  console.log(`| ${name} | ${seconds.toFixed(2)} | ${share.toFixed(1)} |`);
}
