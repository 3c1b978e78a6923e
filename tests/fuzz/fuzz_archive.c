/* Zip archives of models: [piece 1][archive]. Each entry is read as far as it can be. */
#include <stdlib.h>

#include "cpb/archive.h"
#include "host.h"

static const fuzz_bounds bounds = {
    .decoded = {4 << 20, 1100}, .held = {128 << 10, 256}, .walked = {1 << 20, 4}, .entries = {64, 1}};

static cpb_step next(cpb_archive *archive, fuzz_loan *loan, fuzz_in file, size_t piece) {
  cpb_step step;
  while ((step = cpb_archive_step(archive)) == CPB_STEP_NEED) fuzz_lend(loan, cpb_archive_input(archive), file, piece);
  return step;
}

static void read_entry(cpb_archive *archive, size_t i, fuzz_loan *loan, fuzz_in file, size_t piece) {
  cpb_archive_entry entry;
  uint64_t total = 0;
  fuzz_check(cpb_archive_get(archive, i, &entry));
  fuzz_check(cpb_archive_find(archive, entry.name, entry.name_size) == i);
  cpb_archive_read(archive, i);
  while (next(archive, loan, file, piece) == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_archive_data(archive, &size);
    const uint64_t offset = cpb_archive_offset(archive);
    fuzz_check(data != NULL && size > 0 && (total += size) <= entry.size);
    fuzz_check(!entry.stored || (offset <= file.size && entry.size <= file.size - offset));
  }
  if (cpb_archive_error(archive)->code == CPB_OK) fuzz_check(total == entry.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  const size_t piece = 1 + fuzz_number(&in, 1) * 16;
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  cpb_archive *archive = cpb_archive_new(NULL, &counted);
  fuzz_loan loan = {NULL};
  if (next(archive, &loan, in, piece) == CPB_STEP_DONE) {
    size_t models[4];
    const size_t count = cpb_archive_find_models(archive, models, 4);
    fuzz_check(count <= cpb_archive_count(archive));
    for (size_t i = 0; i < cpb_archive_count(archive) && cpb_archive_error(archive)->code == CPB_OK; i++)
      read_entry(archive, i, &loan, in, piece);
  }
  if (cpb_archive_error(archive)->code != CPB_OK) fuzz_error(cpb_archive_error(archive));
  cpb_archive_free(archive);
  fuzz_return(&loan);
  fuzz_bounded(&work, &bounds, in.size);
  return 0;
}
