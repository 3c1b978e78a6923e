/* Writes a .cpb file for split and repack: pieces of chunks, parts that are encoded elsewhere, the index. */
#ifndef CPB_CHUNKED_SPLIT_CHUNKED_WRITER_H
#define CPB_CHUNKED_SPLIT_CHUNKED_WRITER_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "chunked/index/tree_order.h"
#include "cpb/chunked.h"
#include "cpb/records.h"
#include "cpb/split.h"
#include "riegeli/codec/codec.h"

/* --- evenly ----------------------------------------------------------------------------------- */

/* Returns a chunk's bytes in pieces whose sizes depend on the chunk alone, however the bytes arrive. The output of a
 * codec may depend on the sizes of its input pieces; otherwise the file would depend on how its host reads. Without a
 * codec, bytes are returned as they arrive, uncopied. */

typedef struct cpb_evenly {
  cpb_buffer held;
  size_t most;   /* bytes of a piece */
  uint64_t left; /* bytes of the chunk not added yet */
  cpb_span rest; /* added bytes that are still to be returned */
  bool even;     /* whether the pieces must have equal sizes */
  bool given;    /* the held piece was returned */
} cpb_evenly;

void cpb_evenly_init(cpb_evenly *p, const cpb_allocator *a, size_t buffer);
void cpb_evenly_free(cpb_evenly *p);

void cpb_evenly_begin(cpb_evenly *p, uint64_t chunk_size, bool even);

/* Whether added bytes remain to be returned. If not, more can be added. */
static inline bool cpb_evenly_wait(const cpb_evenly *p) { return p->rest.size > 0; }

/* Adds the next bytes, which must stay valid until the last piece with any of them was returned. */
static inline void cpb_evenly_add(cpb_evenly *p, cpb_span bytes) { p->rest = bytes; }

/* The next piece, valid until the next call; empty while it is incomplete. False if memory is short. */
bool cpb_evenly_next(cpb_evenly *p, cpb_span *piece);

/* --- parts ------------------------------------------------------------------------------------ */

/* Divides a file into parts that can be encoded independently.
 *
 * A part is a run of chunks that begins and ends at Riegeli chunks. Some parts must be encoded by the file's own
 * writer: a chunk that is too large to be kept encoded, and the last chunks if the index shares their Riegeli chunk. A
 * large chunk is a part of its own: if a fork finds it uncompressed, it leaves the chunk to the writer, which streams
 * it, as encoding it is only copying. */

typedef struct cpb_file_part {
  size_t first; /* first chunk; the part ends where the next one begins */
  bool alone;
} cpb_file_part;

typedef struct cpb_parts {
  cpb_allocator allocator;
  cpb_file_part *items;
  size_t count, capacity, next;
  size_t num_chunks, last_begin; /* where the last Riegeli chunk begins */
  uint64_t bytes;                /* of the last part */
  uint64_t filled;               /* of the current Riegeli chunk */
  uint64_t least;                /* smallest size of a part */
  uint64_t most;                 /* largest size of a chunk that can be encoded separately */
  bool large;                    /* the last chunk is left to the writer if it is not compressed */
} cpb_parts;

void cpb_parts_init(cpb_parts *p, const cpb_allocator *a);
void cpb_parts_free(cpb_parts *p);

/* Adds the next chunk, as `writer` would write it. If `joined`, no part begins here. False if memory is short. */
bool cpb_parts_add(cpb_parts *p, const cpb_record_writer *writer, uint64_t size, bool joined);

/* Skips the next chunk, which is not written. */
static inline void cpb_parts_pass(cpb_parts *p) { p->num_chunks++; }

/* Call it after the last one. */
bool cpb_parts_finish(cpb_parts *p, bool index_joins);

/* The chunk after the last of part `i`. */
size_t cpb_parts_end(const cpb_parts *p, size_t i);

/* Whether a fork leaves its part, which is one chunk of this size, to the writer. */
static inline bool cpb_parts_leave(uint64_t size, bool compressed) { return !compressed && size > CPB_STORED_MOST; }

/* Forgets the parts, and begins to divide the file that `writer` writes. */
void cpb_parts_restart(cpb_parts *p, const cpb_record_writer *writer, uint64_t least);

