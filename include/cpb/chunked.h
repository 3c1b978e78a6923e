/* cpb/chunked.h: .cpb files, opened, merged and read in parts.
 *
 * A .cpb file holds one protobuf message that was split into chunks. It is a
 * Riegeli/records file (cpb/records.h): each record is a chunk, and the last
 * record is a ChunkMetadata message, the index. The index says where each chunk
 * is, and in a tree of chunked fields where in the message it belongs:
 *
 *     chunk 0: SavedModel { meta_graphs { graph_def { node ... } } }
 *       [2][0][2] meta_graphs[0].graph_def ............ chunk 1: GraphDef
 *         [1][7][5]["value"][8][4] node[7].attr["value"]
 *                               .tensor.tensor_content ... chunk 2: bytes
 *         [] more fields of the same GraphDef ............ chunk 3: GraphDef
 *
 * (https://github.com/tensorflow/tensorflow, tensorflow/tools/proto_splitter; in
 * our words docs/chunked-format.md)
 *
 * Three engines:
 *  - cpb_index opens the file from its end and holds the index in memory;
 *  - cpb_chunk_reader streams a chunk, or a range of it;
 *  - cpb_merge plans the merged message, without building it: a list of segments,
 *    each a range of a chunk or a few literal bytes. So its size is known at once,
 *    and any range of it is read without the rest. If the index is too large for
 *    memory, cpb_pager (cpb/pager.h) replaces the first two.
 *
 *     while ((step = cpb_index_step(index)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_index_input(index));
 *     cpb_merge *merge = cpb_merge_new(NULL, index, NULL);
 *     while ((step = cpb_merge_step(merge)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_merge_input(merge));
 *     cpb_merge_read(merge, 0, cpb_merge_size(merge));
 *     while ((step = cpb_merge_step(merge)) != CPB_STEP_DONE)
 *       if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_merge_input(merge));
 *       else if (step == CPB_STEP_DATA) ...cpb_merge_data(merge, &length)...
 *       else return cpb_merge_error(merge);
 *
 * Chunks may be in other files, which an engine requests by cpb_need.file (cpb/base.h).
 *
 * A chunk is not a Riegeli chunk: a Riegeli chunk may hold several chunks. */
#ifndef CPB_CHUNKED_H
#define CPB_CHUNKED_H

#include "cpb/base.h"
#include "cpb/message.h"
#include "cpb/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- The index ------------------------------------------------------------ */

typedef struct cpb_index cpb_index;

CPB_API cpb_index *cpb_index_new(const cpb_allocator *allocator, const cpb_limits *limits);

/* The index of chunks that are not in a file, from a serialized ChunkMetadata, or
 * from a serialized ChunkedMessage, which only has the tree
 * (cpb_index_num_chunks() is then 0). The bytes are not kept; no step is needed.
 * CPB_E_DAMAGED, CPB_E_LIMIT, CPB_E_MEMORY; CPB_E_UNSUPPORTED as for
 * cpb_index_step(). */
CPB_API cpb_index *cpb_index_from_metadata(const cpb_allocator *allocator, const cpb_limits *limits, const void *data,
                                           size_t size, cpb_error *error);
CPB_API cpb_index *cpb_index_from_message(const cpb_allocator *allocator, const cpb_limits *limits, const void *data,
                                          size_t size, cpb_error *error);

CPB_API void cpb_index_free(cpb_index *index);

CPB_API cpb_input *cpb_index_input(cpb_index *index);

/* CPB_STEP_NEED, then CPB_STEP_DONE: the index is complete. CPB_STEP_ERROR, among
 * others for CPB_E_FORMAT: the file is not a Riegeli file, or its last record is
 * not a ChunkMetadata; CPB_E_UNSUPPORTED: the file needs a newer reader. */
CPB_API cpb_step cpb_index_step(cpb_index *index);

CPB_API const cpb_error *cpb_index_error(const cpb_index *index);

