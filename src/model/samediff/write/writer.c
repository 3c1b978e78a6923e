/* The SameDiff writer: its stages, and what a step returns. */
#include "base/limits.h"
#include "model/samediff/write/base.h"
#include "model/samediff/write/files.h"
#include "model/samediff/write/shares.h"
#include "model/samediff/write/tags.h"

/* --- Creation ------------------------------------------------------------------ */

cpb_samediff_writer *cpb_samediff_writer_new(const cpb_allocator *allocator, const cpb_samediff_options *options) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_samediff_writer *w = cpb_alloc_zeroed(&a, sizeof *w);
  if (!w) return NULL;
  w->allocator = a;
  w->error.offset = CPB_NO_OFFSET;
  cpb_options_copy(&w->options, sizeof w->options, options);
  w->options.max_memory = cpb_max_memory_or_default(w->options.max_memory);
  cpb_model_options how = {.struct_size = sizeof how, .max_memory = w->options.max_memory, .limits = w->options.limits};
  cpb_sd_model_init(&w->base, &a, NULL, true, &how);
  cpb_sd_tags_init(&w->all_tags, &a);
  cpb_zip_writing_init(&w->zip, &a);
  cpb_buffer *const buffers[] = {&w->texts,          &w->lines,        &w->file_names, &w->base_texts,
                                 &w->base_directory, &w->base_comment, &w->out};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) cpb_buffer_init(buffers[i], &a);
  w->swap.out = cpb_alloc(&a, CPB_SD_SWAP_OUT);
  if (w->swap.out) return w;
  cpb_samediff_writer_free(w);
  return NULL;
}

void cpb_samediff_writer_free(cpb_samediff_writer *w) {
  if (!w) return;
  cpb_allocator a = w->allocator;
  cpb_buffer *const buffers[] = {&w->texts,          &w->lines,        &w->file_names, &w->base_texts,
                                 &w->base_directory, &w->base_comment, &w->out};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) cpb_buffer_free(buffers[i]);
  for (size_t i = 0; i < w->num_tags; i++) {
    cpb_buffer_free(&w->tags[i].stripped);
    for (int s = 0; s < CPB_SD_SECTIONS; s++) cpb_names_free(&w->tags[i].names[s]);
  }
  cpb_sd_model_free(&w->base);
  cpb_sd_tags_free(&w->all_tags);
  cpb_zip_writing_free(&w->zip);
  cpb_deflate_free(w->deflate);
  cpb_release(&a, w->tags);
  cpb_release(&a, w->parts);
  cpb_release(&a, w->files);
  cpb_release(&a, w->swap.out);
  cpb_release(&a, w->room);
  cpb_release(&a, w);
}

/* --- Steps ----------------------------------------------------------------------------------- */

uint64_t cpb_samediff_writer_source(const cpb_samediff_writer *w) {
  return w->wants_values ? w->files[w->next_file - 1].part->source : CPB_SAMEDIFF_BASE;
}

cpb_input *cpb_samediff_writer_input(cpb_samediff_writer *w) { return w->wants_values ? &w->values : &w->base.input; }

const uint8_t *cpb_samediff_writer_output(const cpb_samediff_writer *w, uint64_t *offset, size_t *length) {
  *offset = w->at;
  *length = w->piece.size;
  return w->piece.data;
}

int cpb_samediff_writer_needs_sync(const cpb_samediff_writer *w) { return w->needs_sync; }
const cpb_error *cpb_samediff_writer_error(const cpb_samediff_writer *w) { return &w->error; }

void cpb_samediff_writer_progress(const cpb_samediff_writer *w, uint64_t *done, uint64_t *total) {
  *done = w->done;
  *total = w->total;
}

static bool check(cpb_samediff_writer *w) {
  if (w->num_tags == 0) return cpb_sd_writer_misused(w, "no tag was added; expected at least one");
  if (w->options.in_place && (w->options.in_order || !w->options.append))
    return cpb_sd_writer_misused(w, "in_place is set; expected append to be set, too, and in_order not to be");
  return cpb_sd_write_index(w);
}

static cpb_have done(bool good) { return good ? CPB_HAVE : CPB_FAILED; }

/* All that comes before the first output. */
static cpb_have prepare(cpb_samediff_writer *w) {
  switch (w->stage) {
    case CPB_SD_WRITE_CHECK: return done(check(w));
    case CPB_SD_WRITE_BASE: return w->options.append ? cpb_sd_write_open_base(w) : CPB_HAVE;
    case CPB_SD_WRITE_TAGS: return done(cpb_sd_write_tags(w));
    case CPB_SD_WRITE_SHARES: return cpb_sd_write_share_with_base(w);
    default: return done(cpb_sd_write_share(w) && cpb_sd_write_lines(w) && cpb_sd_write_list(w));
  }
}

static cpb_step failed(cpb_samediff_writer *w) {
  if (w->error.code == CPB_OK) w->error = w->base.error;
  cpb_input_let_go(&w->base.input);
  cpb_input_let_go(&w->values);
  return CPB_STEP_ERROR;
}

cpb_step cpb_samediff_writer_step(cpb_samediff_writer *w) {
  if (w->error.code != CPB_OK) return failed(w);
  while (w->stage < CPB_SD_WRITE_FIRST) {
    cpb_have have = prepare(w);
    if (have == CPB_WAIT) return CPB_STEP_NEED;
    if (have != CPB_HAVE) return failed(w);
    w->stage++;
  }
  cpb_step step = cpb_sd_write_files(w);
  return step == CPB_STEP_ERROR ? failed(w) : step;
}
