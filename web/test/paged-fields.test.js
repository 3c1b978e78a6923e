/**
 * One field of a .cpb whose index is in pages: what the server is asked for does not grow with the index, and
 * everything else reads the rest of it.
 */
import { createServer } from 'node:http';
import { libcpb } from './support/libcpb.js';
import { collect } from './support/stream.js';
import { assert, test } from './support/test.js';

const { open, openInWorker, split } = libcpb;
const TYPE = 'tensorflow.GraphDef';

/** @param {number} n */
const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);

/** @param {number} number @param {number[]} value */
const field = (number, value) => [(number << 3) | 2, ...varint(value.length), ...value];

/** @param {number} i */
const digits = (i) => [...new TextEncoder().encode(`n${String(i).padStart(7, '0')}`)];

/** The content of node i. @param {number} i */
const content = (i) => Array.from({ length: 40 }, (_, k) => (i + k) & 255);

/** A GraphDef of constants, of which each becomes two chunks. @param {number} nodes */
function graph(nodes) {
  /** @type {number[][]} */
  const parts = [];
  for (let i = 0; i < nodes; i++) {
    const tensor = [8, 1, ...field(2, []), ...field(4, content(i))];
    const attr = field(5, [...field(1, [...new TextEncoder().encode('value')]), ...field(2, field(8, tensor))]);
    parts.push(field(1, [...field(1, digits(i)), ...field(2, [...new TextEncoder().encode('Const')]), ...attr]));
  }
  return new Uint8Array(parts.flat());
}

/** @param {number} nodes @param {object} [options] */
const chunked = (nodes, options) =>
  split(graph(nodes), { type: TYPE, codec: { name: 'none' }, maxChunkSize: 70, indexPages: true, ...options }).bytes();

/** A server of one file, and what it was asked for. @param {Uint8Array} bytes */
async function serve(bytes) {
  /** @type {[number, number][]} */
  const asked = [];
  const server = createServer((request, response) => {
    const [, from = '', to = ''] = /bytes=(\d*)-(\d*)/.exec(String(request.headers.range)) ?? [];
    const begin = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from);
    const end = from === '' || to === '' ? bytes.length : Math.min(bytes.length, Number(to) + 1);
    asked.push([begin, end - begin]);
    const range = `bytes ${begin}-${end - 1}/${bytes.length}`;
    response.writeHead(206, { 'Content-Range': range, 'Content-Length': end - begin, ETag: '"1"' });
    response.end(bytes.subarray(begin, end));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {any} */ (server.address());
  return {
    asked,
    sum: () => asked.reduce((sum, [, length]) => sum + length, 0),
    url: `http://127.0.0.1:${port}/graph.cpb`,
    [Symbol.asyncDispose]: async () => void (server.close(), server.closeAllConnections()),
  };
}

/** @param {number} i */
const pathOf = (i) => `node[${i}].attr["value"].tensor.tensor_content`;

/** What one field takes. @param {number} nodes @param {number} i */
async function costOf(nodes, i) {
  const server = await serve(await chunked(nodes));
  try {
    const message = await open(server.url);
    assert.equal(message.hasIndex, false);
    assert.ok(message.numChunks >= 2 * nodes, `${message.numChunks}`);
    const found = await message.field(pathOf(i));
    assert.deepEqual([...(await found.bytes())], content(i));
    assert.deepEqual(message.transferred, { requests: server.asked.length, bytes: server.sum() });
    message.close();
    return { requests: server.asked.length, bytes: server.sum() };
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

test('a field takes a few requests, however many chunks there are', async () => {
  const [small, large] = [await costOf(5_000, 3_333), await costOf(50_000, 33_333)];
  console.log(small, large);
  assert.ok(large.requests <= 5 && large.requests <= small.requests + 1, JSON.stringify([small, large]));
  assert.ok(large.bytes < 400_000, `${large.bytes}`);
});

test('many fields, one after another and at once', async () => {
  const nodes = 20_000;
  const server = await serve(await chunked(nodes));
  try {
    const message = await open(server.url, { type: TYPE });
    assert.equal(message.type, TYPE);
    const numbers = Array.from({ length: 12 }, (_, i) => (i * 1657) % nodes);
    const fields = await Promise.all(numbers.map((i) => message.field(pathOf(i))));
    // More than are kept: what was freed is made again.
    for (const [k, one] of fields.entries()) {
      const i = numbers[k] ?? 0;
      assert.equal(one.size, 40);
      assert.deepEqual(one.ranges, []);
      assert.deepEqual([...(await collect(one.stream()))], content(i));
      assert.deepEqual([...(await one.value())], content(i));
    }
    const node = await message.field('node[77]');
    assert.equal(await (await node.field('name')).value(), 'n0000077');
    const omitted = await node.json({ omit: 20 });
    assert.deepEqual(omitted.attr.value.tensor.tensor_content, { '@omitted': { size: 40 } });
    assert.equal((await node.json()).name, 'n0000077');
    assert.equal(message.hasIndex, false);
    assert.ok(server.asked.length < 50, `${server.asked.length}`);
    await assert.rejects(message.field(`node[${nodes}].name`), { code: 'NOT_FOUND' });
    message.close();
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

test('everything else reads the rest of the index first', async () => {
  const nodes = 5_000;
  const bytes = await chunked(nodes);
  const whole = graph(nodes);
  const local = await open(bytes);
  assert.equal(local.hasIndex, true);
  const server = await serve(bytes);
  const how = { code: 'USAGE', message: /call readIndex\(\)/ };
  try {
    for (const start of [open, openInWorker]) {
      const message = await start(server.url);
      assert.equal(message.type, undefined);
      assert.throws(() => message.chunk(0), how);
      assert.throws(() => message.tree(), how);
      const found = await message.field(pathOf(4_000));
      assert.deepEqual(await collect(message.merged()), whole);
      await message.readIndex();
      assert.equal(message.hasIndex, true);
      assert.equal(message.type, TYPE);
      assert.equal(message.chunk(7).size, local.chunk(7).size);
      assert.deepEqual(message.tree().children.length, local.tree().children.length);
      assert.deepEqual([...(await found.bytes())], content(4_000));
      const [placed] = (await message.field(pathOf(4_000))).ranges;
      assert.deepEqual([...(await message.read(placed.offset, placed.length))], content(4_000));
      message.close();
    }
    const message = await open(server.url, { wholeIndex: true });
    assert.equal(message.hasIndex, true);
    message.close();
    // A path that is no single field: the pages cannot tell all of it.
    const all = await open(server.url);
    assert.equal((await all.field('')).size, whole.length);
    assert.equal(all.hasIndex, true);
    all.close();
  } finally {
    await server[Symbol.asyncDispose]();
    local.close();
  }
});

test('an abort of one search leaves the others', async () => {
  const server = await serve(await chunked(5_000));
  try {
    const message = await open(server.url);
    const controller = new AbortController();
    const first = message.field(pathOf(1), { signal: controller.signal });
    const second = message.field(pathOf(1));
    controller.abort(new Error('enough'));
    await assert.rejects(first, { message: 'enough' });
    assert.deepEqual([...(await (await second).bytes())], content(1));
    message.close();
    await assert.rejects(message.field(pathOf(2)), { code: 'CLOSED' });
  } finally {
    await server[Symbol.asyncDispose]();
  }
});
