/** The structs that only the module which looks inside models takes. */
import { layOutAll } from '../wasm/structs.js';

export const structs = layOutAll({
  pair: 'a:ptr b:ptr', // an array of two
  model_options: 'struct_size:size max_value max_memory limits:ptr',
  question:
    'struct_size:size kind:i32 meta_graph:u32 name:ptr name_size:size scope:ptr' +
    ' scope_size:size first count brief:i32 to:ptr to_size:size distance',
  file_ends: 'struct_size:size begin:ptr begin_size:size end:ptr end_size:size size name:ptr name_size:size',
  model_piece: 'offset length bytes:ptr',
  values_options:
    'struct_size:size scope:ptr scope_size:size state:u32 max_memory limits:ptr' +
    ' meta_graph:u32 exact_texts:i32 tensor_offset tensor_size checkpoint:ptr',
  diff_options: 'struct_size:size max_differences skip_values:i32 limits:ptr checkpoints:pair same_file:i32',
  archive_entry: 'name:ptr name_size:size size packed stored:i32',
  text_options: 'struct_size:size allocator:ptr schema:ptr limits:ptr keep_damaged:i32',
  stored: 'key:ptr key_size:size dtype:u32 rank:u32 shape:ptr shard:u32 crc32c:u32 offset size slices',
  checkpoint_options: 'struct_size:size max_memory limits:ptr',
  values_info:
    'struct_size:size dtype:ptr numpy:ptr item_size:u32 rank:u32 shape:ptr fortran_order:i32' + ' count size',
  statistics_options: 'struct_size:size axis:u32 reals:ptr',
});
