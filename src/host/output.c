#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "cpb/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/descriptor.h"
#include "host/output.h"
#include "host/place.h"

#define BUFFER_SIZE ((size_t)512 << 10) /* a smaller one costs more time in the file system */

struct cpb_output {
  cpb_allocator allocator;
  cpb_output_options options;
  cpb_error error;
  cpb_place place; /* for a descriptor, without a path */
  bool extends;    /* an existing file, the claim's */
  bool touched;    /* the file has been written to */
  cpb_claim claim;
  cpb_sink sink;       /* with `write`: then no file exists */
  bool owned;          /* file.fd is ours to close */
  cpb_descriptor file; /* the file that is written */
  int target;          /* receives the bytes at the commit, or -1 */
  uint64_t begin;      /* file offset of the buffer's first byte */
  size_t length;
  uint8_t buffer[BUFFER_SIZE];
};

const cpb_error *cpb_output_error(const cpb_output *output) { return &output->error; }

static cpb_output *new_output(const cpb_allocator *a, cpb_error *error) {
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_output *output = cpb_alloc(&allocator, sizeof *output);
  if (!output) return cpb_fail_memory(error), NULL;
  memset(output, 0, offsetof(cpb_output, buffer));
  output->allocator = output->place.allocator = allocator;
  output->file.fd = output->target = -1;
  return output;
}

/* --- Opening and closing --------------------------------------------------- */

static cpb_code fail_open(cpb_error *error) {
  return errno == ENOMEM ? cpb_fail_memory(error) : cpb_fail_errno(error, CPB_E_WRITE);
}

/* An output that has a path, with its options. */
static cpb_output *new_at(const cpb_allocator *allocator, const char *path, const cpb_output_options *options,
                          cpb_error *error) {
  cpb_output *output = new_output(allocator, error);
  if (!output) return NULL;
  cpb_options_copy(&output->options, sizeof output->options, options);
  output->place.replace = output->options.replace != 0;
  output->owned = true;
  if (cpb_place_set(&output->place, path)) return output;
  cpb_fail_memory(error);
  cpb_output_free(output);
  return NULL;
}

cpb_output *cpb_output_create(const cpb_allocator *allocator, const char *path, const cpb_output_options *options,
                              cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_output *output = new_at(allocator, path, options, error);
  if (!output) return NULL;
  output->file.fd = cpb_place_open(&output->place);
  if (output->file.fd >= 0) return output;
  fail_open(error);
  cpb_output_free(output);
  return NULL;
}

cpb_output *cpb_output_create_fd(const cpb_allocator *allocator, int fd, int spool, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_output *output = new_output(allocator, error);
  if (!output) {
    if (spool >= 0) close(spool);
    return NULL;
  }
  output->owned = spool >= 0;
  output->file.fd = output->owned ? spool : fd;
  output->target = output->owned ? fd : -1;
  return output;
}

cpb_output *cpb_output_create_sink(const cpb_allocator *allocator, const cpb_sink *sink, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_output *output = new_output(allocator, error);
  if (output) cpb_options_copy(&output->sink, sizeof output->sink, sink);
  return output;
}

/* The claim knows the size under the lock; WASI asks for it here. */
static bool open_to_extend(cpb_output *output, cpb_error *error) {
  if (cpb_claim_take(&output->claim, output->place.path, output->options.wait, error) != CPB_OK) return false;
  output->file.fd = output->claim.fd;
  output->extends = cpb_descriptor_size(&output->file, &output->claim.size);
  return output->extends || cpb_fail_errno(error, CPB_E_WRITE) == CPB_OK;
}

cpb_output *cpb_output_extend(const cpb_allocator *allocator, const char *path, const cpb_output_options *options,
                              cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_output *output = new_at(allocator, path, options, error);
  if (!output || open_to_extend(output, error)) return output;
  cpb_output_free(output);
  return NULL;
}

bool cpb_output_can_share(const cpb_output *output) { return output->place.beside; }

cpb_output *cpb_output_share(const cpb_output *output) {
  cpb_error error;
  if (!cpb_output_can_share(output)) return NULL;
  cpb_output *other = new_output(&output->allocator, &error);
  if (other) other->file = (cpb_descriptor){.fd = output->file.fd, .shared = true};
  return other;
}

void cpb_output_abandon(cpb_output *output) {
  cpb_place_remove(&output->place);
  if (!output->extends || !output->touched) return;
  int ignored = ftruncate(output->file.fd, (off_t)output->claim.size);
  (void)ignored;
}

void cpb_output_free(cpb_output *output) {
  if (!output) return;
  cpb_allocator allocator = output->allocator;
  cpb_output_abandon(output);
  if (output->owned && output->file.fd >= 0) close(output->file.fd);
  cpb_place_free(&output->place);
  cpb_release(&allocator, output);
}

