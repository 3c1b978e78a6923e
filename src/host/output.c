#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "cpb/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/descriptor.h"
#include "host/output.h"

#define BUFFER_SIZE ((size_t)256 << 10)
#define NAME_TRIES 1000u
#define NAME_SUFFIX_MAX 32u

struct cpb_output {
  cpb_allocator allocator;
  cpb_output_options options;
  cpb_error error;
  char *path; /* the final name, or NULL for a descriptor */
  char *name; /* of the file beside it */
  size_t path_size;
  bool beside;  /* that file is there */
  bool extends; /* a file that was there, of this size */
  uint64_t old_size;
  bool owned;          /* file.fd is ours to close */
  cpb_descriptor file; /* what is written */
  int target;          /* what gets it at the commit, or -1 */
  uint64_t begin;      /* file offset of the buffer's first byte */
  size_t length;
  uint8_t buffer[BUFFER_SIZE];
};

const cpb_error *cpb_output_error(const cpb_output *output) { return &output->error; }

const char *cpb_output_temporary(const cpb_output *output) { return output->beside ? output->name : NULL; }

static cpb_output *new_output(const cpb_allocator *a, cpb_error *error) {
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_output *output = cpb_alloc(&allocator, sizeof *output);
  if (!output) {
    cpb_fail_memory(error);
    return NULL;
  }
  memset(output, 0, offsetof(cpb_output, buffer));
  output->allocator = allocator;
  output->file.fd = output->target = -1;
  return output;
}

/* --- Names ---------------------------------------------------------------- */

static bool set_names(cpb_output *output, const char *path) {
  output->path_size = strlen(path) + 1;
  output->path = cpb_alloc(&output->allocator, output->path_size);
  output->name = cpb_alloc(&output->allocator, output->path_size + NAME_SUFFIX_MAX);
  if (!output->path || !output->name) return false;
  memcpy(output->path, path, output->path_size);
  return true;
}

/* Opens a new file beside `path`. */
static bool open_temporary(cpb_output *output) {
  for (unsigned i = 0; i < NAME_TRIES; i++) {
    cpb_format(output->name, output->path_size + NAME_SUFFIX_MAX, "%s.tmp-%u", output->path, i);
    output->file.fd = open(output->name, O_RDWR | O_CREAT | O_EXCL, 0666);
    output->beside = output->file.fd >= 0;
    if (output->beside || errno != EEXIST) break;
  }
  return output->beside;
}

static bool open_path(cpb_output *output) {
  struct stat found;
  if (stat(output->path, &found) == 0) {
    if (S_ISDIR(found.st_mode)) {
      errno = EISDIR;
      return false;
    }
    if (!S_ISREG(found.st_mode)) {
      output->file.fd = open(output->path, O_WRONLY);
      return output->file.fd >= 0;
    }
    if (!output->options.replace) {
      errno = EEXIST;
      return false;
    }
  }
  return open_temporary(output);
}

/* Gives the temporary file its name; without `replace` only if there is none of
 * that name (where the file system has no links: as far as can be seen). */
static bool publish(cpb_output *output) {
  if (!output->options.replace) {
    if (link(output->name, output->path) == 0) return unlink(output->name) == 0;
    if (errno == EEXIST) return false;
  }
  struct stat found;
  if (!output->options.replace && stat(output->path, &found) == 0) {
    errno = EEXIST;
    return false;
  }
  return rename(output->name, output->path) == 0;
}

/* --- Opening and closing --------------------------------------------------- */

