/** SavedModels as TensorFlow's protos have them, made for tests: large ones, hostile ones. */
import { message } from './protobuf.js';

/** @typedef {import('./protobuf.js').Field} Field */

/**
 * A NodeDef.
 *
 * @param {string} name @param {string} op @param {string[]} [inputs] @param {Field[]} [attributes] @returns {Field[]}
 */
const node = (name, op, inputs = [], attributes = []) => [
  [1, name],
  [2, op],
  ...inputs.map((one) => /** @type {Field} */ ([3, one])),
  ...attributes,
];

/** A function's reference, as an attribute. @param {string} name @returns {Field} */
const calls = (name) => [
  5,
  [
    [1, 'f'],
    [2, [[10, [[1, name]]]]],
  ],
];

/** A FunctionDef. @param {string} name @param {Field[][]} nodes @returns {Field[]} */
const func = (name, nodes) => [
  [
    1,
    [
      [1, name],
      [
        2,
        [
          [1, 'x'],
          [3, 1],
        ],
      ],
      [
        3,
        [
          [1, 'y'],
          [3, 1],
        ],
      ],
    ],
  ],
  ...nodes.map((one) => /** @type {Field} */ ([3, one])),
  [
    4,
    [
      [1, 'y'],
      [2, `${name.length}:y:0`],
    ],
  ],
];

/** A SignatureDef's entry. @param {string} key @param {string} input @returns {Field[]} */
const signature = (key, input) => [
  [1, key],
  [
    2,
    [
      [
        1,
        [
          [1, input],
          [
            2,
            [
              [1, `${input}:0`],
              [2, 1],
            ],
          ],
        ],
      ],
      [
        2,
        [
          [1, 'y'],
          [
            2,
            [
              [1, `${input}:0`],
              [2, 1],
            ],
          ],
        ],
      ],
      [3, 'tensorflow/serving/predict'],
    ],
  ],
];

/**
 * @param {{ nodes?: Field[][], functions?: Field[][], signatures?: Field[][], objects?: Field[][] }} parts
 */
const modelOf = ({ nodes = [], functions = [], signatures = [], objects = [] }) =>
  message([
    [1, 1],
    [
      2,
      [
        [
          1,
          [
            [4, 'serve'],
            [5, '2.21.0'],
          ],
        ],
        [
          2,
          [
            ...nodes.map((one) => /** @type {Field} */ ([1, one])),
            [2, functions.map((one) => /** @type {Field} */ ([1, one]))],
          ],
        ],
        ...signatures.map((one) => /** @type {Field} */ ([5, one])),
        ...(objects.length ? [/** @type {Field} */ ([7, objects.map((one) => /** @type {Field} */ ([1, one]))])] : []),
      ],
    ],
  ]);

/** A graph of these nodes. @param {[name: string, op: string, inputs?: string[]][]} nodes */
export const savedModel = (nodes) =>
  modelOf({ nodes: nodes.map((one) => node(...one)), signatures: [signature('serving_default', 'x')] });

/**
 * fingerprint.pb and keras_metadata.pb, as they lie beside a SavedModel.
 *
 * @returns {Record<string, Uint8Array<ArrayBuffer>>}
 */
export const beside = () => ({
  'fingerprint.pb': message([
    [1, 4711],
    [2, 4712],
    [7, '118527510556'],
  ]),
  'keras_metadata.pb': message([
    [
      1,
      [
        [2, 0],
        [3, 'root'],
        [4, '_tf_keras_network'],
        [5, '{"class_name": "Functional", "name": "by_the_file", "config": {}}'],
      ],
    ],
  ]),
});

/**
 * A graph of so many nodes, a tenth of them in the main graph, the rest in functions.
 *
 * @param {number} nodes
 * @param {number} functions
 */
export function large(nodes, functions) {
  const main = nodes / 10;
  const inside = (nodes - main) / functions;
  const chain = (/** @type {number} */ count, /** @type {(i: number) => string} */ name) =>
    Array.from({ length: count }, (_, i) =>
      node(
        name(i),
        ['MatMul', 'Relu', 'AddV2', 'Const'][i % 4] ?? '',
        i ? [name(i - 1), ...(i > 40 ? [name(i - 40)] : [])] : [],
      ),
    );
  return modelOf({
    nodes: chain(main, (i) => `tower_${i % 7}/block_${Math.floor(i / 100)}/layer_${Math.floor(i / 10)}/op_${i}`),
    functions: Array.from({ length: functions }, (_, f) =>
      func(
        `__inference_step_${f}`,
        chain(inside, (i) => `scope_${i % 5}/op_${i}`),
      ),
    ),
    signatures: [signature('serving_default', 'tower_0/block_0/layer_0/op_0')],
  });
}

/** Names that would do harm if they were HTML, or would hide. */
export const HARM = '<img src=x onerror=broken.push("ran")><script>broken.push("ran")</script>';
export const HIDDEN = 'a\u202egpj.\u0007\u0000\nb';

/** Such names everywhere, an object that is its own child, functions that call each other. */
export function hostile() {
  const child = (/** @type {number} */ to, /** @type {string} */ name) =>
    /** @type {Field} */ ([
      1,
      [
        [1, to],
        [2, name],
      ],
    ]);
  return modelOf({
    nodes: [node(HARM, HIDDEN, [HARM, HIDDEN]), node(HIDDEN, HARM, [HARM], [calls(HARM)]), node(`${HARM}/b`, 'Const')],
    functions: [
      func(HARM, [node(HARM, 'PartitionedCall', ['x'], [calls(HIDDEN)])]),
      func(HIDDEN, [node(HIDDEN, 'PartitionedCall', ['x'], [calls(HARM), calls(HIDDEN)])]),
    ],
    signatures: [signature(HARM, HARM), signature(HIDDEN, HIDDEN)],
    objects: [
      [
        child(0, HARM),
        child(1, HIDDEN),
        child(77, 'nowhere'),
        [
          4,
          [
            [1, '_tf_keras_network'],
            [2, [[1, 1]]],
            [3, `{"class_name": "${HIDDEN}`],
          ],
        ],
      ],
      [
        child(0, HARM),
        child(1, 'self'),
        [
          7,
          [
            [1, 1],
            [2, [[2, [[1, 2]]]]],
            [3, 1],
            [6, HARM],
          ],
        ],
      ],
    ],
  });
}
