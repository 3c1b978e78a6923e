/* The message, whole or a range: of a chunked file as merged. */
#include <string.h>

#include "base/status.h"
#include "job.h"

typedef struct message_body {
  cpb_allocator allocator;
  char *name;
  cpb_file *file; /* `message` closes it */
  cpb_message_file *message;
  cpb_merge *merge; /* NULL: the file is the message */
  cpb_range left;
} message_body;

static void close_message(void *state) {
  message_body *b = state;
  cpb_allocator a = b->allocator;
  cpb_merge_free(b->merge);
  cpb_message_file_close(b->message);
  cpb_release(&a, b->name);
  cpb_release(&a, b);
}

static cpb_step step(message_body *b) {
  cpb_step answer;
  while ((answer = cpb_merge_step(b->merge)) == CPB_STEP_NEED) cpb_file_supply(b->file, cpb_merge_input(b->merge));
  return answer;
}

static bool next_merged(message_body *b, cpb_span *piece, cpb_error *error) {
  cpb_step answer = step(b);
  if (answer == CPB_STEP_ERROR) *error = *cpb_merge_error(b->merge);
  if (answer == CPB_STEP_DATA) piece->data = cpb_merge_data(b->merge, &piece->size);
  return answer != CPB_STEP_ERROR;
}

static bool next_of_message(void *state, cpb_span *piece, cpb_error *error) {
  message_body *b = state;
  *piece = (cpb_span){(const uint8_t *)"", 0};
  if (b->left.length == 0) return true;
  if (b->merge) {
    if (!next_merged(b, piece, error)) return false;
  } else {
    piece->size = b->left.length < SIZE_MAX ? (size_t)b->left.length : SIZE_MAX;
    piece->data = cpb_file_read(b->file, b->left.offset, &piece->size, error);
    if (!piece->data) return false;
  }
  if (piece->size == 0)
    return CPB_FAILS(error, CPB_E_TRUNCATED, b->left.offset, "the message ends here; expected %llu bytes more",
                     (unsigned long long)b->left.length);
  b->left = (cpb_range){b->left.offset + piece->size, b->left.length - piece->size};
  return true;
}

/* A separate merge, which is asked for the whole range at once: so it knows what it will need next. */
static bool plan(message_body *b, uint64_t *size, cpb_error *error) {
  const cpb_index *index = cpb_message_file_index(b->message);
  const cpb_merge_options how = {.struct_size = sizeof how, .trust_sizes = 1};
  if (!index) return cpb_file_size(b->file, size, error) == CPB_OK;
  b->merge = cpb_merge_new(&b->allocator, index, &how);
  if (!b->merge) return cpb_fail_memory(error) == CPB_OK;
  if (step(b) == CPB_STEP_ERROR) {
    *error = *cpb_merge_error(b->merge);
    return false;
  }
  *size = cpb_merge_size(b->merge);
  return true;
}

static bool open_message(job *j, message_body *b) {
  const cpb_message_file_options how = {.struct_size = sizeof how};
  b->file = job_open(j, &b->name);
  if (b->file) b->message = cpb_message_file_on(&j->allocator, b->file, b->name, &how, &j->error);
  return b->message != NULL;
}

void answer_message(job *j) {
  uint64_t size = 0;
  message_body *b = cpb_alloc_zeroed(&j->allocator, sizeof *b);
  if (!b) {
    cpb_fail_memory(&j->error);
    return;
  }
  b->allocator = j->allocator;
  bool there = open_message(j, b) && plan(b, &size, &j->error) && reply_bytes(j, size, &b->left);
  if (there && b->merge) cpb_merge_read(b->merge, b->left.offset, b->left.length);
  if (there) j->reply->body = (serve_body){next_of_message, close_message, b};
  else close_message(b);
}
