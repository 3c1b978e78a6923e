/** ONNX models, made by hand: field numbers of onnx.proto. */
import { message } from './protobuf.js';

/** @import { Field } from './protobuf.js' */

/** TensorProto.DataType by the names of answers. @type {Record<string, number>} */
export const types = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint64: 13,
  complex64: 14,
  complex128: 15,
  bfloat16: 16,
  float8_e4m3fn: 17,
  float8_e4m3fnuz: 18,
  float8_e5m2: 19,
  float8_e5m2fnuz: 20,
  uint4: 21,
  int4: 22,
  float4_e2m1fn: 23,
  float8_e8m0fnu: 24,
  uint2: 25,
  int2: 26,
  float6_e2m3fn: 27,
  float6_e3m2fn: 28,
};

/**
 * Values in raw_data.
 *
 * @param {string} name @param {string} type @param {number[]} dims @param {Uint8Array} raw @returns {Field[]}
 */
export const tensor = (name, type, dims, raw) => [
  ...dims.map((size) => /** @type {Field} */ ([1, size])),
  [2, Number(types[type])],
  [8, name],
  [9, raw],
];

/**
 * Values in another file.
 *
 * @param {string} name @param {string} type @param {number[]} dims @param {Record<string, string>} where
 * @returns {Field[]}
 */
export const external = (name, type, dims, where) => [
  ...dims.map((size) => /** @type {Field} */ ([1, size])),
  [2, Number(types[type])],
  [8, name],
  ...Object.entries(where).map(([key, value]) => entry(13, key, value)),
  [14, 1],
];

/** @param {number} field @param {string} key @param {string} value @returns {Field} */
const entry = (field, key, value) => [
  field,
  [
    [1, key],
    [2, value],
  ],
];

/**
 * A value with its type: sizes, their names, or '' for one that is not known.
 *
 * @param {string} name @param {string} type @param {(number | string)[]} [dims] @returns {Field[]}
 */
export function value(name, type, dims) {
  const dimension = (/** @type {number | string} */ one) =>
    /** @type {Field} */ ([1, one === '' ? [] : [typeof one === 'number' ? [1, one] : [2, one]]]);
  /** @type {Field[]} */
  const of = [[1, Number(types[type])], ...(dims ? [/** @type {Field} */ ([2, dims.map(dimension)])] : [])];
  return [
    [1, name],
    [2, [[1, of]]],
  ];
}

/**
 * @param {string} op @param {string[]} inputs @param {string[]} outputs
 * @param {{ name?: string, domain?: string, attributes?: Field[][] }} [more] @returns {Field[]}
 */
export const node = (op, inputs, outputs, { name, domain, attributes = [] } = {}) => [
  ...inputs.map((one) => /** @type {Field} */ ([1, one])),
  ...outputs.map((one) => /** @type {Field} */ ([2, one])),
  ...(name === undefined ? [] : [/** @type {Field} */ ([3, name])]),
  [4, op],
  ...attributes.map((one) => /** @type {Field} */ ([5, one])),
  ...(domain === undefined ? [] : [/** @type {Field} */ ([7, domain])]),
];

/** @param {string} name @param {Field[][]} graphs @returns {Field[]} */
export const graphAttribute = (name, [graph]) => [
  [1, name],
  [6, graph ?? []],
  [20, 5],
];

/** @param {string} name @param {number[]} list @returns {Field[]} */
export const ints = (name, list) => [[1, name], ...list.map((one) => /** @type {Field} */ ([8, one])), [20, 7]];

/**
 * @param {string} name
 * @param {{ nodes: Field[][], initializers?: Field[][], inputs?: Field[][], outputs?: Field[][], infos?: Field[][] }} of
 * @returns {Field[]}
 */
export const graph = (name, { nodes, initializers = [], inputs = [], outputs = [], infos = [] }) => [
  ...nodes.map((one) => /** @type {Field} */ ([1, one])),
  [2, name],
  ...initializers.map((one) => /** @type {Field} */ ([5, one])),
  ...inputs.map((one) => /** @type {Field} */ ([11, one])),
  ...outputs.map((one) => /** @type {Field} */ ([12, one])),
  ...infos.map((one) => /** @type {Field} */ ([13, one])),
];

