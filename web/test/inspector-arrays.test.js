/** Values on the inspector page, as numbers and as files: against those that the native `cpb extract` writes. */
// runtimes: node
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './runtimes/files.js';
import { temporary } from './runtimes/process.js';
import { libcpb } from './support/libcpb.js';
import { core } from './support/core.js';
import { entry, immediate, operation, program } from './support/coreml.js';
import { graph, model, node, tensor, types, value } from './support/onnx.js';
import { sameDiffModels } from './support/models.js';
import { assert, test } from './support/test.js';

const page = (/** @type {string} */ name) =>
  import(String(new URL(`../inspector/src/model/${name}.js`, import.meta.url)));
const [{ Arrays }, { rangesOf, shapeOf, Picker }] = await Promise.all([page('arrays'), page('slices')]);
const command = process.env.CPB ?? `${root}build/cpb`;
const { signal } = new AbortController();
const text = new TextDecoder();

/** @param {any} opened */
const arraysOf = (opened) => new Arrays(opened, opened.ask, opened.kind, core);

/** A file of values as the page writes it. @param {any} opened @param {any} what */
async function written(opened, what) {
  const pieces = [];
  for await (const piece of arraysOf(opened).file(what, signal)) pieces.push(piece.slice());
  return Buffer.concat(pieces);
}

/** What the page shows. @param {any} opened @param {any} what */
const shown = (opened, what) => arraysOf(opened).values(what, signal);

/** As many bytes as so many elements take. @param {string} type @param {number} count */
function bytesOf(type, count) {
  const bits = { bool: 8, float64: 64, complex64: 64, complex128: 128 }[type] ?? Number(/\d+/.exec(type)?.[0]);
  const raw = Uint8Array.from({ length: Math.ceil((count * bits) / 8) }, (_, i) => (i * 37 + 11) % 251);
  return type === 'bool' ? raw.map((byte) => byte % 2) : raw;
}

/** The .npy of the command; undefined: NumPy has no such type. @param {string} file @param {string} name */
function extracted(file, name) {
  const { status, stdout, stderr } = spawnSync(command, ['extract', file, name, '-o', '-'], { encoding: 'buffer' });
  if (status === 0) return stdout;
  assert.match(String(stderr), /NumPy has no type/);
  return undefined;
}

/**
 * The command's statistics; without the place of the array.
 *
 * @param {string} file @param {string} name @param {string[]} options
 */
function asked(file, name, ...options) {
  const { stdout } = spawnSync(command, ['inspect', file, 'weights', name, '--json', ...options], { encoding: 'utf8' });
  const { listed: _, ...statistics } = JSON.parse(stdout);
  return statistics;
}

const numeric = Object.keys(types).filter((type) => type !== 'string');

test('a saved .npy is byte for byte what cpb extract writes, for every type', async () => {
  const { path, remove } = temporary();
  const file = join(path, 'all.onnx');
  const tensors = numeric.map((type) => tensor(type, type, [2, 3], bytesOf(type, 6)));
  /** @type {import('./support/protobuf.js').Field[]} */
  const texts = [
    [1, 2],
    [2, 8],
    [8, 'string'],
    [6, 'one'],
    [6, 'longer'],
  ];
  const scalar = tensor('scalar', 'float32', [], bytesOf('float32', 1));
  writeFileSync(file, model(graph('g', { nodes: [], initializers: [...tensors, texts, scalar] })));
  const opened = await libcpb.inspect(file);
  const samediff = String(sameDiffModels().find((/** @type {string} */ one) => one.endsWith('/three_tags.zip')));
  const other = await libcpb.inspect(samediff);
  const { constants } = await other.ask('constants', { count: 'all' });
  const cases = [
    ...[...numeric, 'string', 'scalar'].map((name) => ({ opened, name, from: file })),
    ...constants.items.map((/** @type {any} */ { node: name }) => ({ opened: other, name, from: samediff })),
  ];
  try {
    for (const { opened: from, name, from: source } of cases) {
      const wanted = extracted(source, name);
      const saved = written(from, { tensor: { node: name }, form: 'npy' });
      if (wanted) assert.deepEqual(await saved, wanted, name);
      else await assert.rejects(saved, /NumPy has no type/);
    }
    assert.ok(cases.length > 30);
    await assert.rejects(written(opened, { tensor: { node: 'string' }, form: 'csv' }), /saved as .npy only/);
  } finally {
    opened.close();
    other.close();
    remove();
  }
});

