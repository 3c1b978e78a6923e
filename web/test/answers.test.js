/**
 * Every answer is what its description says (src/model/answers): all that a model has is asked
 * for, and nothing passes that is not named there.
 */
import { existsSync, readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { answerTypes } from './support/answer-types.js';
import { hostileModels } from './support/hostile.js';
import { libcpb } from './support/libcpb.js';
import { coremlModels } from './support/coreml.js';
import { onnxModels } from './support/onnx.js';
import { corpusModels, madeModels, otherMessages, sameDiffModels } from './support/models.js';
import { assert, each, test } from './support/test.js';

const { inspect } = libcpb;

/** The most that is asked about one by one: functions, objects, parameters. */
const MANY = 40;
/** Of each list of nodes. */
const FEW = 5;
const page = { count: 1000 };

/** Without an object graph there is no root to load. @param {any} error */
const unlessNotFound = (error) => {
  if (error.code !== 'NOT_FOUND') throw error;
};

/** Nor anything to cut; and damaged objects are not cut. @param {any} error */
const unlessNoObjects = (error) => {
  if (!['UNSUPPORTED', 'DAMAGED'].includes(error.code)) throw error;
};

const types = answerTypes();

/** @typedef {(question: string, options?: object) => Promise<any>} Ask */

/** Each meta graph, signature, function and object. @param {Ask} ask */
async function askSavedModel(ask) {
  const { meta_graphs: graphs } = await ask('overview', page);
  for (const { number: metaGraph } of graphs.items) {
    const { signatures } = await ask('overview', { metaGraph });
    for (const { key } of signatures.items) await ask('signature', { name: key, metaGraph });
    await askGraph((question, options) => ask(question, { metaGraph, ...options }));
    await askObjects((question, options) => ask(question, { metaGraph, ...options }));
  }
  await ask('layers', page);
  await ask('load', { name: 'root', ...page }).catch(unlessNotFound);
  await ask('cut', { name: 'root', ...page }).catch(unlessNoObjects);
}

/**
 * All of the model is gone through for each: of one node.
 *
 * @param {Ask} ask @param {any} nodes @param {string} [scope]
 */
async function askReach(ask, { items: [first] }, scope) {
  for (const question of first ? ['upstream', 'downstream'] : []) await ask(question, { name: first.name, scope });
}

/** @param {Ask} ask */
async function askGraph(ask) {
  const all = await ask('nodes', page);
  await askNodes(ask, all);
  await askReach(ask, all.nodes);
  const { functions } = await ask('functions', page);
  for (const { name } of functions.items.slice(0, MANY)) {
    await ask('function', { name });
    await askNodes(ask, await ask('nodes', { name, ...page }));
    await ask('scopes', { name });
  }
}

/** What takes them. @param {Ask} ask @param {any} answer */
async function askNodes(ask, { function: scope, nodes }) {
  for (const { name } of nodes.items.slice(0, FEW))
    for (const question of ['consumers', 'node'])
      await ask(question, { name, scope: scope ?? undefined }).catch(unlessNotFound);
}

/** From the root on. @param {Ask} ask */
async function askObjects(ask) {
  const paths = ['root'];
  for (let i = 0; i < Math.min(paths.length, MANY); i++) {
    const { children } = await ask('objects', { name: paths[i], ...page });
    for (const { path, elsewhere } of children.items) if (path && !elsewhere) paths.push(path);
  }
}

/** @param {Ask} ask */
async function askExported(ask) {
  await askGraph(ask);
  const { functions } = await ask('functions', page);
  await ask('layers', page);
  for (const { name } of functions.items.slice(0, MANY)) await ask('ops', { name });
}

/** Each tag and parameter. @param {Ask} ask */
async function askSameDiff(ask) {
  const { tags } = await ask('overview', page);
  const names = tags.items.map((/** @type {any} */ { tag }) => tag);
  for (const name of names.length ? names : [undefined]) {
    const { constants, variables } = await ask('tag', { name, ...page });
    const { nodes } = await ask('nodes', { name, ...page });
    await ask('function', { name });
    await askReach(ask, nodes, name);
    for (const node of nodes.items.slice(0, FEW)) await ask('node', { name: node.name, scope: name });
    for (const variable of variables.items.slice(0, MANY)) await ask('consumers', { name: variable.name, scope: name });
    for (const { node } of constants.items.slice(0, MANY)) await ask('constants', { name: node, scope: name });
  }
}

/** @type {Record<string, (ask: Ask) => Promise<void>>} */
const askAll = {
  saved_model: askSavedModel,
  graph_def: askGraph,
  keras_metadata: async (ask) => void (await ask('load', { name: 'root', ...page })),
  samediff_zip: askSameDiff,
  samediff_graph: askSameDiff,
  onnx: askExported,
  coreml: askExported,
};

/** How often each question was answered by each kind. @type {Map<string, number>} */
const asked = new Map();

/** What Keras wrote beside a model. @param {string} path */
function metadataBeside(path) {
  const file = path.replace(/saved_model\.pb$/, 'keras_metadata.pb');
  return file !== path && existsSync(file) ? readFileSync(file) : undefined;
}

/** What TensorFlow wrote beside a model. @param {string | Uint8Array | File} path */
function checkpointBeside(path) {
  const folder = `${path}`.replace(/saved_model\.pb$/, 'variables').replace(/orig\.pb$/, 'model/variables');
  const index = `${folder}/variables.index`;
  return typeof path === 'string' && existsSync(index)
    ? { index, data: (/** @type {string} */ name) => `${folder}/${name}` }
    : undefined;
}

/** Asks all there is. @param {string | Uint8Array | File} path @param {Uint8Array} [kerasMetadata] */
async function check(path, kerasMetadata) {
  const { mistakes, questions } = await types;
  const model = await inspect(path, { kerasMetadata, checkpoint: checkpointBeside(path) });
  /** @type {Ask} */
  const ask = async (question, options) => {
    const answer = await model.ask(question, options);
    assert.deepEqual(mistakes(model.kind, question, answer), [], `${question} ${JSON.stringify(options)}`);
    const key = `${model.kind} ${question}`;
    asked.set(key, (asked.get(key) ?? 0) + 1);
    return answer;
  };
  try {
    await askAll[model.kind]?.(ask);
    const apart = ['signature', 'function', 'load', 'cut', 'tag', 'consumers', 'node', 'upstream', 'downstream'];
    for (const question of questions(model.kind).filter((name) => !apart.includes(name)))
      await ask(question, { ...page, ...(question === 'search' && { name: 'e' }) });
  } finally {
    model.close();
  }
}

for (const path of otherMessages) {
  test(`${path}: is a message, but no model`, async () => {
    await assert.rejects(inspect(`${root}tests/data/${path}`), { code: 'FORMAT' });
  });
}

for (const path of [...corpusModels.map((name) => `${root}tests/data/${name}`), ...madeModels]) {
  test(`${path.slice(root.length)}: its answers are as their types`, async () => {
    await check(path);
    const metadata = metadataBeside(path);
    if (metadata) await check(path, metadata);
  });
}

test('SameDiff models that ND4J wrote: their answers are as their types', () =>
  each(sameDiffModels(), String, (path) => check(path)));

test('ONNX models: their answers are as their types', () =>
  each(
    onnxModels(),
    ([name]) => name,
    ([, bytes]) => check(bytes),
  ));

test('Core ML models: their answers are as their types', () =>
  each(
    coremlModels(),
    ([name]) => name,
    ([, bytes]) => check(bytes),
  ));

test('hostile models: their answers are as their types', async () =>
  each(
    await hostileModels(),
    ({ name }) => name,
    ({ file }) => check(file),
  ));

test('each kind of model was asked each question that has a type', async () => {
  const { questions } = await types;
  const kinds = Object.keys(askAll).filter((kind) => kind !== 'keras_metadata' || madeModels.length);
  for (const kind of kinds)
    for (const question of questions(kind)) assert.ok(asked.has(`${kind} ${question}`), `${kind} ${question}`);
});

test('an answer that no type names fails', async () => {
  const { mistakes } = await types;
  const answer = { function: null, nodes: { items: [], first: 0, total: 0 }, problems: [] };
  assert.deepEqual(mistakes('saved_model', 'nodes', answer), []);
  assert.equal(mistakes('saved_model', 'nodes', { ...answer, new: 1 }).length, 1);
  assert.equal(mistakes('saved_model', 'nodes', { ...answer, nodes: undefined }).length, 1);
});
