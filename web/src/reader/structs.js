/** The structs that limits, reading chunks, records, fields and merging take. */
import { layOutAll } from '../wasm/structs.js';

export const structs = layOutAll({
  limits:
    'struct_size:size riegeli_chunk window chunks records_per_chunk depth:u32' +
    ' decoded decoded_per_byte held held_per_byte walked walked_per_byte' +
    ' entries entries_per_byte answer answer_per_byte index index_per_byte work:ptr',
  chunk_reader_options: 'struct_size:size verify:i32 read_size:size limits:ptr',
  range: 'offset length',
  other_file: 'name:ptr length:size size',
  record: 'position chunk_begin index size',
  riegeli_chunk: 'begin end data_size num_records decoded_data_size type:u8 codec:u8',
  chunk_stored: 'size index riegeli:riegeli_chunk',
  record_reader_options:
    'struct_size:size recover:i32 verify:i32 buffer:size read_size:size position limits:ptr' +
    ' memory:size fields:ptr',
  merge_options:
    'struct_size:size verify:i32 trust_sizes:i32 memory:size read_size:size plan_items type:ptr limits:ptr',
  segment: 'offset length chunk chunk_offset literal:ptr',
  skipped: 'begin end reason:ptr',
  found: 'parent:ptr field:ptr message:ptr number:u32 wire_type:u32 fields:i32',
  json_options:
    'struct_size:size original_names:i32 unknown_fields:i32 strict_utf8:i32' +
    ' indent:u32 limits:ptr omitted:ptr num_omitted:size',
  outline_options:
    'struct_size:size max_value max_size limits:ptr read_ahead' + ' keep_known:i32 keep_damaged:i32 locate:i32',
});
