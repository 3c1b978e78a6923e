/* The other files with chunks of a store; they must match the index. */
#ifndef CPB_CHUNKED_READ_STORE_FILES_H
#define CPB_CHUNKED_READ_STORE_FILES_H

#include "base/meter.h"
#include "chunked/index/index_state.h"

typedef struct cpb_store_files {
  cpb_allocator allocator;
  const cpb_index *index;
  cpb_input *input; /* of the engine */
  cpb_meter *meter;
  cpb_error *error;
  bool *sized; /* by file: its size matches the index */
} cpb_store_files;

void cpb_store_files_free(cpb_store_files *f);

/* Sets the store's error, naming the file if it is another one: offsets are then of that. `error` may be the
 * store's own. CPB_FAILED. */
cpb_have cpb_store_fail_in(cpb_store_files *f, uint32_t file, const cpb_error *error);

/* Makes the engine's input ask for the file. */
void cpb_store_turn_input(cpb_store_files *f, uint32_t file);

/* The size of the file must match the index before anything of it is read. */
cpb_have cpb_store_check_file(cpb_store_files *f, uint32_t file);

/* Call it when the reader has read the header of the chunk's Riegeli chunk: its hash must match the index. */
cpb_have cpb_store_check_hash(cpb_store_files *f, uint32_t file, uint64_t chunk, const cpb_record_reader *reader);

/* The size of the file, if known. */
uint64_t cpb_store_known_size(const cpb_store_files *f, uint32_t file);

#endif