/**
 * @param {Field[]} of its graph
 * @param {Field[]} [more] other fields of the model
 */
export const model = (of, more = []) =>
  message([
    [1, 9],
    [2, 'by hand'],
    [3, '1.0'],
    [7, of],
    [
      8,
      [
        [1, ''],
        [2, 17],
      ],
    ],
    ...more,
  ]);

/** A function, a branch, scopes, a constant, weights, and what there is beside. */
export function small() {
  const weights = new Uint8Array(new Float32Array(48).map((_, i) => i / 8).buffer);
  const branch = (/** @type {string} */ name, /** @type {string} */ op) =>
    graph(name, {
      nodes: [node(op, ['logits'], [`${name}_out`], { name: `${name}_node` })],
      outputs: [value(`${name}_out`, 'float32', ['batch', 4])],
    });
  const of = graph('classifier', {
    nodes: [
      node('Conv', ['x', 'layer.0.weight'], ['/layer.0/Conv_out'], {
        name: '/layer.0/Conv',
        attributes: [ints('pads', [1, 1])],
      }),
      node('Relu', ['/layer.0/Conv_out'], ['/layer.0/Relu_out'], { name: '/layer.0/Relu' }),
      node('Constant', [], ['shape'], {
        name: '/Constant',
        attributes: [
          [
            [1, 'value'],
            [5, tensor('', 'int64', [2], new Uint8Array(new BigInt64Array([1n, -1n]).buffer))],
            [20, 4],
          ],
        ],
      }),
      node('Reshape', ['/layer.0/Relu_out', 'shape'], ['logits']),
      node('If', ['training'], ['y'], {
        name: 'check',
        attributes: [
          graphAttribute('then_branch', [branch('then', 'Softmax')]),
          graphAttribute('else_branch', [branch('else', 'Identity')]),
        ],
      }),
      node('Twice', ['y'], ['probabilities'], { name: 'twice', domain: 'my.lib' }),
    ],
    initializers: [tensor('layer.0.weight', 'float32', [4, 3, 4], weights)],
    inputs: [value('x', 'float32', ['batch', 3, '']), value('training', 'bool', [])],
    outputs: [value('probabilities', 'float32', ['batch', 4])],
    infos: [value('/layer.0/Conv_out', 'float32', ['batch', 4])],
  });
  /** @type {Field[]} */
  const twice = [
    [1, 'Twice'],
    [4, 'a'],
    [5, 'b'],
    [7, node('Add', ['a', 'a'], ['b'], { name: 'add' })],
    [
      9,
      [
        [1, ''],
        [2, 17],
      ],
    ],
    [10, 'my.lib'],
  ];
  return model(of, [entry(14, 'author', 'somebody'), [25, twice]]);
}

/** One initializer with what `tensor` or `external` made. @param {Field[][]} initializers */
export const holding = (...initializers) =>
  model(
    graph('g', {
      nodes: [node('Identity', ['t'], ['y'], { name: 'take' })],
      initializers,
      outputs: [value('y', 'float32')],
    }),
  );

/** An attribute of each kind. @returns {Field[][]} */
function attributes() {
  const text = (/** @type {string} */ name, /** @type {number} */ kind, /** @type {Field[]} */ ...fields) =>
    /** @type {Field[]} */ ([[1, name], ...fields, [20, kind]]);
  const one = tensor('a', 'uint8', [1], Uint8Array.of(7));
  /** @type {Field[]} */
  const sparseOne = [
    [1, tensor('s', 'float32', [1], new Uint8Array(4))],
    [2, tensor('i', 'int64', [1], new Uint8Array(8))],
    [3, 9],
  ];
  /** @type {Field[]} */
  const type = [[4, [[1, [[1, [[1, 1]]]]]]]];
  const inner = graph('inner', { nodes: [node('Identity', ['x'], ['z'])] });
  return [
    text('none', 0),
    text('int', 2, [3, 5]),
    text('string', 3, [4, 'text']),
    text('long', 3, [4, 'x'.repeat(3000)]),
    text('tensor', 4, [5, one]),
    text('graph', 5, [6, inner]),
    text('ints', 7, [8, 1], [8, 2]),
    text('strings', 8, [9, 'a'], [9, 'b']),
    text('tensors', 9, [10, one]),
    text('graphs', 10, [11, inner], [11, inner]),
    text('sparse', 11, [22, sparseOne]),
    text('sparses', 12, [23, sparseOne]),
    text('type', 13, [14, type]),
    text('types', 14, [15, type]),
    text('missing tensor', 4),
    text('reference', 2, [21, 'outer']),
  ];
}

