/**
 * The structs of include/cpb, as a C compiler lays them out for wasm32. The
 * build compares them with the compiler's own layouts.
 */

/**
 * The type of a field is a key of `sizes` (text: char[256]), or another struct's layout.
 * @typedef {{ offset: number, type: string | Layout }} Place
 * @typedef {{ name: string, size: number, align: number, fields: Record<string, Place> }} Layout
 */

/** @type {Record<string, number>} */
const sizes = { u8: 1, i16: 2, i32: 4, u32: 4, ptr: 4, size: 4, u64: 8, text: 256 };

/** Fields in their order, name:type; u64 where no type is said. */
const declarations = {
  error: 'code:i32 system:i16 status:i16 offset message:text',
  need: 'kind:i32 file:u32 offset length:size ahead',

  index_version: 'splitter:i32 join:i32 bad_consumers:ptr num_bad_consumers:size',
  chunk_info: 'type:u32 file:u32 size position',
  index_node: 'chunk num_tags:u32 parent:u32 first_child:u32 next:u32',
  field_tag: 'kind:i32 value text:ptr length:size',

  field:
    'name:ptr json_name:ptr number:u32 type:i32 message:ptr enumeration:ptr oneof:i32' +
    ' repeated:u8 map:u8 packed:u8 required:u8 presence:u8 extension:u8 utf8:u8',
  message_type: 'name:ptr fields:ptr num_fields:size map_entry:u8 divisible:u8',
};

/** @typedef {keyof typeof declarations} StructName */

/** @param {string} name @param {string} declaration @param {Record<string, Layout>} known @returns {Layout} */
function layOut(name, declaration, known) {
  /** @type {Layout} */
  const layout = { name, size: 0, align: 1, fields: {} };
  const alignTo = (/** @type {number} */ align) => Math.ceil(layout.size / align) * align;
  for (const field of declaration.split(' ')) {
    const [key = '', said = 'u64'] = field.split(':');
    const type = known[said] ?? said;
    const size = sizes[said] ?? known[said]?.size ?? 0;
    // A text of 256 bytes needs no alignment, but the only one happens to be aligned.
    const align = known[said]?.align ?? Math.min(size, 8);
    const offset = alignTo(align);
    layout.fields[key] = { offset, type };
    layout.size = offset + size;
    layout.align = Math.max(layout.align, align);
  }
  layout.size = alignTo(layout.align);
  return layout;
}

/** Each is laid out when it is first used. @template {string} Name @param {Record<Name, string>} all */
export function layOutAll(all) {
  const done = /** @type {Record<Name, Layout>} */ ({});
  for (const [name, declaration] of /** @type {[Name, string][]} */ (Object.entries(all))) {
    /** @type {Layout | undefined} */
    let layout;
    const get = () => (layout ??= layOut(name, declaration, done));
    Object.defineProperty(done, name, { enumerable: true, get });
  }
  return done;
}

/**
 * The layouts by the structs' names without `cpb_`. Code that is loaded later has its own layouts in its folder.
 */
export const structs = layOutAll(declarations);