/* Before the first step, for a caller that reads one field of the merged message, which has this
 * type. From an index in pages, only the pages that the field needs are then read, if they suffice,
 * as they do in a file that a split has written. Otherwise the whole index is read, as without this
 * call. Type and path must outlive the index. Returns 0 if the path does not fit the type or names
 * the whole message; the call then has no effect. */
CPB_API int cpb_index_want(cpb_index *index, const cpb_message_type *type, const cpb_path *path);

/* After CPB_STEP_DONE: not NULL if only this part of the index was read. The index then describes a
 * smaller message that contains little more than this field, at the returned path. Valid until
 * cpb_index_free(). */
CPB_API const cpb_path *cpb_index_wanted(const cpb_index *index);

/* The following functions are valid after CPB_STEP_DONE, until cpb_index_free(). The version, and
 * the numbers of chunks and pages, are already valid while the index waits for one of its pages,
 * that is, as soon as cpb_index_num_pages() is not 0. */

typedef struct cpb_index_version {
  int32_t splitter;             /* version of the splitter that wrote the file */
  int32_t join;                 /* oldest version of a merger that can read it */
  const int32_t *bad_consumers; /* versions of mergers that must not read it */
  size_t num_bad_consumers;
} cpb_index_version;

CPB_API void cpb_index_get_version(const cpb_index *index, cpb_index_version *version);

/* ChunkInfo.type. It counts only without a schema: with a schema, the field that a
 * chunk belongs to determines its type. */
typedef enum cpb_chunk_type {
  CPB_CHUNK_UNSET = 0,
  CPB_CHUNK_MESSAGE = 1,
  CPB_CHUNK_BYTES = 2 /* the value of a string or bytes field, or of a number as
                         text */
} cpb_chunk_type;

/* The index's entry for a chunk. */
typedef struct cpb_chunk_info {
  /* A cpb_chunk_type, or another number if the file has one. */
  uint32_t type;

  /* The file of the chunk, as in cpb_need: 0, or another one (cpb_index_get_file()). */
  uint32_t file;

  /* In bytes. If the record has another size, the record's size counts: see
   * cpb_chunk_stored. */
  uint64_t size;

  /* The record position: begin of its Riegeli chunk + index in it. */
  uint64_t position;
} cpb_chunk_info;

CPB_API uint64_t cpb_index_num_chunks(const cpb_index *index);

/* CPB_E_NOT_FOUND if the index does not have this chunk. */
CPB_API cpb_code cpb_index_get_chunk(const cpb_index *index, uint64_t chunk, cpb_chunk_info *info);

/* Other files that chunks are in (docs/chunked-format.md): numbered from 1 on.
 * CPB_E_NOT_FOUND if the index does not have this file. */
CPB_API uint32_t cpb_index_num_files(const cpb_index *index);
CPB_API cpb_code cpb_index_get_file(const cpb_index *index, uint32_t file, cpb_other_file *out);

#define CPB_NO_CHUNK UINT64_MAX
#define CPB_NO_NODE UINT32_MAX

/* A node of the tree: node 0 is the message itself, each other one a chunked
 * field of its parent. */
typedef struct cpb_index_node {
  uint64_t chunk;                     /* the chunk that is merged there, or CPB_NO_CHUNK */
  uint32_t num_tags;                  /* tags that lead from the parent to it; 0: it
                                         is a slice, further fields of the parent */
  uint32_t parent, first_child, next; /* nodes, or CPB_NO_NODE; children are in
                                         the order of the file */
} cpb_index_node;

CPB_API uint32_t cpb_index_num_nodes(const cpb_index *index);

/* CPB_E_NOT_FOUND if the tree does not have this node. */
CPB_API cpb_code cpb_index_get_node(const cpb_index *index, uint32_t node, cpb_index_node *out);

