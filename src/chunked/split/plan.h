/* The plan of a split, made in one pass over the input: which fields go into which chunk.
 *
 * The walk reports which messages it enters and leaves, which fields it keeps and which it moves out. The plan keeps,
 * in the order of the input, an edit for each field whose length changes: an entered message that lost something (the
 * header is rewritten and its contents follow), or a message or value that moved out (an empty field is left and its
 * contents are skipped). A chunk is then a range of the input with the edits in that range, and needs no other list.
 *
 * An entered message stays in its parent until the rest of it exceeds its bound; then it becomes a chunk of its own,
 * with everything that was planned inside it (`promote`). A full chunk is cut before the field that no longer fits, and
 * continues as a slice (`cut`). */
#ifndef CPB_CHUNKED_SPLIT_PLAN_H
#define CPB_CHUNKED_SPLIT_PLAN_H

#include "base/meter.h"
#include "chunked/index/metadata.h"
#include "proto/wire.h"

#define CPB_PLAN_NONE UINT32_MAX

typedef struct cpb_plan_edit {
  uint64_t begin; /* of the field's tag in the input */
  uint64_t next;  /* where the input continues after the new header */
  uint64_t size;  /* the new length */
  size_t after;   /* the next edit of the same chunk */
  uint32_t number;
} cpb_plan_edit;

typedef struct cpb_plan_chunk {
  uint64_t begin, end; /* in the input */
  uint64_t size;       /* of the chunk: the range after its edits */
  uint64_t position;   /* in the output, once it was written; or in another file that has the chunk */
  size_t first_edit;
  size_t first_tag;  /* its field tag, relative to the owner's message */
  uint32_t num_tags; /* none: a slice of the owner */
  uint32_t owner;    /* the chunk whose message it was taken from */
  int32_t order;
  bool is_bytes;
  bool elsewhere; /* not written, because a base has it */
} cpb_plan_chunk;

/* An entered message. */
typedef struct cpb_plan_frame {
  cpb_wire_field field;
  size_t edit;
  uint32_t chunk;       /* its first chunk; CPB_PLAN_NONE while it is in place */
  uint32_t slice;       /* the chunk being filled */
  uint32_t first_chunk; /* chunks from here on were planned inside it */
  uint32_t num_tags;    /* of the field tag, from the parent to here */
  uint64_t kept;        /* bytes of its finished fields that stay in this slice */
  uint64_t keep_max, slice_max;
  size_t text_begin; /* of its map key in `path_text` */
  int32_t order;
} cpb_plan_frame;

typedef struct cpb_plan {
  cpb_allocator allocator; /* the meter's */
  cpb_meter *meter;        /* charged with each edit, chunk and tag */
  cpb_error *error;
  uint64_t max_chunks;
  cpb_plan_edit *edits;
  size_t num_edits, edits_capacity;
  cpb_plan_chunk *chunks;
  size_t num_chunks, chunks_capacity;
  cpb_tag *tags; /* of the chunks' field tags; keys are in `text` */
  size_t num_tags, tags_capacity;
  cpb_buffer text;
  /* while planning */
  cpb_plan_frame *frames;
  size_t depth, frames_capacity;
  cpb_tag *path; /* from the root to the innermost frame; keys in path_text */
  size_t num_path, path_capacity;
  cpb_buffer path_text;
} cpb_plan;

/* The place of a message or value in its parent. */
typedef struct cpb_plan_place {
  cpb_wire_field field; /* the field whose contents may change */
  cpb_tag tags[2];      /* its field tag; a string key's bytes are in `key` */
  uint32_t num_tags;
  cpb_span key;
} cpb_plan_place;

/* `meter` and `error` must outlive the plan. */
void cpb_plan_init(cpb_plan *p, cpb_meter *meter, cpb_error *error);
void cpb_plan_free(cpb_plan *p);

/* Forgets everything and begins with the root message of `size` bytes. */
bool cpb_plan_begin(cpb_plan *p, uint64_t size, uint64_t slice_max);

/* Enters a message of the innermost frame. The message moves out if more than `keep_max` bytes stay in it, and is cut
 * into slices of `slice_max`. A place without tags is a map's entry: it leads to the value and never becomes a
 * chunk. */
bool cpb_plan_enter(cpb_plan *p, const cpb_plan_place *place, uint64_t keep_max, uint64_t slice_max, int32_t order);
/* Turns the innermost frame into a chunk at once. */
bool cpb_plan_move(cpb_plan *p);
bool cpb_plan_leave(cpb_plan *p);

/* Keeps `size` bytes from `begin`, whole fields of the innermost frame. */
bool cpb_plan_keep(cpb_plan *p, uint64_t begin, uint64_t size);
/* Moves out the value of a string or bytes field of the innermost frame. */
bool cpb_plan_move_bytes(cpb_plan *p, const cpb_plan_place *place, int32_t order);

/* Sorts the chunks into the order of the file, and frees memory that only planning needs. */
bool cpb_plan_finish(cpb_plan *p);

/* Adds the planned chunks, with their positions, to an empty index. */
bool cpb_plan_index(const cpb_plan *p, cpb_metadata *m, cpb_error *error);

/* --- Reading a chunk off the plan ------------------------------------------ */

typedef struct cpb_plan_cursor {
  uint64_t pos, end; /* in the input */
  size_t edit;
} cpb_plan_cursor;

/* A piece of a chunk: a range of the input, or a few bytes to be written. */
typedef struct cpb_plan_piece {
  uint64_t offset, length; /* length 0: literal */
  uint8_t literal[CPB_WIRE_HEADER_MAX];
  size_t literal_size;
} cpb_plan_piece;

void cpb_plan_open(const cpb_plan *p, size_t chunk, cpb_plan_cursor *cursor);
bool cpb_plan_next(const cpb_plan *p, cpb_plan_cursor *cursor, cpb_plan_piece *piece);

#endif