test('statistics are those of the command, for every type', async () => {
  const { path, remove } = temporary();
  const file = join(path, 'all.onnx');
  const initializers = numeric.map((type) => tensor(type, type, [2, 3], bytesOf(type, 6)));
  writeFileSync(file, model(graph('g', { nodes: [], initializers })));
  const opened = await libcpb.inspect(file);
  try {
    for (const type of numeric) {
      const { statistics } = await shown(opened, { tensor: { node: type, dtype: type, shape: [2, 3] }, axis: 0 });
      assert.deepEqual(statistics, asked(file, type, '--axis', '0'), type);
    }
  } finally {
    opened.close();
    remove();
  }
});

test('a slice picks what NumPy would, from either order of the dimensions and from pieces of any size', () => {
  const shape = [3, 4, 5];
  const at = (/** @type {number[]} */ [i = 0, j = 0, k = 0]) => 20 * i + 5 * j + k;
  /** @type {[string, number[], number[]][]} shape, and the first elements */
  const cases = [
    ['', [3, 4, 5], [0, 1, 2, 3, 4, 5]],
    ['[0, :, 3]', [4], [3, 8, 13, 18]],
    ['-1', [4, 5], [40, 41, 42]],
    ['..., -1', [3, 4], [4, 9, 14, 19, 24]],
    ['::-1, 1, ::2', [3, 3], [45, 47, 49, 25, 27, 29, 5, 7, 9]],
    ['1:9, 3:0:-2, 4:2:-1', [2, 2, 2], [39, 38, 29, 28, 59, 58, 49, 48]],
    ['[2, 3, 4]', [], [59]],
    ['5:', [0, 4, 5], []],
  ];
  for (const fortranOrder of [false, true])
    for (const size of [1, 3, 7, 1000])
      for (const [slice, wanted, first] of cases) {
        const bytes = new Uint8Array(60);
        for (let i = 0; i < 60; i++) {
          const [a, b, c] = [Math.floor(i / 20), Math.floor(i / 5) % 4, i % 5];
          bytes[fortranOrder ? a + 3 * b + 12 * c : i] = at([a, b, c]);
        }
        const ranges = rangesOf(slice, shape);
        const picker = new Picker({ shape, itemSize: 1, fortranOrder }, ranges);
        for (let i = 0; i < 60 && !picker.done; i += size) picker.take(bytes.subarray(i, i + size));
        assert.ok(picker.done);
        assert.deepEqual(shapeOf(ranges), wanted, slice);
        assert.deepEqual([...picker.bytes.subarray(0, first.length)], first, `${slice} ${fortranOrder} ${size}`);
      }
  for (const wrong of ['0,0,0,0', '3', 'a', '::0', '1 2:,x', ','])
    assert.throws(() => rangesOf(wrong, shape), { code: 'SLICE' });
});

