/** The options of Riegeli's writers, in Riegeli's own words. */
import { CpbError } from '../errors.js';
import { at } from '../wasm/instance.js';
import { layOutAll } from '../wasm/structs.js';

/** @import { Instance, Scope, Values } from '../wasm/instance.js' */

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

/**
 * A cpb_record_writer_options with `fields`, and the options in the text, if given.
 *
 * @param {Instance} instance @param {Scope} scope @param {string | undefined} text @param {Values} [fields]
 * @returns {number}
 */
export function writerOptions(instance, scope, text, fields) {
  const options = scope.struct(structs.record_writer_options, fields);
  if (text === undefined) return options;
  const error = scope.struct('error');
  if (at(instance.c, 'cpb_record_writer_options_parse')(options, scope.string(text), error) === 0) return options;
  const { code, offset, message } = instance.error(error);
  throw new CpbError(code, `the option riegeliOptions, character ${Number(offset) + 1}: ${message}`, { offset });
}

/**
 * Throws where the text is not alone, as it says all.
 *
 * @param {Record<string, unknown>} options @param {string[]} others
 */
export function checkAlone(options, others) {
  const other = others.find((name) => options[name] !== undefined);
  if (options.riegeliOptions === undefined || other === undefined) return;
  throw new CpbError('USAGE', `the option riegeliOptions says all; expected no option ${other} beside it`);
}
