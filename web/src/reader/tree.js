/** The tree of a .cpb file: which chunk belongs where. */

/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile } from './open-file.js' */
/** @import { Schema } from './schema.js' */

/**
 * A step of the way from a node's parent: a field (its name where the schema has
 * one), an element of a repeated field, or a key of a map.
 * @typedef {{ field: number, name?: string } | { index: number } |
 *   { key: string | number | bigint | boolean }} Tag
 */

/**
 * A place where a chunk is merged.
 * @typedef {object} Node
 * @property {string} path from the root, as `field()` takes it: 'graph_def.node[3]'
 * @property {Tag[]} tags the steps from the parent; none: a slice of the parent,
 *   whose fields come behind those that it has
 * @property {number | undefined} chunk
 * @property {Node[]} children in the order of the file
 */

const NONE = 0xffffffff;
const FIELD = 1,
  INDEX = 2,
  KEY_STRING = 3,
  KEY_BOOL = 4,
  KEY_INT32 = 7;

/**
 * @param {OpenFile} file
 * @param {Engine | undefined} index
 * @param {Schema} schema
 * @param {number} type of the message, or 0
 * @returns {Node}
 */
export function treeOf(file, index, schema, type) {
  const { instance } = file;
  const root = { path: '', tags: [], chunk: undefined, children: [] };
  if (!index) return root;
  return instance.scope((scope) => {
    const node = scope.struct('index_node');
    const tag = scope.struct('field_tag');

    /** @param {number} i @returns {{ chunk: number, num_tags: number, first_child: number, next: number }} */
    const nodeAt = (i) => {
      index.call('get_node', i, node);
      return instance.get('index_node', node);
    };

    /** @param {number} i @param {number} step @returns {Tag} */
    const tagAt = (i, step) => {
      index.call('get_tag', i, step, tag);
      const { kind, value, text, length } = instance.get('field_tag', tag);
      if (kind === FIELD) return { field: value };
      if (kind === INDEX) return { index: value };
      if (kind === KEY_STRING) return { key: instance.text(text, length) };
      if (kind === KEY_BOOL) return { key: value !== 0 };
      const exact = instance.u64(tag + 8);
      return { key: small(kind >= KEY_INT32 ? BigInt.asIntN(64, exact) : exact) };
    };

    /** @type {{ i: number, to: Node, type: number }[]} */
    const todo = [{ i: 0, to: root, type }];
    for (const { i, to, type: of } of todo) {
      const { chunk, first_child: first } = nodeAt(i);
      to.chunk = Number.isFinite(chunk) ? chunk : undefined;
      for (let child = first; child !== NONE;) {
        const { num_tags: count, next } = nodeAt(child);
        const tags = Array.from({ length: count }, (_, step) => tagAt(child, step));
        const inner = walk(schema, of, tags) ?? 0;
        const made = { path: pathOf(to.path, tags), tags, chunk: undefined, children: [] };
        to.children.push(made);
        todo.push({ i: child, to: made, type: inner });
        child = next;
      }
    }
    return root;
  });
}

/** @param {bigint} n */
const small = (n) => (n === BigInt(Number(n)) && Number.isSafeInteger(Number(n)) ? Number(n) : n);

/**
 * The type where the tags lead to, 0 for none; undefined when they do not fit.
 * Names them on the way.
 *
 * @param {Schema} schema @param {number} type @param {Tag[]} tags
 */
function walk(schema, type, tags) {
  let repeated = false;
  for (const tag of tags) {
    if ('index' in tag) {
      if (!repeated) return undefined;
      continue;
    }
    const isKey = 'key' in tag;
    const field = schema.isEntry(type) === isKey ? schema.byNumber(type, isKey ? 2 : tag.field) : undefined;
    if (!field) return undefined;
    if (!isKey) tag.name = field.name;
    ({ repeated, message: type } = field);
  }
  return type;
}

/** @param {string} path @param {Tag[]} tags */
function pathOf(path, tags) {
  for (const tag of tags) {
    if ('field' in tag) path += `${path && '.'}${tag.name ?? tag.field}`;
    else if ('index' in tag) path += `[${tag.index}]`;
    else path += `[${typeof tag.key === 'string' ? JSON.stringify(tag.key) : tag.key}]`;
  }
  return path;
}

/**
 * Whether the tree could be one of a message of this type.
 *
 * @param {Schema} schema @param {number} type @param {Node} root
 */
export const fits = (schema, type, root) => root.children.every(({ tags }) => walk(schema, type, tags) !== undefined);
