/** What looking into a model of a gigabyte costs over HTTP, counted by the server. */
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { root } from './runtimes/files.js';
import { virtualClock } from './support/clock.js';
import { field } from './support/files.js';
import { largeSameDiff, largeSavedModel, largeSavedModelChunks } from './support/large-models.js';
import { libcpb } from './support/libcpb.js';
import { assert, each, test } from './support/test.js';

/** @import { Sparse } from './support/files.js' */

const { inspect } = libcpb;

virtualClock(); // It stands still: asking is cheap, however busy the machine is.
const GIGABYTE = 2 ** 30;
const data = (/** @type {string} */ path) => readFileSync(`${root}tests/data/${path}`);

/** Answers ranges of the file, whatever it is asked for. @param {Sparse} file */
async function serve(file) {
  const { size } = await file.source.stat();
  const server = createServer(async ({ headers }, response) => {
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const begin = from ? Number(from) : Math.max(0, size - Number(to));
    const end = from && to ? Math.min(size, Number(to) + 1) : size;
    response.writeHead(206, {
      'Content-Range': `bytes ${begin}-${end - 1}/${size}`,
      'Content-Length': end - begin,
      ETag: '"one"',
    });
    response.end(await file.source.read(begin, end - begin));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { size, base: `http://127.0.0.1:${port}/`, stop: () => (server.close(), server.closeAllConnections()) };
}

/**
 * What a look at it costs.
 *
 * @param {Sparse} file
 * @param {string} name
 * @param {(model: any) => Promise<void>} look
 */
async function costOf(file, name, look) {
  const { size, base, stop } = await serve(file);
  assert.ok(size > 0.9 * GIGABYTE, `${size} bytes`);
  try {
    const model = await inspect(base + name);
    await look(model);
    model.close();
    return file.since();
  } finally {
    stop();
  }
}

/**
 * @param {Sparse} file
 * @param {{ requests: number, bytes: number }} cost
 * @param {number} requests at most
 * @param {number} bytes at most
 */
function within(file, cost, requests, bytes) {
  assert.ok(cost.requests <= requests, `${cost.requests} requests: ${file.log.join(', ')}`);
  assert.ok(cost.bytes <= bytes, `${cost.bytes} bytes: ${file.log.join(', ')}`);
}

const models = ['real_tf_module', 'real_tf_keras_functional', 'real_tf_keras_subclassed'];

/** @param {any} model */
async function overview(model) {
  const { signatures, objects, meta_graphs: graphs } = await model.overview();
  assert.ok(signatures.total > 0 && objects.total > 0, 'what is there');
  assert.ok(graphs.items[0].graph.size > 0.9 * GIGABYTE, 'the graph');
}

test('the overview of a SavedModel takes 6 requests and 1 MB: a .pb', () =>
  each(models, String, async (name) => {
    const file = largeSavedModel(data(`cpb/${name}/orig.pb`));
    within(file, await costOf(file, 'saved_model.pb', overview), 6, 2 ** 20);
  }));

test("Keras's metadata among the objects, as TensorFlow wrote before 2.5, costs no more", async () => {
  const layers = Array.from({ length: 99 }, (_, i) => i + 1);
  const metadata = (/** @type {string} */ name) =>
    JSON.stringify({ class_name: 'Dense', name, config: { units: 1, note: 'x'.repeat(2000) } });
  const objects = [
    field(1, [
      ...layers.flatMap((i) => field(1, [...field(1, i), ...field(2, `layer-${i}`)])),
      ...field(4, [...field(1, '_tf_keras_model'), ...field(3, metadata('model'))]),
    ]),
    ...layers.map((i) => field(1, field(4, [...field(1, '_tf_keras_layer'), ...field(3, metadata(`dense_${i}`))]))),
  ].flat();
  const file = largeSavedModel(Uint8Array.from([...field(1, 1), ...field(2, field(7, objects))]), 0);
  const cost = await costOf(file, 'saved_model.pb', async (model) => {
    const { keras } = await model.overview();
    assert.equal(keras.layers, 100);
  });
  within(file, cost, 6, 2 ** 20);
});

// One of them, as a gigabyte is split.
test('the overview of a SavedModel takes 6 requests and 1 MB: a .cpb', async () => {
  const file = await largeSavedModelChunks(data('cpb/real_tf_keras_functional/orig.pb'));
  within(file, await costOf(file, 'saved_model.cpb', overview), 6, 2 ** 20);
});

for (const order of /** @type {const} */ (['graph first', 'graph last'])) {
  test(`a tag and a parameter of a SameDiff zip take 5 requests, and 128 KiB more: ${order}`, async () => {
    const count = 2 ** 18;
    const file = largeSameDiff(data('samediff_small/minimal.zip'), count, order);
    const cost = await costOf(file, 'model.zip', async (model) => {
      const { nodes, tag } = await model.tag('FP32');
      assert.equal(tag, 'FP32');
      assert.deepEqual(
        nodes.items.map((/** @type {any} */ { name }) => name),
        ['matmul', 'add'],
      );
      const values = await model.values('weights');
      assert.equal((await values.bytes()).length, 8 * count);
    });
    within(file, cost, 5, 8 * count + 128 * 1024);
  });
}

for (const form of ['.pb', '.cpb']) {
  test(`the consumers of a node take no request beside those for the graph: a ${form}`, async () => {
    const saved = data('cpb/real_tf_keras_functional/orig.pb');
    const file = form === '.pb' ? largeSavedModel(saved) : await largeSavedModelChunks(saved);
    const { base, stop } = await serve(file);
    try {
      const model = await inspect(`${base}saved_model${form}`);
      const { nodes } = await model.nodes({ count: 1 });
      const graph = file.since();
      // A constant of 4 MiB lies between two nodes; each is passed over.
      assert.ok(graph.requests <= 520 && graph.bytes < GIGABYTE / 10, JSON.stringify(graph));
      const { functions } = await model.functions({ count: 1 });
      const [first] = nodes.items;
      assert.equal((await model.consumers(first.name)).node, first.name);
      const inside = (await model.nodes({ function: functions.items[0].name, count: 1 })).nodes.items[0];
      await model.consumers(inside.name, { function: functions.items[0].name });
      assert.deepEqual(file.since(), { requests: 0, bytes: 0 });
      model.close();
    } finally {
      stop();
    }
  });
}
