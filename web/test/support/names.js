/** Names that a model may give to a file with its values, for tests of what is asked for. */
import { libcpb } from './libcpb.js';
import { external, holding } from './onnx.js';

/** Names of files beside a model, and the paths of URLs that mean them. */
export const NAMES = {
  plain: 'plain',
  'a?acl': 'a%3Facl',
  'a#b': 'a%23b',
  '%2e%2e/x': '%252e%252e/x',
  'a%2Fb': 'a%252Fb',
  'a b+c': 'a%20b%2Bc',
  'd/a;v=1&x': 'd/a%3Bv%3D1%26x',
  'https:x@y': 'https%3Ax%40y',
  'data:,x': 'data%3A%2Cx',
  'ä→"<>|': '%C3%A4%E2%86%92%22%3C%3E%7C',
  '\ufeffa\u200b ': '%EF%BB%BFa%E2%80%8B%20',
  '...': '...',
};

/** Names that are not of that folder. */
export const OUTSIDE = [
  '//host/x',
  'https://evil/x',
  'file:///x',
  '/x',
  '..',
  '../x',
  'a/../../x',
  'a/',
  'a/..',
  '..\\x',
  '\\\\host\\x',
];

export const VALUES = new Uint8Array(16).fill(7);

/** A model whose values are in the file of this name. @param {string} location */
export const naming = (location) => holding(external('t', 'float32', [2, 2], { location, offset: '0', length: '16' }));

/** @param {any} input @param {object} [options] */
export async function valuesIn(input, options) {
  const model = await libcpb.inspect(input, { kind: 'onnx', ...options });
  try {
    return await (await model.values('t')).bytes();
  } finally {
    model.close();
  }
}
