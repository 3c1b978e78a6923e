/* Byte offsets of the fields of structs that a host reads and writes in the memory of
 * cpb-core.wasm, all little-endian. A pointer, size_t, int and enum has 4 bytes, an
 * offset or size in a file 8. layout.c makes the compiler check this. */
#ifndef CPB_LAYOUT_H
#define CPB_LAYOUT_H

/* X(struct, its size); F(struct, field, offset) */
#define CPB_LAYOUT(X, F)                                                         \
  X(cpb_pager_options, 20)                                                       \
  F(cpb_pager_options, struct_size, 0) /* always 20 */                           \
  F(cpb_pager_options, verify, 4)                                                \
  F(cpb_pager_options, memory, 8)                                                \
  F(cpb_pager_options, read_size, 12)                                            \
  F(cpb_pager_options, limits, 16) /* 0: the defaults */                         \
  X(cpb_field_reader_options, 36)                                                \
  F(cpb_field_reader_options, struct_size, 0) /* always 36 */                    \
  F(cpb_field_reader_options, verify, 4)                                         \
  F(cpb_field_reader_options, memory, 8)                                         \
  F(cpb_field_reader_options, read_size, 12)                                     \
  F(cpb_field_reader_options, limits, 16)      /* 0: the defaults */             \
  F(cpb_field_reader_options, descriptors, 20) /* 0: numbers */                  \
  F(cpb_field_reader_options, descriptors_size, 24)                              \
  F(cpb_field_reader_options, message, 28) /* ends with a zero byte */           \
  F(cpb_field_reader_options, type, 32)    /* or this: in a schema */            \
  X(cpb_field_place, 24)                                                         \
  F(cpb_field_place, size, 0)                                                    \
  F(cpb_field_place, number, 8)                                                  \
  F(cpb_field_place, wire_type, 12)                                              \
  F(cpb_field_place, fields, 16)                                                 \
  F(cpb_field_place, num_pieces, 20)                                             \
  X(cpb_limits, 152)                                                             \
  F(cpb_limits, struct_size, 0) /* always 152; zero in any other: its default */ \
  F(cpb_limits, riegeli_chunk, 8)                                                \
  F(cpb_limits, window, 16)                                                      \
  F(cpb_limits, chunks, 24)                                                      \
  F(cpb_limits, records_per_chunk, 32)                                           \
  F(cpb_limits, depth, 40)                                                       \
  F(cpb_limits, decoded, 48)                                                     \
  F(cpb_limits, decoded_per_byte, 56)                                            \
  F(cpb_limits, held, 64)                                                        \
  F(cpb_limits, held_per_byte, 72)                                               \
  F(cpb_limits, walked, 80)                                                      \
  F(cpb_limits, walked_per_byte, 88)                                             \
  F(cpb_limits, entries, 96)                                                     \
  F(cpb_limits, entries_per_byte, 104)                                           \
  F(cpb_limits, answer, 112)                                                     \
  F(cpb_limits, answer_per_byte, 120)                                            \
  F(cpb_limits, index, 128)                                                      \
  F(cpb_limits, index_per_byte, 136)                                             \
  F(cpb_limits, work, 144) /* 0 */                                               \
  X(cpb_need, 32)                                                                \
  F(cpb_need, kind, 0) /* 1: a range, 2: the size of the file */                 \
  F(cpb_need, offset, 8)                                                         \
  F(cpb_need, length, 16)                                                        \
  F(cpb_need, ahead, 24)                                                         \
  X(cpb_error, 272)                                                              \
  F(cpb_error, code, 0)                                                          \
  F(cpb_error, offset, 8)   /* 2^64 - 1: none */                                 \
  F(cpb_error, message, 16) /* ends with a zero byte */                          \
  X(cpb_chunk_info, 24)                                                          \
  F(cpb_chunk_info, type, 0)                                                     \
  F(cpb_chunk_info, size, 8)                                                     \
  F(cpb_chunk_info, position, 16)                                                \
  X(cpb_chunk_stored, 64)                                                        \
  F(cpb_chunk_stored, size, 0)                                                   \
  F(cpb_chunk_stored, index, 8)                                                  \
  F(cpb_chunk_stored, riegeli.begin, 16)                                         \
  F(cpb_chunk_stored, riegeli.end, 24)                                           \
  F(cpb_chunk_stored, riegeli.data_size, 32)                                     \
  F(cpb_chunk_stored, riegeli.num_records, 40)                                   \
  F(cpb_chunk_stored, riegeli.decoded_data_size, 48)                             \
  F(cpb_chunk_stored, riegeli.type, 56)                                          \
  F(cpb_chunk_stored, riegeli.codec, 57)                                         \
  X(cpb_record_reader_options, 48)                                               \
  F(cpb_record_reader_options, struct_size, 0) /* always 48 */                   \
  F(cpb_record_reader_options, recover, 4)                                       \
  F(cpb_record_reader_options, verify, 8)                                        \
  F(cpb_record_reader_options, buffer, 12)                                       \
  F(cpb_record_reader_options, read_size, 16)                                    \
  F(cpb_record_reader_options, position, 24)                                     \
  F(cpb_record_reader_options, limits, 32)                                       \
  F(cpb_record_reader_options, memory, 36)                                       \
  F(cpb_record_reader_options, fields, 40)                                       \
  X(cpb_record, 32)                                                              \
  F(cpb_record, position, 0)                                                     \
  F(cpb_record, chunk_begin, 8)                                                  \
  F(cpb_record, index, 16)                                                       \
  F(cpb_record, size, 24)                                                        \
  X(cpb_skipped, 24)                                                             \
  F(cpb_skipped, begin, 0)                                                       \
  F(cpb_skipped, end, 8)                                                         \
  F(cpb_skipped, reason, 16) /* ends with a zero byte */                         \
  X(cpb_merge_options, 40)                                                       \
  F(cpb_merge_options, struct_size, 0) /* always 40 */                           \
  F(cpb_merge_options, verify, 4)                                                \
  F(cpb_merge_options, trust_sizes, 8)                                           \
  F(cpb_merge_options, memory, 12)                                               \
  F(cpb_merge_options, read_size, 16)                                            \
  F(cpb_merge_options, plan_items, 24)                                           \
  F(cpb_merge_options, type, 32) /* 0 */                                         \
  F(cpb_merge_options, limits, 36)                                               \
  X(cpb_segment, 40)                                                             \
  F(cpb_segment, offset, 0)                                                      \
  F(cpb_segment, length, 8)                                                      \
  F(cpb_segment, chunk, 16)                                                      \
  F(cpb_segment, chunk_offset, 24)                                               \
  F(cpb_segment, literal, 32)

#endif
