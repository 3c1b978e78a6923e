/** ONNX models on every runtime: their answers, values of each type, values in other files. */
import { assert, each, test } from './support/test.js';
import { libcpb } from './support/libcpb.js';
import { sparse } from './support/files.js';
import { external, graph, holding, model as modelOf, node, small, tensor, types, value } from './support/onnx.js';
import { message } from './support/protobuf.js';

const { diff, inspect } = libcpb;

test('the kind is recognized, and the overview has inputs and outputs', async () => {
  const model = await inspect(small());
  assert.equal(model.kind, 'onnx');
  const o = await model.overview();
  assert.deepEqual(o.producer, { name: 'by hand', version: '1.0' });
  assert.deepEqual(o.inputs.items, [
    { name: 'x', dtype: 'float32', shape: ['batch', 3, null] },
    { name: 'training', dtype: 'bool', shape: [] },
  ]);
  assert.deepEqual(o.outputs.items, [{ name: 'probabilities', dtype: 'float32', shape: ['batch', 4] }]);
  assert.deepEqual([o.nodes, o.subgraphs, o.subgraph_nodes, o.functions, o.function_nodes], [6, 2, 2, 1, 1]);
  assert.deepEqual(o.parameters, { total: 48, trainable: null, tensors: 1, bytes: 192, size: 192 });
  assert.deepEqual(o.metadata.items, [{ key: 'author', value: 'somebody' }]);
  assert.deepEqual(o.problems, []);
  model.close();
});

test('nodes, subgraphs, functions, layers, consumers', async () => {
  const model = await inspect(small(), { kind: 'onnx' });
  const { nodes } = await model.nodes();
  assert.deepEqual(
    nodes.items.map((/** @type {any} */ { name, op }) => `${name} ${op}`),
    ['/layer.0/Conv Conv', '/layer.0/Relu Relu', '/Constant Constant', '#3 Reshape', 'check If', 'twice Twice'],
  );
  assert.deepEqual(nodes.items[0]?.outputs, [{ name: '/layer.0/Conv_out', dtype: 'float32', shape: ['batch', 4] }]);
  assert.equal(nodes.items[5]?.calls, 'my.lib.Twice');
  const { functions } = await model.functions();
  assert.deepEqual(
    functions.items.map((/** @type {any} */ { name, is }) => `${is} ${name}`),
    ['function my.lib.Twice', 'subgraph check:then_branch', 'subgraph check:else_branch'],
  );
  assert.equal((await model.function('check:then_branch')).nodes, 1);
  assert.deepEqual((await model.function('my.lib.Twice')).inputs, [{ name: 'a' }]);
  const inner = await model.nodes({ function: 'check:else_branch' });
  assert.equal(inner.nodes.items[0]?.op, 'Identity');
  const { consumers } = await model.consumers('#3');
  assert.deepEqual(
    consumers.items.map((/** @type {any} */ { name, function: where }) => `${where} ${name}`),
    ['check:then_branch then_node', 'check:else_branch else_node'],
  );
  const names = (/** @type {any} */ { found }) => found.items.map((/** @type {any} */ one) => one.name);
  assert.deepEqual(names(await model.downstream('#3', { distance: 1 })), ['then_node', 'else_node']);
  assert.deepEqual(names(await model.upstream('else_node', { function: 'check:else_branch', distance: 1 })), ['#3']);
  assert.deepEqual(names(await model.downstream('x', { to: '/layer.0/Relu' })), [
    'x',
    '/layer.0/Conv',
    '/layer.0/Relu',
  ]);
  const { layers, source } = await model.layers();
  assert.equal(source, 'names');
  assert.deepEqual(layers.items[0], {
    name: '/layer.0',
    class: null,
    nodes: 2,
    tensors: 1,
    parameters: 48,
    bytes: 192,
  });
  const { ops, custom } = await model.ops();
  assert.deepEqual([ops.items.find((/** @type {any} */ { op }) => op === 'Twice')?.from, custom], ['library', []]);
  const { found } = await model.search('weight');
  assert.deepEqual(found.items, [{ is: 'initializer', name: 'layer.0.weight', function: null }]);
  await assert.rejects(model.ask('signature', { name: 'x' }), { code: 'UNSUPPORTED' });
  model.close();
});

