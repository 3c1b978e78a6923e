// node overview-of.js cpb|pb|whole URL: the overview of a model, as overview.js says; prints
// it, the seconds that it took, and those of the processor, as JSON.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** @param {Iterable<string>} names */
function count(names) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort());
}

/** @param {string} url */
async function byRange(url) {
  const { open } = await import('../src/node.js');
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
  const { default: protobuf } = await import('protobufjs');
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

const [way, url = ''] = process.argv.slice(2);
const begun = performance.now();
const before = process.cpuUsage();
const result = await (way === 'whole' ? whole : byRange)(url);
const { user, system } = process.cpuUsage(before);
const seconds = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ seconds, cpu: (user + system) / 1e6, result }));