typedef enum cpb_tag_kind {
  CPB_TAG_FIELD = 1,  /* value: field number */
  CPB_TAG_INDEX,      /* value: element of a repeated field */
  CPB_TAG_KEY_STRING, /* text, length: map key */
  CPB_TAG_KEY_BOOL,   /* value: map key, as are the rest */
  CPB_TAG_KEY_UINT32,
  CPB_TAG_KEY_UINT64,
  CPB_TAG_KEY_INT32, /* value: sign-extended */
  CPB_TAG_KEY_INT64
} cpb_tag_kind;

/* One tag of a field_tag list (a FieldIndex). */
typedef struct cpb_field_tag {
  cpb_tag_kind kind;
  uint64_t value;
  const char *text; /* of CPB_TAG_KEY_STRING, without NUL; else NULL */
  size_t length;
} cpb_field_tag;

/* Tag `i`, from 0, of the path to `node`. CPB_E_NOT_FOUND if `i` is not less than
 * num_tags. */
CPB_API cpb_code cpb_index_get_tag(const cpb_index *index, uint32_t node, uint32_t i, cpb_field_tag *out);

/* The number of pages of the index, which are records before the last one (cpb/split.h,
 * index_pages); 0: the index is a single record. Before CPB_STEP_DONE: the number of pages that the
 * index has requested. */
CPB_API uint64_t cpb_index_num_pages(const cpb_index *index);

/* The index's record, and the Riegeli chunk that holds it. All zero when the index
 * did not come from a file. The index does not keep its bytes: a record reader at
 * record->position reads them again. */
CPB_API void cpb_index_get_record(const cpb_index *index, cpb_record *record, cpb_riegeli_chunk *chunk);

/* --- Reading a chunk ------------------------------------------------------ */

typedef struct cpb_chunk_reader cpb_chunk_reader;

typedef struct cpb_chunk_reader_options {
  /* sizeof(cpb_chunk_reader_options) */
  size_t struct_size;

  cpb_verify verify;

  /* The largest need.length. Default 256 KiB. */
  size_t read_size;

  const cpb_limits *limits;
} cpb_chunk_reader_options;

/* `index` must be done, come from the file that is read, and outlive the reader.
 * Returns NULL when memory is short or an option is out of range. */
CPB_API cpb_chunk_reader *cpb_chunk_reader_new(const cpb_allocator *allocator, const cpb_index *index,
                                               const cpb_chunk_reader_options *options);
CPB_API void cpb_chunk_reader_free(cpb_chunk_reader *reader);
CPB_API cpb_input *cpb_chunk_reader_input(cpb_chunk_reader *reader);

/* Asks for the bytes [offset, offset + length) of `chunk`, without those past its
 * end (so UINT64_MAX means the rest). May be called at any time except after an
 * error, and ends a read that is in progress. Reading forward in the file costs
 * least. CPB_E_NOT_FOUND if the index does not have this chunk. */
CPB_API cpb_code cpb_chunk_reader_read(cpb_chunk_reader *reader, uint64_t chunk, uint64_t offset, uint64_t length);

/* CPB_STEP_NEED; CPB_STEP_DATA until all bytes were given; CPB_STEP_DONE;
 * CPB_STEP_ERROR. */
CPB_API cpb_step cpb_chunk_reader_step(cpb_chunk_reader *reader);

/* After CPB_STEP_DATA: the next bytes, valid until the next step. */
CPB_API const uint8_t *cpb_chunk_reader_data(const cpb_chunk_reader *reader, size_t *length);

/* Where and how a chunk is stored. */
typedef struct cpb_chunk_stored {
  uint64_t size;             /* bytes of the chunk, as its record has them, but see below */
  uint64_t index;            /* of the record in its Riegeli chunk */
  cpb_riegeli_chunk riegeli; /* the Riegeli chunk: its range, its codec */
} cpb_chunk_stored;

/* Where and how the chunk is stored, from the first CPB_STEP_DATA or CPB_STEP_DONE of a read on.
 * With CPB_VERIFY_NEVER a read of length 0 only reads headers for this. If the chunk shares a
 * transposed Riegeli chunk, whose header does not have the chunk's size, the size is then that of
 * the index. */
