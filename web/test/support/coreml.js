/** Core ML models, made by hand: field numbers of Model.proto, MIL.proto and NeuralNetwork.proto. */
import { message } from './protobuf.js';

/** @import { Field } from './protobuf.js' */

/** MILSpec.DataType by the names of answers. @type {Record<string, number>} */
const types = { string: 2, float16: 10, float32: 11, int8: 21, int32: 23, uint4: 35 };

/** @param {string} type @param {number[]} dims @returns {Field[]} */
const valueType = (type, dims) => [
  [
    1,
    [[1, Number(types[type])], [2, dims.length], ...dims.map((size) => /** @type {Field} */ ([3, [[1, [[1, size]]]]]))],
  ],
];

/** @param {number} field @param {string} key @param {Field[]} value @returns {Field} */
export const entry = (field, key, value) => [
  field,
  [
    [1, key],
    [2, value],
  ],
];

/** A text. @param {string} text @returns {Field[]} */
const textValue = (text) => [
  [2, valueType('string', [])],
  [3, [[1, [[4, [[1, text]]]]]]],
];

/**
 * Values in the model, as bytes.
 *
 * @param {string} type @param {number[]} dims @param {Uint8Array} bytes @returns {Field[]}
 */
export const immediate = (type, dims, bytes) => [
  [2, valueType(type, dims)],
  [3, [[1, [[7, [[1, bytes]]]]]]],
];

/**
 * Values in a file.
 *
 * @param {string} type @param {number[]} dims @param {string} file @param {number} offset @returns {Field[]}
 */
export const blob = (type, dims, file, offset) => [
  [2, valueType(type, dims)],
  [
    5,
    [
      [1, file],
      [2, offset],
    ],
  ],
];

/** @param {string} type @param {Record<string, string>} inputs @param {[name: string, type: string, dims: number[]]} output
 * @param {{ name?: string, attributes?: Field[], blocks?: Field[][] }} [more] @returns {Field[]} */
export const operation = (
  type,
  inputs,
  [output, dtype, dims],
  { name = output, attributes = [], blocks = [] } = {},
) => [
  [1, type],
  ...Object.entries(inputs).map(([key, value]) => entry(2, key, [[1, [[1, value]]]])),
  [
    3,
    [
      [1, output],
      [2, valueType(dtype, dims)],
    ],
  ],
  ...blocks.map((one) => /** @type {Field} */ ([4, one])),
  entry(5, 'name', textValue(name)),
  ...attributes,
];

/** @param {string} name @param {string} type @param {number[]} dims @param {Field[]} value @returns {Field[]} */
export const constant = (name, type, dims, value) =>
  operation('const', {}, [name, type, dims], { attributes: [entry(5, 'val', value)] });

/** @param {Field[][]} operations @param {string[]} outputs @returns {Field[]} */
export const block = (operations, outputs) => [
  ...outputs.map((one) => /** @type {Field} */ ([2, one])),
  ...operations.map((one) => /** @type {Field} */ ([3, one])),
];

/** An array. @param {string} name @param {number[]} shape @returns {Field[]} */
const feature = (name, shape) => [
  [1, name],
  [3, [[5, [...shape.map((size) => /** @type {Field} */ ([1, size])), [2, 65568]]]]],
];

/** A picture. @param {string} name @returns {Field[]} */
const picture = (name) => [
  [1, name],
  [
    3,
    [
      [
        4,
        [
          [1, 8],
          [2, 8],
          [3, 20],
        ],
      ],
    ],
  ],
];

/** @param {Field[][]} inputs @param {Field[][]} outputs @param {Field} type @param {Field[]} [metadata] */
const model = (inputs, outputs, type, metadata = []) =>
  message([
    [1, 8],
    [
      2,
      [
        ...inputs.map((one) => /** @type {Field} */ ([1, one])),
        ...outputs.map((one) => /** @type {Field} */ ([10, one])),
        [100, [[1, 'By hand'], [3, 'somebody'], ...metadata]],
      ],
    ],
    type,
  ]);

/** A program of one function. @param {Field[][]} operations @param {string[]} outputs @param {Field[][]} [inputs] */
export const program = (operations, outputs, inputs = [feature('x', [1, 4])]) =>
  model(
    inputs,
    outputs.map((name) => feature(name, [1, 2])),
    [502, [[1, 1], entry(2, 'main', [[2, 'CoreML8'], entry(3, 'CoreML8', block(operations, outputs))])]],
  );

/**
 * The file with weights: a header, a description, and values.
 *
 * @param {number} type of its format
 * @param {Uint8Array} values
 */
export function weightFile(type, values) {
  const file = new Uint8Array(128 + values.length);
  const view = new DataView(file.buffer);
  view.setUint32(0, 1, true);
  view.setUint32(4, 2, true);
  view.setUint32(64, 0xdeadbeef, true);
  view.setUint32(68, type, true);
  view.setUint32(72, values.length, true);
  view.setUint32(80, 128, true);
  file.set(values, 128);
  return file;
}

/** A linear layer with weights in a file, and a condition. */
export const small = () =>
  program(
    [
      constant('w', 'float32', [2, 4], blob('float32', [2, 4], '@model_path/weights/weight.bin', 64)),
      constant('axes', 'int32', [2], immediate('int32', [2], new Uint8Array([1, 0, 0, 0, 2, 0, 0, 0]))),
      operation('linear', { x: 'x', weight: 'w' }, ['h', 'float32', [1, 2]], { name: 'head/linear' }),
      operation('relu', { x: 'h' }, ['r', 'float32', [1, 2]], { name: 'head/relu' }),
      operation('cond', { pred: 'axes' }, ['y', 'float32', [1, 2]], {
        blocks: [
          block([operation('exp', { x: 'r' }, ['e', 'float32', [1, 2]])], ['e']),
          block([operation('neg', { x: 'r' }, ['n', 'float32', [1, 2]])], ['n']),
        ],
      }),
    ],
    ['y'],
    [feature('x', [1, 4]), picture('picture')],
  );

/** A network of two layers, the first with weights of its own. @param {Field[]} [more] layers and settings
 * @param {Field[]} [metadata] */
export const network = (more = [], metadata = []) =>
  model(
    [feature('x', [2])],
    [feature('y', [3])],
    [
      500,
      [
        ...more,
        [
          1,
          [
            [1, 'dense'],
            [2, 'x'],
            [3, 'h'],
            [
              140,
              [
                [1, 2],
                [2, 3],
                [20, [[1, new Uint8Array(new Float32Array([1, 2, 3, 4, 5, 6]).buffer)]]],
              ],
            ],
          ],
        ],
        [
          1,
          [
            [1, 'soft'],
            [2, 'h'],
            [3, 'y'],
            [175, []],
          ],
        ],
      ],
    ],
    metadata,
  );

/** What weights of `small` are. */
export const weights = () => weightFile(2, new Uint8Array(new Float32Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer));

/** Models of each form. @returns {[name: string, bytes: Uint8Array][]} */
export const coremlModels = () => [
  ['program', small()],
  ['network', network()],
];
