/**
 * The structs of include/cpb, as a C compiler lays them out for wasm32. The
 * build compares them with the compiler's own layouts.
 */

/**
 * The type of a field is one of `sizes`, char[n], or another struct's name.
 * @typedef {{ size: number, align: number,
 *   fields: Record<string, { offset: number, type: string }> }} Layout
 */

/** @type {Record<string, number>} */
const sizes = { u8: 1, i32: 4, u32: 4, ptr: 4, size: 4, u64: 8 };

/** Fields in their order, name:type; u64 where no type is said. */
const declarations = {
  error: 'code:i32 offset message:char[256]',
  limits: 'struct_size:size riegeli_chunk window chunks records_per_chunk depth:u32',
  need: 'kind:i32 offset length:size ahead',

  record: 'position chunk_begin index size',
  skipped: 'begin end reason:ptr',
  riegeli_chunk: 'begin end data_size num_records decoded_data_size' + ' type:u8 codec:u8',
  record_reader_options:
    'struct_size:size recover:i32 verify:i32 buffer:size read_size:size' + ' position limits:ptr memory:size',
  codec_options: 'codec:i32 level:i32 window_log:i32',
  record_writer_options:
    'struct_size:size codec:codec_options chunk_size' +
    ' record_per_chunk:i32 seekable:i32 buffer:size append_at initial_padding' +
    ' final_padding metadata:ptr metadata_size:size limits:ptr',

  index_version: 'splitter:i32 join:i32 bad_consumers:ptr num_bad_consumers:size',
  chunk_info: 'type:u32 size position',
  index_node: 'chunk num_tags:u32 parent:u32 first_child:u32 next:u32',
  field_tag: 'kind:i32 value text:ptr length:size',
  chunk_reader_options: 'struct_size:size verify:i32 read_size:size limits:ptr',
  chunk_stored: 'size index riegeli:riegeli_chunk',
  merge_options:
    'struct_size:size verify:i32 trust_sizes:i32 memory:size read_size:size' +
    ' plan_items type:ptr limits:ptr',
  segment: 'offset length chunk chunk_offset literal:ptr',

  field:
    'name:ptr json_name:ptr number:u32 type:i32 message:ptr enumeration:ptr oneof:i32' +
    ' repeated:u8 map:u8 packed:u8 required:u8 presence:u8 extension:u8 utf8:u8',
  message_type: 'name:ptr fields:ptr num_fields:size map_entry:u8',
  json_options:
    'struct_size:size original_names:i32 unknown_fields:i32 strict_utf8:i32' +
    ' indent:u32 limits:ptr omitted:ptr num_omitted:size',
  outline_options: 'struct_size:size max_value max_size limits:ptr',
  found: 'parent:ptr field:ptr message:ptr number:u32 wire_type:u32 fields:i32',
  range: 'offset length',

  split_options:
    'struct_size:size type_name:ptr schema:ptr max_chunk_size inline_max' +
    ' layout:i32 codec:codec_options seekable:i32 buffer:size read_size:size' +
    ' splitter_version:i32 join_version:i32 bad_consumers:ptr num_bad_consumers:size' +
    ' splitters:ptr num_splitters:size limits:ptr for_memory',
  split_chunk: 'size position is_bytes:i32',
  repack_options:
    'struct_size:size layout:i32 codec:codec_options seekable:i32 buffer:size' +
    ' read_size:size limits:ptr for_memory',
};

/** @typedef {keyof typeof declarations} StructName */

/**
 * @param {string} type
 * @param {Record<string, Layout>} done
 * @returns {{ size: number, align: number }}
 */
function sizeOf(type, done) {
  const chars = /^char\[(\d+)\]$/.exec(type);
  if (chars) return { size: Number(chars[1]), align: 1 };
  const size = sizes[type];
  return size === undefined ? /** @type {Layout} */ (done[type]) : { size, align: size };
}

/** @param {number} n @param {number} align */
const alignUp = (n, align) => Math.ceil(n / align) * align;

/**
 * @param {string} declaration
 * @param {Record<string, Layout>} done
 * @returns {Layout}
 */
function layOut(declaration, done) {
  /** @type {Layout} */
  const layout = { size: 0, align: 1, fields: {} };
  for (const field of declaration.split(' ')) {
    const [name = '', type = 'u64'] = field.split(':');
    const { size, align } = sizeOf(type, done);
    const offset = alignUp(layout.size, align);
    layout.fields[name] = { offset, type };
    layout.size = offset + size;
    layout.align = Math.max(layout.align, align);
  }
  layout.size = alignUp(layout.size, layout.align);
  return layout;
}

/** @returns {Readonly<Record<StructName, Layout>>} */
function layOutAll() {
  /** @type {Record<string, Layout>} */
  const done = {};
  for (const [name, declaration] of Object.entries(declarations)) {
    done[name] = layOut(declaration, done);
  }
  return /** @type {Record<StructName, Layout>} */ (done);
}

/** name → { size, align, fields: { name: { offset, type } } }; names without `cpb_`. */
export const structs = layOutAll();