test('numbers of a slice: zeros, NaN and infinities, ranges of each index; as CSV and as a list', async () => {
  const numbers = new Float32Array([0, 0.1, NaN, Infinity, 5, 0, -2, 1e-8]);
  const { path, remove } = temporary();
  const file = join(path, 'w.onnx');
  const initializers = [tensor('w', 'float32', [2, 4], new Uint8Array(numbers.buffer))];
  writeFileSync(file, model(graph('g', { nodes: [], initializers })));
  const opened = await libcpb.inspect(file);
  const what = { tensor: { node: 'w', dtype: 'float32', shape: [2, 4] } };
  const all = await shown(opened, what);
  const { zeros, nan, infinite, finite, minimum, maximum } = all.statistics.numbers;
  assert.deepEqual([zeros, nan, infinite, finite, minimum, maximum], [2, 1, 1, 6, -2, 5]);
  assert.deepEqual(all.statistics.parts.ranges, [
    [0, 5],
    [0, 0.1],
    [-2, -2],
    [1e-8, 1e-8],
  ]);
  assert.deepEqual(all.statistics, asked(file, 'w', '--axis', '1'));
  const row = await shown(opened, { ...what, slice: '[1, ::-1]' });
  assert.deepEqual([row.shape, row.count, row.statistics.numbers.zeros, row.statistics.first.at(-1)], [[4], 4, 1, 5]);
  assert.equal(text.decode(await written(opened, { ...what, form: 'csv' })), '0,0.1,nan,inf\n5,0,-2,1e-8\n');
  assert.equal(text.decode(await written(opened, { ...what, slice: ':, 0', form: 'csv' })), '0\n5\n');
  assert.equal(
    text.decode(await written(opened, { ...what, form: 'list' })),
    '[[0, 0.1, nan, inf],\n [5, 0, -2, 1e-8]]',
  );
  const part = await written(opened, { ...what, slice: '0, 1:2', form: 'npy' });
  assert.match(part.toString('latin1'), /'shape': \(1,\), \} +\n....$/s);
  opened.close();
  remove();
});

test('quantized values also as the real ones that their node makes of them', async () => {
  const { path, remove } = temporary();
  const file = join(path, 'q.onnx');
  writeFileSync(
    file,
    model(
      graph('q', {
        nodes: [
          node('DequantizeLinear', ['w', 's', 'z'], ['r'], {
            name: 'dq',
            attributes: [
              [
                [1, 'axis'],
                [3, 0],
                [20, 2],
              ],
            ],
          }),
          node('DequantizeLinear', ['v', 'vs'], ['u'], {
            name: 'blocks',
            attributes: [
              [
                [1, 'axis'],
                [3, 1],
                [20, 2],
              ],
              [
                [1, 'block_size'],
                [3, 2],
                [20, 2],
              ],
            ],
          }),
          node('QLinearMatMul', ['x', 'xs', 'xz', 'b', 'bs', 'bz', 'ys', 'yz'], ['y'], { name: 'mul' }),
        ],
        initializers: [
          tensor('w', 'int8', [2, 3], new Uint8Array(Int8Array.of(-2, 0, 2, 1, 2, 3).buffer)),
          tensor('s', 'float32', [2], new Uint8Array(Float32Array.of(0.5, 2).buffer)),
          tensor('z', 'int8', [2], Uint8Array.of(0, 1)),
          tensor('v', 'int8', [1, 5], Uint8Array.of(1, 2, 3, 4, 5)), // in blocks of 2, 2 and 1
          tensor('vs', 'float32', [1, 3], new Uint8Array(Float32Array.of(1, 10, 100).buffer)),
          tensor('b', 'uint8', [2, 2], Uint8Array.of(9, 10, 11, 12)),
          tensor('bs', 'float32', [], new Uint8Array(Float32Array.of(0.25).buffer)),
          tensor('bz', 'uint8', [], Uint8Array.of(10)),
        ],
        inputs: [value('x', 'uint8', [1, 2])],
      }),
    ),
  );
  const opened = await libcpb.inspect(file);
  const w = { node: 'w', dtype: 'int8', shape: [2, 3] };
  assert.deepEqual((await shown(opened, { tensor: w })).scales, { by: 'dq', scale: 's', zero: 'z' });
  assert.deepEqual((await shown(opened, { tensor: w, real: true })).statistics.first, [-1, 0, 1, 0, 2, 4]);
  assert.deepEqual((await shown(opened, { tensor: w, real: true, slice: '1' })).statistics.first, [0, 2, 4]);
  const b = { node: 'b', dtype: 'uint8', shape: [2, 2] };
  assert.equal(text.decode(await written(opened, { tensor: b, real: true, form: 'csv' })), '-0.25,0\n0.25,0.5\n');
  assert.equal((await shown(opened, { tensor: { node: 'bs', dtype: 'float32', shape: [] } })).scales, undefined);
  const v = { node: 'v', dtype: 'int8', shape: [1, 5] };
  assert.deepEqual((await shown(opened, { tensor: v, real: true })).statistics.first, [1, 2, 30, 40, 500]);
  for (const tensor of [w, b, v]) await sameReals(opened, tensor, file);
  opened.close();
  remove();
});