test('values by name, by place, and of a graph within a node', async () => {
  const model = await inspect(small(), { kind: 'onnx' });
  const weights = await model.values('layer.0.weight');
  assert.deepEqual([weights.dtype, weights.numpy, weights.shape], ['float32', '<f4', [4, 3, 4]]);
  assert.equal(new Float32Array((await weights.bytes()).buffer)[47], 47 / 8);
  const { constants } = await model.constants();
  const [first, second] = constants.items;
  assert.deepEqual([first?.node, first?.is, first?.use], ['layer.0.weight', 'initializer', 'weight']);
  assert.deepEqual([second?.node, second?.is, second?.use], ['shape', 'constant', 'constant']);
  const shape = await model.values('shape', { tensor: /** @type {any} */ (second).tensor });
  assert.deepEqual([...new BigInt64Array((await shape.bytes()).buffer)], [1n, -1n]);
  await assert.rejects(model.values('none'), { code: 'NOT_FOUND' });
  model.close();
});

/** @param {ArrayBufferView<ArrayBuffer>} array */
const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

/**
 * As they are stored, what NumPy calls them, and as they come.
 *
 * @type {[type: string, raw: ArrayBufferView<ArrayBuffer>, numpy: string, given?: ArrayBufferView<ArrayBuffer>][]}
 */
const eachType = [
  ['float32', new Float32Array([1.5, -2, 3, 4]), '<f4'],
  ['float64', new Float64Array([1.5, -2, 3, 4]), '<f8'],
  ['float16', new Uint16Array([0x3c00, 0xc000, 0x7bff, 1]), '<f2'],
  ['bfloat16', new Uint16Array([0x3f80, 0xc000, 0x7f7f, 1]), '|V2'],
  ['int8', new Int8Array([1, -2, 3, -128]), '|i1'],
  ['uint8', new Uint8Array([1, 2, 3, 255]), '|u1'],
  ['int16', new Int16Array([1, -2, 3, 4]), '<i2'],
  ['uint16', new Uint16Array([1, 2, 3, 65535]), '<u2'],
  ['int32', new Int32Array([1, -2, 3, 4]), '<i4'],
  ['uint32', new Uint32Array([1, 2, 3, 4]), '<u4'],
  ['int64', new BigInt64Array([1n, -2n, 3n, 4n]), '<i8'],
  ['uint64', new BigUint64Array([1n, 2n, 3n, 4n]), '<u8'],
  ['bool', new Uint8Array([0, 1, 1, 0]), '|b1'],
  ['complex64', new Float32Array([1, 2, 3, 4, 5, 6, 7, 8]), '<c8'],
  ['complex128', new Float64Array([1, 2, 3, 4, 5, 6, 7, 8]), '<c16'],
  ...['float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e5m2', 'float8_e5m2fnuz', 'float8_e8m0fnu'].map(
    (type) =>
      /** @type {[string, Uint8Array<ArrayBuffer>, string]} */ ([type, new Uint8Array([0, 1, 127, 255]), '|V1']),
  ),
  ['int4', new Uint8Array([0xf1, 0x78]), '|i1', new Int8Array([1, -1, -8, 7])],
  ['uint4', new Uint8Array([0xf1, 0x78]), '|u1', new Uint8Array([1, 15, 8, 7])],
  ['int2', new Uint8Array([0b10110100]), '|i1', new Int8Array([0, 1, -1, -2])],
  ['uint2', new Uint8Array([0b10110100]), '|u1', new Uint8Array([0, 1, 3, 2])],
  ['float4_e2m1fn', new Uint8Array([0xf1, 0x78]), '|V1', new Uint8Array([1, 15, 8, 7])],
  ['float6_e2m3fn', new Uint8Array([0x41, 0x20, 0xfc]), '|V1', new Uint8Array([1, 1, 2, 63])],
  ['float6_e3m2fn', new Uint8Array([0x41, 0x20, 0xfc]), '|V1', new Uint8Array([1, 1, 2, 63])],
];

test('values of each type, as they lie in raw_data', () =>
  each(eachType, String, async ([type, raw, numpy, given = raw]) => {
    const model = await inspect(holding(tensor('t', type, [2, 2], bytesOf(raw))), { kind: 'onnx' });
    const { dtype, field } = /** @type {any} */ ((await model.constants()).constants.items[0]);
    assert.deepEqual([dtype, field], [type, 'raw_data']);
    const values = await model.values('t');
    assert.deepEqual([values.dtype, values.numpy, values.shape, values.count], [type, numpy, [2, 2], 4]);
    assert.deepEqual(await values.bytes(), new Uint8Array(bytesOf(given)));
    model.close();
  }));

