/** The corpus of tests/data as its manifests describe it; see tests/data/README.md. */

/**
 * [size, sha256, chunkBegin, index, count]
 * @typedef {[number, string, number, number, number]} ManifestRow
 */

/**
 * @typedef {object} Damaged a file that may be damaged
 * @property {string} name
 * @property {string} file that it is, or is made of
 * @property {[number, number, string][]} ops changes: offset, length to cut (-1: all),
 *   hex to put there
 */

/**
 * @typedef {object} Chunked a `.cpb` file
 * @property {string} file
 * @property {string} type
 * @property {string} schema
 * @property {ManifestRow[]} [records] what is in it, if that is known
 * @property {{type: string, size?: string, offset: string}[]} [chunks]
 */

/** @type {(manifest: any) => Damaged[]} */
export function damagedCases({ bases, cases, crafted }) {
  return [
    ...cases.map((/** @type {any} */ { base, ops, note }, /** @type {number} */ number) => ({
      name: `${number} ${base}, ${note}`,
      file: bases[base].file,
      ops,
    })),
    ...crafted.map((/** @type {any} */ { file }) => ({ name: file, file, ops: [] })),
  ];
}

/** @type {(bytes: Uint8Array, ops: Damaged['ops']) => Uint8Array} */
export function damage(bytes, ops) {
  for (const [offset, cut, hex] of ops) {
    const insert = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    const rest = cut < 0 ? new Uint8Array() : bytes.subarray(offset + cut);
    const changed = new Uint8Array(offset + insert.length + rest.length);
    changed.set(bytes.subarray(0, offset));
    changed.set(insert, offset);
    changed.set(rest, offset + insert.length);
    bytes = changed;
  }
  return bytes;
}

/** @type {(type: string) => string} */
const schemaOf = (type) =>
  /^tensorflow\.(?!proto_splitter)/.test(type) ? 'schema/tensorflow.fds' : 'schema/proto_splitter.fds';

/** @type {(cpb: any, odd: any) => Chunked[]} */
export function chunkedCases(cpb, odd) {
  const written = cpb.flatMap((/** @type {any} */ { message_type: type, variants }) =>
    variants
      .filter((/** @type {any} */ { file }) => file)
      .map((/** @type {any} */ { file, records, metadata }) => ({
        file,
        type,
        schema: schemaOf(type),
        records,
        chunks: metadata.chunks,
      })),
  );
  const made = odd.cases.map((/** @type {any} */ { file, message_type: type }) => ({
    file,
    type,
    schema: schemaOf(type),
  }));
  return [...written, ...made];
}

/**
 * What a list of records comes down to, so that two readings can be compared.
 *
 * @typedef {{size: number, sha256: string, chunkBegin: number, index: number}} Row
 * @type {(rows: Row[]) => string}
 */
export const listing = (rows) =>
  rows.map(({ size, sha256, chunkBegin, index }) => `${chunkBegin}/${index} ${size} ${sha256.slice(0, 32)}\n`).join('');