CPB_API const cpb_chunk_stored *cpb_chunk_reader_stored(const cpb_chunk_reader *reader);

CPB_API const cpb_error *cpb_chunk_reader_error(const cpb_chunk_reader *reader);

/* --- The merged message --------------------------------------------------- */

typedef struct cpb_merge cpb_merge;

typedef struct cpb_merge_options {
  /* sizeof(cpb_merge_options) */
  size_t struct_size;

  /* CPB_VERIFY_LATE suits a merge of the whole message to a file that is discarded
   * on an error, CPB_VERIFY_NEVER a look at a small range. */
  cpb_verify verify;

  /* Non-zero: planning takes the sizes of the chunks from the index and opens a chunk only for its
   * bytes, perhaps not before a range is read. A chunk of another size is then CPB_E_DAMAGED (the
   * size 0 means unknown: such a chunk is opened). Zero: planning opens every chunk, and takes its
   * size from there, with one exception: if a chunk of the index's size, alone in its Riegeli chunk
   * and not compressed, would take exactly the bytes up to the next one, it is not opened before it
   * is read, and is then CPB_E_DAMAGED if it has another size. */
  int trust_sizes;

  /* Bytes for decoded Riegeli chunks, and for small chunks that are kept from
   * planning to reading. Default 16 MiB. */
  size_t memory;

  /* The largest need.length. Default 256 KiB. */
  size_t read_size;

  /* The most items of the plan (operations, changed fields, segments), of 10 to 80
   * bytes each; more are CPB_E_LIMIT. 0: limits->entries. */
  uint64_t plan_items;

  /* The type of the merged message, which must outlive the merge. NULL: unknown.
   * Then a field tag without an index means a singular field (but a field that
   * occurs several times gets a further occurrence), and chunks for numbers are
   * CPB_E_UNSUPPORTED. */
  const cpb_message_type *type;

  const cpb_limits *limits;
} cpb_merge_options;

/* `index` must be done and outlive the merge. Returns NULL when memory is short or
 * an option is out of range. */
CPB_API cpb_merge *cpb_merge_new(const cpb_allocator *allocator, const cpb_index *index,
                                 const cpb_merge_options *options);

/* A chunk in memory. */
typedef struct cpb_chunk_bytes {
  const void *data;
  size_t size;
  uint32_t type; /* a cpb_chunk_type; 0: as the index says */
} cpb_chunk_bytes;

/* The same for chunks that the caller has in memory. They and the array must
 * outlive the merge. Its steps never return CPB_STEP_NEED. */
CPB_API cpb_merge *cpb_merge_from_chunks(const cpb_allocator *allocator, const cpb_index *index,
                                         const cpb_chunk_bytes *chunks, size_t num_chunks,
                                         const cpb_merge_options *options);
CPB_API void cpb_merge_free(cpb_merge *merge);
CPB_API cpb_input *cpb_merge_input(cpb_merge *merge);

/* Before the first step: accepts damaged chunks. The plan then has unreadable ranges of the
 * message, and lacks chunks whose place within such a range depends on an index or a map key. This
 * is for showing the intact parts: the merged message differs from the original. CPB_E_USAGE: a
 * step was made, or the chunks are in memory; CPB_E_MEMORY. */
CPB_API cpb_code cpb_merge_keep_damaged(cpb_merge *merge);

/* Before the first step: plans only as much as is needed to find the field at `path` in the merged
 * message (cpb/find.h) and read it. This takes little time and memory even if the message has a
 * million other chunks. Other fields of the message may be missing or incomplete, and errors
 * elsewhere in the index go unnoticed. If a step fails for another reason than reading or memory, a
 * full merge may still succeed. `type` is for the names in the path, and may be NULL; `path` must
 * outlive the plan. CPB_E_USAGE: a step was made, or together with cpb_merge_keep_damaged();
 * CPB_E_MEMORY. */