test('each type that has a number was looked at, or is text', () => {
  const known = [...eachType.map(([type]) => type), 'string'].sort();
  assert.deepEqual(known, Object.keys(types).sort());
});

test('texts, and values in the fields of their types', async () => {
  const texts = message([
    [1, 2],
    [2, Number(types.string)],
    [6, 'one'],
    [6, 'three'],
    [8, 't'],
  ]);
  const halves = message([
    [1, 2],
    [2, Number(types.float16)],
    [5, 0x3c00],
    [5, 0xc000],
    [8, 'halves'],
  ]);
  const of = graph('g', { nodes: [node('Identity', ['t'], ['y'])], outputs: [value('y', 'string')] });
  const model = await inspect(modelOf([...of, [5, texts], [5, halves]]), { kind: 'onnx' });
  const { constants } = await model.constants();
  assert.deepEqual(
    constants.items.map((/** @type {any} */ one) => [one.node, /** @type {any} */ (one).preview]),
    [
      ['t', ['one', 'three']],
      ['halves', [1, -2]],
    ],
  );
  const read = await model.values('halves');
  assert.deepEqual(await read.bytes(), new Uint8Array([0, 0x3c, 0, 0xc0]));
  const values = await model.values('t', { exactTexts: true });
  assert.deepEqual(
    await values.bytes(),
    new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 111, 110, 101, 5, 0, 0, 0, 0, 0, 0, 0, 116, 104, 114, 101, 101]),
  );
  model.close();
});

/* --- Values in other files ------------------------------------------------------ */

const beside = holding(external('t', 'float32', [2, 2], { location: 'w/data.bin', offset: '8', length: '16' }));
const data = bytesOf(new Float32Array([0, 0, 1, 2, 3, 4]));

test('values in another file are read by range, from what the source has beside it', async () => {
  /** @type {string[]} */
  const named = [];
  const file = (/** @type {Uint8Array} */ bytes) => ({
    name: 'model.onnx',
    stat: async () => ({ size: bytes.length }),
    read: async (/** @type {number} */ at, /** @type {number} */ length) => bytes.subarray(at, at + length),
  });
  const source = { ...file(beside), beside: async (/** @type {string} */ name) => (named.push(name), file(data)) };
  const model = await inspect(source, { kind: 'onnx' });
  assert.deepEqual((await model.overview()).external_data, [{ location: 'w/data.bin', tensors: 1, bytes: 16 }]);
  assert.deepEqual(named, []);
  const values = await model.values('t');
  assert.deepEqual([...new Float32Array((await values.bytes()).buffer)], [1, 2, 3, 4]);
  assert.deepEqual(named, ['w/data.bin']);
  model.close();
});

test('files that `references` names are requested by name, without a known size', async () => {
  /** @type {any[]} */
  const asked = [];
  const references = (/** @type {any[]} */ ...args) => (asked.push(args), data);
  const model = await inspect(beside, { kind: 'onnx', references });
  const values = await model.values('t');
  assert.deepEqual([...new Float32Array((await values.bytes()).buffer)], [1, 2, 3, 4]);
  assert.deepEqual(asked, [['w/data.bin', { size: undefined }]]);
  model.close();
});

test('an error names the file that is outside the folder, missing or too short', async () => {
  const outside = holding(external('t', 'float32', [2], { location: '../w.bin' }));
  const refused = await inspect(outside, { kind: 'onnx' });
  const [one] = (await refused.constants()).constants.items;
  assert.match(/** @type {any} */ (one).external.problem, /./);
  await assert.rejects(
    refused.values('t').then((/** @type {any} */ values) => values.bytes()),
    /w\.bin/,
  );
  refused.close();
  const none = await inspect(beside, { kind: 'onnx', references: () => undefined });
  await assert.rejects(none.values('t'), /file "w\/data\.bin"/);
  none.close();
  const short = await inspect(beside, { kind: 'onnx', references: () => data.subarray(0, 12) });
  await assert.rejects(
    short.values('t').then((/** @type {any} */ values) => values.bytes()),
    /w\/data\.bin/,
  );
  short.close();
});

