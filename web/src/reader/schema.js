/** Message types: names and numbers of fields. */
import { CpbError } from '../errors.js';
import { memo } from '../waiting.js';

/** @import { OpenFile } from './open-file.js' */

/**
 * A field's declaration.
 * @typedef {object} FieldType
 * @property {string} name as in the .proto; an extension's full name
 * @property {number} number
 * @property {number} type a FieldDescriptorProto.Type
 * @property {number} message pointer to its type, or 0
 * @property {number} enumeration
 * @property {boolean} repeated
 * @property {boolean} map
 */

/**
 * @typedef {object} Schema
 * @property {Uint8Array | undefined} set that it was made of; none: the types that are built in
 * @property {(name: string) => number} find a message type by its full name; 0: none
 * @property {(type: number) => string | undefined} nameOf a message type's, an enumeration's or its value's
 * @property {(type: number) => boolean} isEntry whether it is a map's
 * @property {(field: number) => FieldType | undefined} field by its pointer
 * @property {(type: number, number: number) => FieldType | undefined} byNumber
 */

/**
 * @param {OpenFile} file
 * @param {Uint8Array} [set] a serialized FileDescriptorSet; by default the types
 *   of TensorFlow that are built in
 * @returns {Schema}
 */
export function openSchema(file, set) {
  const { instance } = file;
  const { c } = instance;
  const pointer = set ? newSchema(file, set) : builtIn(file);
  const fieldAt = memo((/** @type {number} */ at) => readField(file, at));

  /** @type {Schema} */
  const schema = {
    set,
    find: (name) => instance.scope((s) => c.cpb_schema_find_message(pointer, s.string(name))),
    nameOf: (type) => (type ? instance.text(instance.u32(type)) : undefined),
    isEntry: (type) => type !== 0 && instance.get('message_type', type).map_entry === 1,
    field: (at) => (at ? fieldAt(at) : undefined),
    byNumber: (type, number) => (type ? schema.field(c.cpb_message_find_number(type, number)) : undefined),
  };
  return schema;
}

/** @param {OpenFile} file @param {Uint8Array} set */
export const newSchema = (file, set) =>
  file.make('cpb_schema', (scope) =>
    scope.made((error) => file.instance.c.cpb_schema_new(0, scope.bytes(set), set.length, file.limitsIn(scope), error)),
  ).pointer;

/** It stays for the next file in this instance. @param {OpenFile} file */
const builtIn = ({ instance }) =>
  (instance.schema ||= instance.scope(({ made }) => made((error) => instance.c.cpb_schema_new_builtin(0, error))));

/** @param {OpenFile} file @param {number} at @returns {FieldType} */
function readField({ instance }, at) {
  const { name, repeated, map, ...rest } = instance.get('field', at);
  return { ...rest, name: instance.text(name), repeated: repeated === 1, map: map === 1 };
}

/** The type that was asked for. @param {Schema} schema @param {string} name */
export function typeNamed(schema, name) {
  const type = schema.find(name);
  if (!type) throw new CpbError('USAGE', `there is no message type ${name} in the schema`);
  return type;
}
