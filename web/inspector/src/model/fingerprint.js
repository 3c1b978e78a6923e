/** fingerprint.pb, a file next to a SavedModel: hashes of its parts. */

const HASHES = [
  '',
  'saved_model_checksum',
  'graph_def_program_hash',
  'signature_def_hash',
  'saved_object_graph_hash',
  'checkpoint_hash',
];
const VARINT = 0;
const BYTES = 2;
const UUID = 7;

/**
 * @param {Uint8Array} bytes
 * @returns {Record<string, string> | undefined} undefined: not a fingerprint
 */
export function fingerprintOf(bytes) {
  /** @type {Record<string, string>} */
  const found = {};
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; shift < 70n && at < bytes.length; shift += 7n) {
      const byte = BigInt(bytes[at++] ?? 0);
      value |= (byte & 127n) << shift;
      if (byte < 128n) return BigInt.asUintN(64, value);
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [field, type] = [tag >> 3, tag & 7];
    const value = type === VARINT || type === BYTES ? varint() : undefined;
    if (value === undefined) return undefined;
    const name = HASHES[field];
    if (type === VARINT) {
      if (name) found[name] = value.toString();
      continue;
    }
    if (field === UUID) found.uuid = new TextDecoder().decode(bytes.subarray(at, at + Number(value)));
    at += Number(value);
  }
  return at === bytes.length ? found : undefined;
}