test('two models whose values lie in other files are compared value by value', async () => {
  const other = bytesOf(new Float32Array([0, 0, 1, 2, 3.5, 4]));
  const from = (/** @type {Uint8Array} */ bytes) => ({ references: () => bytes });
  const same = await diff(beside, beside, { a: from(data), b: from(data) });
  assert.equal(same.equal, true);
  const { equal, sections } = await diff(beside, beside, { a: from(data), b: from(other) });
  assert.equal(equal, false);
  assert.deepEqual(
    sections
      .filter((/** @type {any} */ { differences }) => differences.length)
      .map((/** @type {any} */ { section }) => section),
    ['constants'],
  );
});

/* --- What it costs --------------------------------------------------------------- */

/**
 * A model of initializers, and its end, sparse.
 *
 * @param {number} count @param {(i: number) => number} sizeOf bytes of each
 */
function large(count, sizeOf) {
  const nodes = Array.from({ length: count }, (_, i) => node('MatMul', [`v${i}`, `w${i}`], [`v${i + 1}`]));
  const ends = message([
    [11, value('v0', 'float32', [1])],
    [12, value(`v${count}`, 'float32', [1])],
  ]);
  const beginning = message([...nodes.map((one) => /** @type {any} */ ([1, one])), [2, 'g']]);
  const sizes = Array.from({ length: count }, (_, i) => sizeOf(i));
  const heads = sizes.map((size, i) => {
    const fields = message([
      [1, size / 4],
      [2, 1],
      [8, `w${i}`],
    ]);
    const raw = Uint8Array.from([0x4a, ...varint(size)]);
    return Uint8Array.from([0x2a, ...varint(fields.length + raw.length + size), ...fields, ...raw]);
  });
  const within = heads.reduce((sum, head, i) => sum + head.length + Number(sizes[i]), 0);
  const length = beginning.length + within + ends.length;
  const pieces = [{ offset: 0, bytes: Uint8Array.from([8, 9, 0x3a, ...varint(length), ...beginning]) }];
  let at = Number(pieces[0]?.bytes.length);
  for (const [i, bytes] of heads.entries()) {
    pieces.push({ offset: at, bytes });
    at += bytes.length + Number(sizes[i]);
  }
  const opset = message([[8, [[2, 17]]]]);
  pieces.push({ offset: at, bytes: ends }, { offset: at + ends.length, bytes: opset });
  return sparse(at + ends.length + opset.length, pieces);
}

/** @param {number} value @returns {number[]} */
const varint = (value) => (value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))]);

test('40 initializers of 16 MiB: at most 1 MB is read, and no values', async () => {
  const { source, cost } = large(40, () => 16 * 2 ** 20);
  const model = await inspect({ ...source, name: 'model.onnx' });
  const { parameters, inputs, outputs } = await model.overview();
  assert.equal(parameters?.size, 40 * 16 * 2 ** 20);
  assert.deepEqual([inputs.items[0]?.name, outputs.items[0]?.name], ['v0', 'v40']);
  assert.ok(cost.requests <= 45, `${cost.requests} requests`);
  assert.ok(cost.bytes < 2 ** 20, `${cost.bytes} bytes`);
  model.close();
});

test('brief answers take few requests, however many initializers there are; others read on', async () => {
  const sizeOf = (/** @type {number} */ i) => 2 ** 20 + 4 * ((i * 7919) % 9973);
  const { source, cost } = large(200, sizeOf);
  const model = await inspect({ ...source, name: 'model.onnx' });
  const { inputs, outputs, unread, parameters, graph } = await model.overview({ brief: true });
  assert.deepEqual([inputs.items[0]?.name, outputs.items[0]?.name], ['v0', 'v200']);
  assert.deepEqual([parameters, graph?.initializers], [undefined, null]);
  assert.ok(Number(unread?.size) > 200 * 2 ** 20);
  assert.equal((await model.nodes({ brief: true })).nodes.total, 200);
  assert.ok(cost.requests <= 6, `${cost.requests} requests`);
  assert.ok(cost.bytes < 2 ** 20, `${cost.bytes} bytes`);
  const whole = await model.overview();
  const sum = Array.from({ length: 200 }, (_, i) => sizeOf(i)).reduce((all, one) => all + one);
  assert.deepEqual([whole.unread, whole.parameters?.size, whole.graph?.initializers], [undefined, sum, 200]);
  assert.equal((await model.overview({ brief: true })).parameters?.size, sum);
  model.close();
});
