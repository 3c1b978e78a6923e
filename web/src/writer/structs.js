/** The structs that only the module which writes takes. */
import { layOutAll } from '../wasm/structs.js';

export const structs = layOutAll({
  codec_options: 'codec:i32 level:i32 window_log:i32',
  split_options:
    'struct_size:size type_name:ptr schema:ptr max_chunk_size inline_max' +
    ' layout:i32 codec:codec_options seekable:i32 buffer:size read_size:size' +
    ' splitter_version:i32 join_version:i32 bad_consumers:ptr num_bad_consumers:size' +
    ' splitters:ptr num_splitters:size limits:ptr for_memory',
  repack_options:
    'struct_size:size layout:i32 codec:codec_options seekable:i32 buffer:size' +
    ' read_size:size limits:ptr for_memory',
});