cpb_output *cpb_output_create(const cpb_allocator *allocator, const char *path, const cpb_output_options *options,
                              cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_output *output = new_output(allocator, error);
  if (!output) return NULL;
  cpb_options_copy(&output->options, sizeof output->options, options);
  output->owned = true;
  if (!set_names(output, path)) {
    cpb_fail_memory(error);
  } else {
    if (open_path(output)) return output;
    cpb_fail_errno(error, CPB_E_WRITE);
  }
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

static bool open_to_extend(cpb_output *output, const char *path) {
  output->file.fd = open(path, O_RDWR);
  if (output->file.fd < 0) return false;
  output->extends = cpb_descriptor_size(&output->file, &output->old_size);
  return output->extends;
}

cpb_output *cpb_output_extend(const cpb_allocator *allocator, const char *path, const cpb_output_options *options,
                              cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_output *output = new_output(allocator, error);
  if (!output) return NULL;
  cpb_options_copy(&output->options, sizeof output->options, options);
  output->owned = true;
  if (open_to_extend(output, path)) return output;
  cpb_fail_errno(error, CPB_E_WRITE);
  cpb_output_free(output);
  return NULL;
}

bool cpb_output_can_share(const cpb_output *output) { return output->beside; }

cpb_output *cpb_output_share(const cpb_output *output) {
  cpb_error error;
  if (!output->beside) return NULL;
  cpb_output *other = new_output(&output->allocator, &error);
  if (other) other->file = (cpb_descriptor){.fd = output->file.fd, .shared = true};
  return other;
}

static void undo(cpb_output *output) {
  int ignored = ftruncate(output->file.fd, (off_t)output->old_size);
  (void)ignored;
}

void cpb_output_free(cpb_output *output) {
  if (!output) return;
  cpb_allocator allocator = output->allocator;
  if (output->extends && output->file.fd >= 0) undo(output);
  if (output->owned && output->file.fd >= 0) close(output->file.fd);
  if (output->beside) unlink(output->name);
  cpb_release(&allocator, output->name);
  cpb_release(&allocator, output->path);
  cpb_release(&allocator, output);
}

/* --- Writing -------------------------------------------------------------- */

static cpb_code failed(cpb_output *output) { return cpb_fail_errno(&output->error, CPB_E_WRITE); }

static bool empty_buffer(cpb_output *output) {
  size_t length = output->length;
  uint64_t begin = output->begin;
  if (length == 0) return true;
  output->begin += length;
  output->length = 0;
  return cpb_descriptor_write(&output->file, begin, output->buffer, length);
}

cpb_code cpb_output_flush(cpb_output *output) {
  if (output->error.code == CPB_OK && !empty_buffer(output)) failed(output);
  return output->error.code;
}

cpb_code cpb_output_write(cpb_output *output, uint64_t offset, const void *data, size_t length) {
  if (output->error.code != CPB_OK) return output->error.code;
  bool follows = offset == output->begin + output->length;
  if (!follows || length > BUFFER_SIZE - output->length) {
    if (!empty_buffer(output)) return failed(output);
    output->begin = offset;
  }
  if (length >= BUFFER_SIZE) {
    if (!cpb_descriptor_write(&output->file, offset, data, length)) return failed(output);
    output->begin = offset + length;
    return CPB_OK;
  }
  if (length > 0) memcpy(output->buffer + output->length, data, length);
  output->length += length;
  return CPB_OK;
}

/* What was spooled goes where it was meant to. */
static bool copy_to_target(cpb_output *output) {
  cpb_descriptor target = {.fd = output->target, .at = 0};
  for (uint64_t offset = 0;; offset += output->length) {
    if (!cpb_descriptor_read(&output->file, offset, output->buffer, BUFFER_SIZE, &output->length)) return false;
    if (output->length == 0) return true;
    if (!cpb_descriptor_write(&target, offset, output->buffer, output->length)) return false;
  }
}

static bool close_file(cpb_output *output) {
  int fd = output->file.fd;
  output->file.fd = -1;
  return !output->owned || close(fd) == 0;
}

cpb_code cpb_output_sync(cpb_output *output) {
  if (cpb_output_flush(output) != CPB_OK) return output->error.code;
  bool on_disk = output->beside || output->extends;
  if (on_disk && output->options.sync && fsync(output->file.fd) != 0) return failed(output);
  return CPB_OK;
}

cpb_code cpb_output_commit(cpb_output *output) {
  if (cpb_output_flush(output) != CPB_OK) return output->error.code;
  if (output->target >= 0 && !copy_to_target(output)) return failed(output);
  if (cpb_output_sync(output) != CPB_OK) return output->error.code;
  if (!close_file(output)) return failed(output);
  if (output->beside && !publish(output)) return failed(output);
  output->beside = false;
  return CPB_OK;
}