/** The page's real values against the command's. @param {any} opened @param {any} tensor @param {string} file */
async function sameReals(opened, tensor, file) {
  const { statistics } = await shown(opened, { tensor, real: true });
  const { numbers, first, quantized } = asked(file, tensor.node);
  assert.ok(quantized.scales > 0);
  assert.deepEqual([statistics.numbers, statistics.first], [numbers, first]);
}

test('real values of Core ML have a scale for each channel, for each block, or one in the operation', async () => {
  const { path, remove } = temporary();
  const file = join(path, 'q.mlmodel');
  const q = Uint8Array.from({ length: 24 }, (_, i) => (37 * i) % 251);
  const floats = (/** @type {number[]} */ ...list) => new Uint8Array(Float32Array.from(list).buffer);
  const dequantize = (/** @type {string} */ name, /** @type {any} */ parts) =>
    operation(
      parts.data ? 'constexpr_blockwise_shift_scale' : 'constexpr_affine_dequantize',
      {},
      [name, 'float32', [4, 6]],
      { attributes: Object.entries(parts).map(([key, part]) => entry(5, key, part)) },
    );
  const data = immediate('int8', [4, 6], q);
  const zero = immediate('int8', [], Uint8Array.of(3));
  writeFileSync(
    file,
    program(
      [
        dequantize('one', { quantized_data: data, scale: immediate('float32', [], floats(0.3)), zero_point: zero }),
        dequantize('channels', {
          ...{ quantized_data: data, scale: immediate('float32', [4], floats(0.1, 1, 2, 3)), zero_point: zero },
          axis: [...immediate('int32', [], new Uint8Array()).slice(0, 1), [3, [[1, [[2, [[1, Uint8Array.of(0)]]]]]]]],
        }),
        dequantize('blocks', { data, scale: immediate('float32', [4, 2], floats(1, 2, 3, 4, 5, 6, 7, 8)) }),
      ],
      ['one'],
    ),
  );
  const opened = await libcpb.inspect(file);
  const about = { dtype: 'int8', shape: [4, 6] };
  for (const name of ['one:quantized_data', 'channels:quantized_data', 'blocks:data'])
    await sameReals(opened, { node: name, ...about }, file);
  const blocks = await shown(opened, { tensor: { node: 'blocks:data', ...about }, real: true, slice: '1, 2:4' });
  const stored = new Int8Array(q.buffer);
  assert.deepEqual(blocks.statistics.first, [3 * Number(stored[8]), 4 * Number(stored[9])]);
  opened.close();
  remove();
});

test('a slice of the beginning reads no further, and a part is all that is held of a large array', async () => {
  let read = 0;
  const array = {
    ...{ dtype: 'float32', numpy: '<f4', shape: [1 << 16, 1 << 14], itemSize: 4, count: 2 ** 30, size: 2 ** 32 },
    stream: () =>
      (async function* () {
        for (; read < 2 ** 32; read += 2 ** 20) yield new Uint8Array(2 ** 20);
      })(),
    close() {},
  };
  const arrays = new Arrays({ values: async () => array }, async () => ({}), 'graph_def', core);
  const tensor = { node: 'w', dtype: 'float32' };
  assert.deepEqual((await arrays.values({ tensor, slice: '[:100, 3]' }, signal)).shape, [100]);
  assert.ok(read <= 8 * 2 ** 20, String(read));
  await assert.rejects(arrays.values({ tensor }, signal), /a page holds at most/);
});
