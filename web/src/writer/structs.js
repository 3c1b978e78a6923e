/** The structs that only the module which writes takes. */
import { layOutAll } from '../wasm/structs.js';

export const structs = layOutAll({
  codec_options: 'codec:i32 level:i32 window_log:i32',
  split_options:
    'struct_size:size type_name:ptr schema:ptr max_chunk_size inline_max' +
    ' layout:i32 codec:codec_options seekable:i32 buffer:size read_size:size' +
    ' splitter_version:i32 join_version:i32 bad_consumers:ptr num_bad_consumers:size' +
    ' splitters:ptr num_splitters:size limits:ptr for_memory transpose:i32 index_pages' +
    ' files:u32 file_size file_name:ptr',
  repack_options:
    'struct_size:size layout:i32 codec:codec_options seekable:i32 buffer:size' +
    ' read_size:size limits:ptr for_memory transpose:i32 riegeli:ptr index_pages',
  record_writer_options:
    'struct_size:size codec:codec_options chunk_size record_per_chunk:i32 seekable:i32 buffer:size' +
    ' append_at initial_padding final_padding metadata:ptr metadata_size:size limits:ptr' +
    ' transpose:i32 bucket_fraction apart:i32', // bucket_fraction: the bits of a double
});