/* Whether the next part begins with `chunk`; if so, goes on to the part after it. */
bool cpb_parts_arrive(cpb_parts *p, size_t chunk);

/* --- chunked writer --------------------------------------------------------------------------- */

/* A record writer that gets the chunks and then their index. Split and repack both use it, so the same chunks and
 * options give the same file. */

typedef struct cpb_chunked_writer_options {
  cpb_layout layout;
  cpb_codec_options codec; /* CPB_CODEC_DEFAULT: chosen for each chunk, or the layout's */
  cpb_transpose transpose;
  const cpb_record_writer_options *riegeli; /* NULL; or how records are written, instead of the three above */
  uint64_t for_memory, index_pages;
  bool seekable;
  bool apart; /* Riegeli chunks alone, for another engine's file */
  size_t buffer;
  const cpb_limits *limits;
} cpb_chunked_writer_options;

typedef enum cpb_chunked_writer_state {
  CPB_CHUNKED_CODEC, /* of the index */
  CPB_CHUNKED_PAGES,
  CPB_CHUNKED_BEGIN, /* a record of the index */
  CPB_CHUNKED_WRITE,
  CPB_CHUNKED_PLACED, /* that was a page */
  CPB_CHUNKED_FINISH,
  CPB_CHUNKED_DONE
} cpb_chunked_writer_state;

typedef struct cpb_chunked_writer {
  cpb_allocator allocator;
  cpb_error *error; /* the engine's */
  cpb_chunked_writer_options options;
  cpb_record_writer *writer;
  cpb_codec codec; /* at present */
  cpb_transpose transpose;
  bool drain;                     /* the writer may have output */
  cpb_evenly pieces;              /* of the chunk */
  cpb_parts parts;                /* that other engines may encode */
  cpb_span given;                 /* the rest of the current encoded part */
  cpb_encoded_chunk placed;       /* the last Riegeli chunk written of it */
  cpb_chunked_writer_state state; /* of the index */
  cpb_page_writer pages;
  cpb_buffer index; /* its next record, serialized, */
  bool last;        /* and whether that is the file's last one */
} cpb_chunked_writer;

void cpb_chunked_writer_init(cpb_chunked_writer *w, const cpb_allocator *a, cpb_error *error);
void cpb_chunked_writer_free(cpb_chunked_writer *w);

/* A new file. False if memory is short, with the error set; invalid options are the writer's error. */
bool cpb_chunked_writer_open(cpb_chunked_writer *w, const cpb_chunked_writer_options *options);

/* All below return false with the error set. Afterwards the writer may have output. */

/* The result of a call of the writer. */
bool cpb_chunked_writer_called(cpb_chunked_writer *w, cpb_code code);

static inline bool cpb_chunked_writer_is_compat(const cpb_chunked_writer *w) {
  return w->options.layout == CPB_LAYOUT_COMPAT;
}
/* Whether each chunk gets the codec that pays. */
bool cpb_chunked_writer_chooses_codec(const cpb_chunked_writer *w);
bool cpb_chunked_writer_use_codec(cpb_chunked_writer *w, cpb_codec codec);
/* Transposes a compressed message that is not too large. If chunks share Riegeli chunks, either all or none are
 * transposed. */
bool cpb_chunked_writer_choose_transpose(cpb_chunked_writer *w, bool is_message, uint64_t size);

/* Begins a chunk; bytes are then added to `pieces`, and written. */
bool cpb_chunked_writer_begin_chunk(cpb_chunked_writer *w, uint64_t size);
bool cpb_chunked_writer_write_piece(cpb_chunked_writer *w);

/* Writes the next Riegeli chunk of `given`, a part that was encoded elsewhere; `placed` then describes the chunk. Call
 * it once more at the end of the part: the writer continues with the codec of the last chunk, as if it had encoded
 * that itself. */
bool cpb_chunked_writer_place(cpb_chunked_writer *w);

/* The next step of writing the index, from CPB_CHUNKED_CODEC to CPB_CHUNKED_DONE. `m` may go once `last` is set.
 * `apart` is the value for the pages. */
bool cpb_chunked_writer_write_index(cpb_chunked_writer *w, const cpb_metadata *m, bool apart);

#endif
