/* Splits, alone and against a base. */
#include "split_operations.h"

#include <stdio.h>

#include "cpb/split.h"
#include "operation_host.h"

static void split_to_end(const host *h, outcome *out, cpb_split *split) {
  unsigned state = h->seed;
  cpb_step step;
  while ((step = cpb_split_step(split)) == CPB_STEP_NEED || step == CPB_STEP_OUTPUT) {
    if (step == CPB_STEP_NEED) {
      answer(h, &state, cpb_split_input(split));
      continue;
    }
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_split_output(split, &offset, &length);
    keep_bytes(out, data, length);
  }
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_split_error(split));
}

static cpb_split *new_split(const host *h, const char *type, cpb_layout layout) {
  const cpb_split_options options = {.struct_size = sizeof options,
                                     .type_name = type,
                                     .layout = layout,
                                     .max_chunk_size = 700,
                                     .inline_max = 200,
                                     .codec = {.codec = CPB_CODEC_ZSTD},
                                     .limits = h->limits};
  return cpb_split_new(h->allocator, &options);
}

static void split_as(const host *h, outcome *out, const char *type, cpb_layout layout) {
  cpb_split *split = new_split(h, type, layout);
  if (split == NULL) {
    no_memory(out);
    return;
  }
  split_to_end(h, out, split);
  cpb_split_free(split);
}

void split_graph(const host *h, outcome *out) { split_as(h, out, "tensorflow.GraphDef", CPB_LAYOUT_REMOTE); }
void split_saved_model(const host *h, outcome *out) { split_as(h, out, "tensorflow.SavedModel", CPB_LAYOUT_COMPAT); }

/* --- Against a base ----------------------------------------------------------- */

/* Splits `message` against `base`. */
static void split_against(const host *message, const host *base, outcome *out) {
  const cpb_split_base_options which = {.struct_size = sizeof which, .name = "base.cpb", .limits = base->limits};
  cpb_split *split = new_split(message, "tensorflow.GraphDef", CPB_LAYOUT_REMOTE);
  unsigned state = message->seed, state_of_base = base->seed;
  cpb_step step = CPB_STEP_ERROR;
  while (split && (step = cpb_split_plan(split)) == CPB_STEP_NEED) answer(message, &state, cpb_split_input(split));
  cpb_split_base *chunks = step == CPB_STEP_DONE ? cpb_split_base_new(base->allocator, split, &which) : NULL;
  if (!split || (step == CPB_STEP_DONE && !chunks)) no_memory(out);
  else if (step == CPB_STEP_ERROR) keep_error(out, cpb_split_error(split));
  while (chunks && (step = cpb_split_base_step(chunks)) == CPB_STEP_NEED)
    answer(base, &state_of_base, cpb_split_base_input(chunks));
  if (chunks && step == CPB_STEP_ERROR) keep_error(out, cpb_split_base_error(chunks));
  if (chunks && step == CPB_STEP_DONE) {
    cpb_split_share(split, chunks);
    split_to_end(message, out, split);
    cpb_split_shared shared;
    cpb_split_get_shared(split, &shared);
    if (out->error.code == CPB_OK) note(out, "shared", shared.chunks, shared.bytes);
  }
  cpb_split_free(split);
  cpb_split_base_free(chunks);
}

/* Against what it is when it is split itself: all but the first chunk is there. */
void split_shared(const host *h, outcome *out) {
  const host quiet = {.data = h->data, .size = h->size};
  outcome file;
  outcome_init(&file);
  split_as(&quiet, &file, "tensorflow.GraphDef", CPB_LAYOUT_REMOTE);
  if (file.error.code == CPB_OK) {
    const host base = {.data = file.log.data, .size = file.log.size};
    split_against(h, &base, out);
  } else {
    keep_error(out, &file.error);
  }
  outcome_free(&file);
}

/* As a base for the message that it is of. */
void read_base(const host *h, outcome *out) {
  FILE *file = fopen(CPB_TEST_DATA "/cpb/graph_const_dtypes/orig.pb", "rb");
  static uint8_t data[1 << 14];
  if (!file) abort();
  const host message = {.data = data, .size = fread(data, 1, sizeof data, file)};
  fclose(file);
  split_against(&message, h, out);
}