/* --- Writing -------------------------------------------------------------- */

static cpb_code failed(cpb_output *output) { return cpb_fail_errno(&output->error, CPB_E_WRITE); }

static bool pass_on(cpb_output *output, uint64_t offset, const void *data, size_t length) {
  cpb_error *error = &output->error;
  error->offset = CPB_NO_OFFSET;
  cpb_code code = output->sink.write(output->sink.user, offset, data, length, error);
  if (code == CPB_OK) return true;
  if (code != CPB_E_CANCELLED) code = CPB_E_WRITE;
  if (!error->message[0]) cpb_fail(error, code, CPB_NO_OFFSET, "%s", cpb_code_text(code));
  error->code = code;
  return false;
}

static bool put(cpb_output *output, uint64_t offset, const void *data, size_t length) {
  if (output->sink.write) return pass_on(output, offset, data, length);
  if (output->extends && !output->touched && cpb_claim_check(&output->claim, false, &output->error) != CPB_OK)
    return false;
  output->touched = true;
  return cpb_descriptor_write(&output->file, offset, data, length) || failed(output) == CPB_OK;
}

static bool empty_buffer(cpb_output *output) {
  size_t length = output->length;
  uint64_t begin = output->begin;
  if (length == 0) return true;
  output->begin += length;
  output->length = 0;
  return put(output, begin, output->buffer, length);
}

cpb_code cpb_output_flush(cpb_output *output) {
  if (output->error.code == CPB_OK) empty_buffer(output);
  return output->error.code;
}

cpb_code cpb_output_write(cpb_output *output, uint64_t offset, const void *data, size_t length) {
  if (output->error.code != CPB_OK) return output->error.code;
  bool follows = offset == output->begin + output->length;
  if (!follows || length > BUFFER_SIZE - output->length) {
    if (!empty_buffer(output)) return output->error.code;
    output->begin = offset;
  }
  if (length >= BUFFER_SIZE) {
    if (!put(output, offset, data, length)) return output->error.code;
    output->begin = offset + length;
    return CPB_OK;
  }
  if (length > 0) memcpy(output->buffer + output->length, data, length);
  output->length += length;
  return CPB_OK;
}

cpb_file *cpb_output_read_back(cpb_output *output, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (cpb_output_flush(output) != CPB_OK) {
    *error = output->error;
    return NULL;
  }
  if (output->sink.write)
    return cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "what a sink was given cannot be read back"), NULL;
  output->file.at = UINT64_MAX; /* both calls move the descriptor */
  return cpb_file_open_fd(&output->allocator, output->file.fd, -1, error);
}

/* --- The end -------------------------------------------------------------- */

/* Copies the spooled bytes to their destination. */
static bool copy_to_target(cpb_output *output) {
  cpb_descriptor target = {.fd = output->target, .at = 0};
  for (uint64_t offset = 0;; offset += output->length) {
    if (!cpb_descriptor_read(&output->file, offset, output->buffer, BUFFER_SIZE, &output->length)) return false;
    if (output->length == 0) return true;
    if (!cpb_descriptor_write(&target, offset, output->buffer, output->length)) return false;
  }
}

cpb_code cpb_output_sync(cpb_output *output) {
  if (cpb_output_flush(output) != CPB_OK) return output->error.code;
  bool on_disk = output->place.beside || output->extends;
  if (on_disk && output->options.sync && fsync(output->file.fd) != 0) return failed(output);
  return CPB_OK;
}

static cpb_code commit_new(cpb_output *output) {
  cpb_place *place = &output->place;
  bool done = cpb_place_set_mode(place, output->file.fd);
  if (done && cpb_output_sync(output) != CPB_OK) return output->error.code;
  done = done && cpb_place_publish(place, output->file.fd);
  done = done && (!output->options.sync || cpb_place_sync(place));
  return done ? CPB_OK : failed(output);
}

static bool close_file(cpb_output *output) {
  int fd = output->file.fd;
  output->file.fd = -1;
  return !output->owned || close(fd) == 0;
}

static cpb_code commit_rest(cpb_output *output) {
  if (output->target >= 0 && !copy_to_target(output)) return failed(output);
  if (cpb_output_sync(output) != CPB_OK) return output->error.code;
  if (output->extends && cpb_claim_check(&output->claim, true, &output->error) != CPB_OK) return output->error.code;
  output->extends = false;
  return close_file(output) ? CPB_OK : failed(output);
}

cpb_code cpb_output_commit(cpb_output *output) {
  if (cpb_output_flush(output) != CPB_OK) return output->error.code;
  return output->place.beside ? commit_new(output) : commit_rest(output);
}
