/* Mutations of files that a checksum protects: what is changed is the content, and hashes, sizes and the
 * positions in the index are then made right again, so that most of what comes out is read to its end.
 *
 * A target that takes a file has, beside LLVMFuzzerTestOneInput:
 *
 *     FUZZ_MUTATE_FILE(1)
 *
 * with the number of bytes that precede the file in its input. */
#ifndef CPB_TESTS_FUZZ_MUTATE_H
#define CPB_TESTS_FUZZ_MUTATE_H

#include "fuzz.h"

/* libFuzzer's; not there in the programs that only replay. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Changes data[0, size) in one way or another that `seed` chooses; returns the new size, at most `max_size`. */
size_t fuzz_mutate_file(uint8_t *data, size_t size, size_t max_size, unsigned seed, size_t prefix);

/* Sets all hashes in a Riegeli file that has a sound beginning, from its first chunk on. A size that reaches
 * past the end of the file is cut down to it. */
void fuzz_repair_riegeli(uint8_t *data, size_t size);

#define FUZZ_MUTATE_FILE(prefix)                                                               \
  size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);  \
  size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) { \
    return fuzz_mutate_file(data, size, max_size, seed, prefix);                               \
  }

/* --- For the kinds of files ------------------------------------------------------ */

/* Each returns the size of the new file, which replaces the old one, or 0 if it cannot: then nothing has
 * changed. */
size_t fuzz_mutate_records(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t fuzz_mutate_zip(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Mutates one of `count` byte strings in memory of its own, which may grow by a few bytes. */
typedef struct fuzz_item {
  uint8_t *data;
  size_t size;
  uint64_t tag; /* of the kind of file */
} fuzz_item;

enum { FUZZ_ITEMS = 64 };

typedef struct fuzz_items {
  fuzz_item items[FUZZ_ITEMS];
  size_t count;
} fuzz_items;

int fuzz_items_add(fuzz_items *items, const void *data, size_t size, uint64_t tag);
void fuzz_items_change(fuzz_items *items, unsigned seed);
void fuzz_items_free(fuzz_items *items);

#endif
