/* The other files that chunks of a store are in: they must be those that the index says. */
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
  bool *sized; /* by file: it has the size that the index says */
} cpb_store_files;

void cpb_store_files_free(cpb_store_files *f);

/* Sets the store's error, naming the file if it is another one: offsets are then of that. `error` may be the
 * store's own. CPB_FAILED. */
cpb_have cpb_store_fail_in(cpb_store_files *f, uint32_t file, const cpb_error *error);

/* Makes the engine's input ask for the file. */
void cpb_store_turn_input(cpb_store_files *f, uint32_t file);

/* The size of the file has to be that of the index, before anything of it is read. */
cpb_have cpb_store_check_file(cpb_store_files *f, uint32_t file);

/* The reader has read the header of the chunk's Riegeli chunk: its hash has to be that of the index. */
cpb_have cpb_store_check_hash(cpb_store_files *f, uint32_t file, uint64_t chunk, const cpb_record_reader *reader);

/* The size of the file, as far as it is known. */
uint64_t cpb_store_known_size(const cpb_store_files *f, uint32_t file);

#endif
