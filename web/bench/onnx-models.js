/** ONNX models of 10,000 nodes and 1 GB, whose weights lie in different ways; any program can open them. */
import { statSync, truncateSync } from 'node:fs';
import { external, node, tensor, value } from '../test/support/onnx.js';
import { message } from '../test/support/protobuf.js';
import { field, sizeOf, write } from './model.js';

/** @import { Field } from '../test/support/protobuf.js' */

const [NODES, LAYERS] = [10_000, 24];
const PER_LAYER = Math.ceil(NODES / LAYERS);
const FLOAT = 4; // bytes
const [MODEL, GRAPH] = [
  { graph: 7, opsets: 8 },
  { node: 1, initializer: 5, input: 11, output: 12 },
];
const RAW_DATA = 9; // of TensorProto

/** @typedef {{ name: string, dims: number[] }} Weight */

/** Ten of 100 MB. @param {number} scale @returns {Weight[]} */
const few = (scale) =>
  Array.from({ length: 10 }, (_, i) => ({ name: `layer.${2 * i}.weight`, dims: [5000, Math.round(5000 * scale)] }));

/** The weights of each of 24 equal layers: six matrices, and six vectors. @param {number} scale */
function layers(scale) {
  const d = Math.round(928 * Math.sqrt(scale));
  /** @type {Record<string, number[]>} */
  const each = { query: [d, d], key: [d, d], value: [d, d], output: [d, d], up: [d, 4 * d], down: [4 * d, d] };
  return Array.from({ length: LAYERS }, (_, i) =>
    Object.entries(each).flatMap(([name, dims]) => [
      { name: `layer.${i}.${name}.weight`, dims },
      { name: `layer.${i}.${name}.bias`, dims: dims.slice(1) },
    ]),
  ).flat();
}

/** 300, no two of which have the same size. @param {number} scale @returns {Weight[]} */
const many = (scale) =>
  Array.from({ length: 300 }, (_, i) => ({
    name: `layer.${Math.floor((i * LAYERS) / 300)}.weight_${i}`,
    dims: [512, Math.round((1177 + 3 * ((i * 97) % 300)) * scale)],
  }));

/** 2,500 of some 400 KB, no two neighbours of which have the same size. @param {number} scale @returns {Weight[]} */
const thousands = (scale) =>
  Array.from({ length: 2500 }, (_, i) => ({
    name: `layer.${Math.floor((i * LAYERS) / 2500)}.weight_${i}`,
    dims: [256, Math.round((242 + ((i * 97) % 300)) * scale)],
  }));

/**
 * The names of the models, their weights, and whether these are in a separate file.
 *
 * @type {Record<string, { weights: (scale: number) => Weight[], apart?: boolean }>}
 */
export const kinds = {
  few: { weights: few },
  layers: { weights: layers },
  many: { weights: many },
  thousands: { weights: thousands },
  apart: { weights: layers, apart: true },
};

/** Numbers that look like weights, for as long as it takes. @param {number} bytes */
function* values(bytes) {
  const block = new Float32Array(1 << 18).map((_, i) => Math.sin(i * i) / 32);
  const whole = new Uint8Array(block.buffer);
  for (; bytes > 0; bytes -= whole.length) yield whole.subarray(0, Math.min(bytes, whole.length));
}

/** The mean of every weight is a factor of the value that passes through all layers. @param {Weight[]} weights */
function nodesOf(weights) {
  const ops = ['Add', 'Mul', 'Relu', 'Sigmoid', 'Tanh', 'Sub'];
  const waiting = new Map(Array.from({ length: LAYERS }, (_, i) => [i, /** @type {string[]} */ ([])]));
  for (const { name } of weights) waiting.get(Number(name.split('.')[1]))?.push(name);
  /** @type {Field[][]} */
  const nodes = [];
  let [last, earlier, mean] = ['x', 'x', ''];
  while (nodes.length < NODES) {
    const i = nodes.length;
    const layer = Math.floor(i / PER_LAYER);
    const weight = mean ? undefined : waiting.get(layer)?.shift();
    const op = weight ? 'ReduceMean' : mean ? 'Mul' : String(ops[i % ops.length]);
    const name = `/encoder/layer.${layer}/block.${Math.floor((i % PER_LAYER) / 40)}/${op}_${i}`;
    const isBinary = /Add|Mul|Sub/.test(op);
    const inputs = weight ? [weight] : isBinary ? [last, mean || earlier] : [last];
    /** @type {Field[]} */
    const keep = [
      [1, 'keepdims'],
      [3, 0],
      [20, 2],
    ];
    nodes.push(node(op, inputs, [`${name}_output_0`], { name, attributes: weight ? [keep] : [] }));
    if (weight) mean = `${name}_output_0`;
    else [earlier, last, mean] = [last, `${name}_output_0`, ''];
  }
  return { nodes, last };
}

/**
 * @param {string} path with a .data beside it if that is where the values are
 * @param {string} kind
 * @param {number} scale of the weights: 1 is 1 GB
 * @returns {{ bytes: number, structure: number }} in all, and without values
 */
export function makeModel(path, kind, scale) {
  const { weights: make, apart } = /** @type {typeof kinds['few']} */ (kinds[kind]);
  const weights = make(scale);
  const { nodes, last } = nodesOf(weights);
  const none = new Uint8Array();
  let size = 0;
  const initializers = weights.map(({ name, dims }) => {
    const length = dims.reduce((product, one) => product * one, FLOAT);
    const where = { location: `${path.split('/').pop()}.data`, offset: String(size), length: String(length) };
    size += length;
    if (apart) return [message(external(name, 'float32', dims, where))];
    return [message(tensor(name, 'float32', dims, none).slice(0, -1)), ...field(RAW_DATA, [...values(length)])];
  });
  const ends = [value('x', 'float32', ['batch', 64]), value(last, 'float32', ['batch', 64])];
  const graph = [
    ...nodes.flatMap((one) => field(GRAPH.node, [message(one)])),
    message([[2, 'encoder']]),
    ...initializers.flatMap((one) => field(GRAPH.initializer, one)),
    ...ends.flatMap((one, i) => field(i ? GRAPH.output : GRAPH.input, [message(one)])),
  ];
  /** @type {Field[]} */
  const opset = [
    [1, ''],
    [2, 17],
  ];
  const pieces = [
    message([
      [1, 8],
      [2, 'libcpb bench'],
    ]),
    ...field(MODEL.graph, graph),
    ...field(MODEL.opsets, [message(opset)]),
  ];
  write(path, pieces);
  if (apart) write(`${path}.data`, []);
  if (apart) truncateSync(`${path}.data`, size); // a hole
  const inFile = statSync(path).size;
  if (inFile !== sizeOf(pieces)) throw new Error(`${path} has ${inFile} bytes`);
  return { bytes: inFile + (apart ? size : 0), structure: inFile - (apart ? 0 : size) };
}
