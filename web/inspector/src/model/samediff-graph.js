/**
 * SameDiff's operations as a GraphDef, which the core folds by name scope and whose consumers
 * it finds: SameDiff's own files have no such questions about operations.
 */

/** @typedef {import('./folded-graph.js').Node} Node */

/**
 * An operation is a node that takes others, and so is a variable that no operation makes.
 *
 * @param {any[]} operations as the answers `nodes` have them: they take and make variables
 * @returns {Node[]}
 */
export function nodesOf(operations) {
  const maker = new Map(
    operations.flatMap(({ name, outputs }) => outputs.map((/** @type {{ name: string }} */ o) => [o.name, name])),
  );
  const given = new Set(operations.flatMap(({ inputs }) => inputs).filter((input) => !maker.has(input)));
  return [
    ...[...given].map((name) => ({ name, op: 'variable', inputs: [], control_inputs: [], attributes: [] })),
    ...operations.map(({ name, op, inputs, arguments: args, properties }) => ({
      name,
      op,
      inputs: inputs.map((/** @type {string} */ input) => maker.get(input) ?? input),
      control_inputs: [],
      attributes: attributesOf(args, properties),
    })),
  ];
}

/** @param {Record<string, any[]>} args @param {any[]} properties */
function attributesOf(args, properties) {
  const attribute = (/** @type {string} */ name, /** @type {any} */ value) => ({ name, kind: 'argument', value });
  return [
    ...Object.entries(args)
      .filter(([, value]) => value.length)
      .map(([key, value]) => attribute(key, value)),
    ...properties.map(({ name, ...values }) => attribute(name, Object.values(values)[0])),
  ];
}

/** Numbers of fields: GraphDef.node, versions, NodeDef.name, op, input. */
const [NODE, VERSIONS, NAME, OP, INPUT] = [1, 4, 1, 2, 3];

const encoder = new TextEncoder();

/** A field with these bytes: its tag, its length, and them. @param {number} number @param {Uint8Array} bytes */
function field(number, bytes) {
  const head = [number * 8 + 2];
  let length = bytes.length;
  for (; length > 127; length >>>= 7) head.push((length & 127) | 128);
  const out = new Uint8Array(head.length + 1 + bytes.length);
  out.set([...head, length]);
  out.set(bytes, head.length + 1);
  return out;
}

/** @param {Uint8Array[]} parts */
function joined(parts) {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** An empty VersionDef, so that a graph without nodes is no empty file. */
const versions = field(VERSIONS, new Uint8Array());

/** @param {Node[]} nodes @returns {Uint8Array} a tensorflow.GraphDef */
export const graphDefOf = (nodes) =>
  joined([
    ...nodes.map(({ name, op, inputs }) =>
      field(
        NODE,
        joined([
          field(NAME, encoder.encode(name)),
          field(OP, encoder.encode(op)),
          ...inputs.map((input) => field(INPUT, encoder.encode(String(input)))),
        ]),
      ),
    ),
    versions,
  ]);