CPB_API cpb_code cpb_merge_plan_for(cpb_merge *merge, const cpb_message_type *type, const cpb_path *path);

/* First makes the plan: CPB_STEP_NEED, then CPB_STEP_DONE. Then, after each
 * cpb_merge_read(): CPB_STEP_NEED; CPB_STEP_DATA until all bytes were given;
 * CPB_STEP_DONE. Or CPB_STEP_ERROR. */
CPB_API cpb_step cpb_merge_step(cpb_merge *merge);

CPB_API const cpb_error *cpb_merge_error(const cpb_merge *merge);

/* The following functions are valid once the plan is made. */

/* With cpb_merge_keep_damaged(): the error of the first damaged chunk that other chunks are merged
 * into. The code is CPB_OK if all of these are intact. Never NULL. */
CPB_API const cpb_error *cpb_merge_damage(const cpb_merge *merge);

/* Bytes of the merged message. */
CPB_API uint64_t cpb_merge_size(const cpb_merge *merge);

/* Asks for the bytes [offset, offset + length) of the merged message, without
 * those past its end. May be called at any time except after an error, and ends a
 * read that is in progress. */
CPB_API cpb_code cpb_merge_read(cpb_merge *merge, uint64_t offset, uint64_t length);

/* After CPB_STEP_DATA: the next bytes, valid until the next step. */
CPB_API const uint8_t *cpb_merge_data(const cpb_merge *merge, size_t *length);

/* Steps, and copies the bytes to `out`, until it has `size` bytes, and then returns CPB_STEP_DATA.
 * `*length`, at first 0, counts the bytes in `out`. After CPB_STEP_NEED, call it again with the
 * same arguments; after CPB_STEP_DONE, `out` has the last bytes. For hosts with calls that cost
 * more than a copy. */
CPB_API cpb_step cpb_merge_fill(cpb_merge *merge, void *out, size_t size, size_t *length);

/* A range of a chunk, or literal bytes, in the merged message. */
typedef struct cpb_segment {
  uint64_t offset; /* in the merged message */
  uint64_t length;
  uint64_t chunk;         /* or CPB_NO_CHUNK: literal bytes */
  uint64_t chunk_offset;  /* in the chunk */
  const uint8_t *literal; /* NULL for a range of a chunk */
} cpb_segment;

/* Segments follow each other without gaps, and are never empty. CPB_E_NOT_FOUND if
 * `i` is not less than their number. */
CPB_API size_t cpb_merge_num_segments(const cpb_merge *merge);
CPB_API cpb_code cpb_merge_get_segment(const cpb_merge *merge, size_t i, cpb_segment *segment);

/* The segment that holds the byte at `offset`; past the end the number of
 * segments. */
CPB_API size_t cpb_merge_find_segment(const cpb_merge *merge, uint64_t offset);

/* --- The merged message in several threads ---------------------------------- */

/* Another reader of the same plan, with an input of its own. `merge` must have its plan, and no
 * read in progress unless it has failed; it must outlive the fork. Each may then be used by a
 * thread of its own, as their shared data no longer change. Returns NULL when memory is short or
 * the plan is missing. */
CPB_API cpb_merge *cpb_merge_fork(const cpb_merge *merge, const cpb_allocator *allocator);

/* Offsets for dividing the merged message among such readers, so that neighbours
 * never both decode a large chunk. Each division except the last has `least` bytes
 * or more; a division with a large chunk in it may have many more.
 *
 * `*cuts` are the offsets at which the divisions end, in order, the last being the
 * end of the message; `*count` is their number (0: the message is empty). The
 * merge owns them, until it is cut again. CPB_E_USAGE if the plan is missing;
 * CPB_E_MEMORY. */
CPB_API cpb_code cpb_merge_cut(cpb_merge *merge, uint64_t least, const uint64_t **cuts, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