/** Values whose types are made of others, a sparse initializer, quantization, training, and what is wrong. */
function rich() {
  const map = /** @type {Field[]} */ ([
    [
      5,
      [
        [1, 7],
        [2, [[1, [[1, 1]]]]],
      ],
    ],
  ]);
  const named = (/** @type {string} */ name, /** @type {Field[]} */ type) =>
    /** @type {Field[]} */ ([
      [1, name],
      [2, type],
    ]);
  const of = graph('rich', {
    nodes: [
      node('Mix', ['x', '', 'w'], ['y'], { domain: 'custom', attributes: attributes() }),
      [...node('Same', ['y'], ['y2'], { name: 'same', domain: 'com.microsoft' }), [6, 'a doc']],
      node('Same', ['y2'], ['y3'], { name: 'same', domain: 'com.microsoft' }),
    ],
    initializers: [
      tensor('w', 'float8_e4m3fn', [2], Uint8Array.of(1, 2)),
      tensor('large', 'float32', [600], new Uint8Array(2400)),
      external('away', 'int8', [3], { location: 'w.bin', checksum: 'abc' }),
      external('wrong', 'int8', [3], { location: '/etc/passwd' }),
      [
        [2, 99],
        [8, 'unknown'],
      ],
      [[8, 'undefined']],
    ],
    inputs: [
      value('x', 'float32'),
      named('m', [[4, [[1, map]]]]),
      named('o', [
        [
          7,
          [
            [1, 'lib'],
            [2, 'thing'],
          ],
        ],
      ]),
      named('q', [
        [
          9,
          [
            [
              1,
              [
                [
                  1,
                  [
                    [1, 8],
                    [2, []],
                  ],
                ],
              ],
            ],
          ],
        ],
      ]),
      named('s', [
        [
          8,
          [
            [1, 1],
            [2, [[1, [[1, 4]]]]],
          ],
        ],
      ]),
    ],
    outputs: [value('y3', 'float32', ['n', '', 2])],
  });
  /** @type {Field[]} */
  const more = [
    [
      15,
      [
        [1, tensor('sparse', 'float32', [1], new Uint8Array(4))],
        [2, tensor('', 'int64', [1], new Uint8Array(8))],
        [3, 9],
      ],
    ],
    [14, [[1, 'w'], entry(2, 'SCALE_TENSOR', 'w_scale')]],
    [10, 'of the graph'],
    entry(16, 'key', 'value'),
  ];
  const step = graph('step', { nodes: [node('Sub', ['w', 'g'], ['w2'], { name: 'sub' })] });
  return model(
    [...of, ...more],
    [
      [6, 'd'.repeat(3000)],
      [4, 'org.example'],
      [5, 3],
      [20, [[1, step], [2, step], entry(3, 'w', 'w0'), entry(4, 'w', 'w2')]],
    ],
  );
}

/** Models of all that there may be. @returns {[name: string, bytes: Uint8Array<ArrayBuffer>][]} */
export const onnxModels = () => [
  ['small', small()],
  ['rich', rich()],
  [
    'without a graph',
    message([
      [1, 9],
      [2, 'by hand'],
      [
        8,
        [
          [1, ''],
          [2, 17],
        ],
      ],
    ]),
  ],
  ['cut off', small().slice(0, 400)],
];
