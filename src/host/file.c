#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "cpb/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/url_text.h"
#include "host/descriptor.h"
#include "host/file.h"
#include "host/references.h"
#include "host/url/remote.h"

#define BUFFER_SIZE ((size_t)256 << 10)
/* Shorter reads cost the same. */
#define READ_MIN ((size_t)4 << 10)
/* Reading across a gap of this size costs no more than another read. */
#define GAP_MAX ((uint64_t)16 << 10)

struct cpb_file {
  cpb_allocator allocator;
  int fd;
  bool owned;                 /* fd is ours to close */
  bool piped;                 /* fd cannot seek */
  bool drained;               /* the pipe's end was seen */
  cpb_descriptor store;       /* what can be read at any offset: fd, or a pipe's spool */
  cpb_remote *remote;         /* of a URL, which has no descriptor, except: */
  bool is_downloaded;         /* the whole file was downloaded to one */
  cpb_source source;          /* with `read`: then there is neither */
  bool keeps_codes;           /* for the source's errors */
  cpb_check_source *check;    /* of the source, or NULL */
  bool checks_others;         /* the other files that it names are checked, too */
  cpb_references *references; /* the other files that it names */
  bool in_memory;             /* `data` has all of it */
  uint64_t size;              /* of a pipe: the bytes so far */
  uint64_t bytes_read;
  uint64_t begin; /* file offset of the first byte of `data` */
  size_t length;
  const uint8_t *data; /* the available bytes: the buffer, or the remote's own */
  uint8_t buffer[BUFFER_SIZE];
};

/* A file without anything to read yet; NULL if memory is short. `path` is its path, or NULL; `fd` an open descriptor,
 * or -1. */
static cpb_file *empty_file(const cpb_allocator *allocator, const char *path, int fd, const cpb_url_options *urls) {
  cpb_file *file = cpb_alloc(allocator, sizeof *file);
  if (!file) return NULL;
  memset(file, 0, offsetof(cpb_file, buffer));
  file->allocator = *allocator;
  file->data = file->buffer;
  file->fd = file->store.fd = -1;
  file->references = cpb_references_new(allocator, path, fd, urls);
  if (file->references) return file;
  cpb_release(allocator, file);
  return NULL;
}

/* A view of the same file. */
static cpb_file *view_of(const cpb_file *from) {
  cpb_file *file = empty_file(&from->allocator, NULL, -1, NULL);
  if (!file) return NULL;
  cpb_references_free(file->references);
  file->references = cpb_references_copy(from->references);
  if (file->references) return file;
  cpb_release(&from->allocator, file);
  return NULL;
}

static cpb_file *new_file(const cpb_allocator *a, const char *path, int fd, bool owned, int spool, cpb_error *error) {
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_file *file = empty_file(&allocator, path, path ? fd : -1, NULL);
  if (!file) {
    if (owned) close(fd);
    if (spool >= 0) close(spool);
    return cpb_fail_memory(error), NULL;
  }
  file->fd = fd;
  file->owned = owned;
  file->store.fd = fd;
  file->piped = !cpb_descriptor_size(&file->store, &file->size);
  if (file->piped) {
    file->store = (cpb_descriptor){.fd = spool, .at = 0};
  } else {
    file->store.reads_by_offset = cpb_descriptor_reads_by_offset(fd);
    if (spool >= 0) close(spool);
  }
  return file;
}

/* A directory can be opened, but reading fails at once. */
static bool is_readable(int fd) {
  char byte;
  if (read(fd, &byte, 0) == 0) return true;
  if (errno == EBADF) errno = EISDIR; /* WASI's code for this */
  return false;
}

cpb_file *cpb_file_open(const cpb_allocator *allocator, const char *path, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  int fd = open(path, O_RDONLY);
  const bool is_device = fd >= 0 && cpb_descriptor_is_device(fd);
  if (fd >= 0 && !is_device && is_readable(fd)) return new_file(allocator, path, fd, true, -1, error);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR) &&
      cpb_url_is_unknown((cpb_span){(const uint8_t *)path, strlen(path)}))
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "URLs of this scheme are not read; expected one of " CPB_URL_SCHEMES);
  else if (is_device) cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "it is a device; expected a file");
  else cpb_fail_errno(error, CPB_E_READ);
  if (fd >= 0) close(fd);
  return NULL;
}

cpb_file *cpb_file_open_beside(const cpb_allocator *allocator, const char *path, cpb_error *error) {
  int fd = cpb_regular_open(path, 0, error);
  return fd >= 0 ? cpb_file_take(allocator, path, fd, error) : NULL;
}

cpb_file *cpb_file_take(const cpb_allocator *allocator, const char *path, int fd, cpb_error *error) {
  return new_file(allocator, path, fd, true, -1, error);
}

cpb_file *cpb_file_open_fd(const cpb_allocator *allocator, int fd, int spool, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  return new_file(allocator, NULL, fd, false, spool, error);
}

static cpb_file *on_remote(cpb_file *file, cpb_remote *remote) {
  if (file && remote) file->remote = remote;
  else cpb_remote_free(remote);
  if (remote) return file;
  cpb_file_close(file);
  return NULL;
}

cpb_file *cpb_url_open(const cpb_allocator *given, const char *url, const cpb_url_options *options,
                       cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_allocator allocator = cpb_allocator_or_default(given);
  cpb_remote *remote = cpb_remote_new(&allocator, url, options, error);
  cpb_file *file = remote ? on_remote(empty_file(&allocator, url, -1, options), remote) : NULL;
  if (!file) cpb_fail_memory(error);
  return file;
}

cpb_file *cpb_file_open_memory(const cpb_allocator *given, const void *data, size_t size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_allocator allocator = cpb_allocator_or_default(given);
  cpb_file *file = empty_file(&allocator, NULL, -1, NULL);
  if (!file) return cpb_fail_memory(error), NULL;
  file->in_memory = true;
  file->size = file->length = size;
  if (size > 0) file->data = data;
  return file;
}

cpb_file *cpb_file_open_source(const cpb_allocator *given, const cpb_source *source, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_allocator allocator = cpb_allocator_or_default(given);
  cpb_file *file = empty_file(&allocator, NULL, -1, NULL);
  if (file) {
    cpb_options_copy(&file->source, sizeof file->source, source);
    return file;
  }
  if (source->close) source->close(source->user);
  return cpb_fail_memory(error), NULL;
}

void cpb_file_keep_codes(cpb_file *file) { file->keeps_codes = true; }

void cpb_file_check_with(cpb_file *file, cpb_check_source *check) { file->check = check; }

bool cpb_file_check(cpb_file *file, cpb_error *error) {
  file->checks_others = true;
  return !file->check || file->check(file->source.user, error);
}

bool cpb_file_is_absent(const cpb_file *file) { return file->remote && cpb_remote_is_absent(file->remote); }

const cpb_validators *cpb_file_validators(const cpb_file *file) {
  return file->remote ? cpb_remote_validators(file->remote) : NULL;
}

/* Whether reads go to the URL. */
static bool is_remote(const cpb_file *file) { return file->remote && !file->is_downloaded; }

cpb_file *cpb_file_share(cpb_file *file) {
  if (is_remote(file)) return on_remote(view_of(file), cpb_remote_share(file->remote));
  if (file->in_memory) return cpb_file_open_memory(&file->allocator, file->data, file->length, NULL);
  if (file->source.read) return NULL;
  bool whole = !file->piped || (file->drained && file->store.fd >= 0);
  if (!whole || (!file->piped && !cpb_descriptor_size(&file->store, &file->size))) return NULL;
  cpb_file *other = view_of(file);
  if (!other) return NULL;
  other->store = (cpb_descriptor){.fd = file->store.fd, .shared = true};
  other->size = file->size;
  return other;
}

bool cpb_file_stand_for(cpb_file *file, const char *path, const cpb_url_options *urls, cpb_open_beside *open) {
  cpb_references *references = cpb_references_new(&file->allocator, path, -1, urls);
  if (!references) return false;
  cpb_references_open_with(references, open);
  cpb_references_free(file->references);
  file->references = references;
  return true;
}

void cpb_file_close(cpb_file *file) {
  if (!file) return;
  if (file->piped && file->store.fd >= 0) close(file->store.fd);
  if (file->owned) close(file->fd);
  cpb_remote_free(file->remote);
  if (file->source.close) file->source.close(file->source.user);
  cpb_references_free(file->references);
  cpb_allocator allocator = file->allocator;
  cpb_release(&allocator, file);
}

void cpb_file_allow_references(cpb_file *file, const cpb_url_options *urls) {
  cpb_references_allow(file->references, urls);
}

uint64_t cpb_file_bytes_read(const cpb_file *file) {
  return file->remote ? cpb_remote_bytes_read(file->remote) : file->bytes_read;
}

int cpb_file_is_pipe(const cpb_file *file) { return file->piped; }

/* Reads the pipe's next bytes into the buffer, and into the spool if there is one. */
static bool pull(cpb_file *file) {
  ssize_t n;
  do {
    n = read(file->fd, file->buffer, BUFFER_SIZE);
  } while (n < 0 && errno == EINTR);
  file->begin = file->size;
  file->length = n > 0 ? (size_t)n : 0;
  file->size += file->length;
  file->bytes_read += file->length;
  file->drained = n == 0;
  if (n < 0) return false;
  return file->store.fd < 0 || cpb_descriptor_write(&file->store, file->begin, file->buffer, file->length);
}

static bool buffered(const cpb_file *file, uint64_t offset) {
  return offset >= file->begin && offset - file->begin < file->length;
}

/* The current size: a file may still grow while it is read. */
static bool find_local_size(cpb_file *file) {
  if (file->store.shared) return true;
  if (!file->piped) return cpb_descriptor_size(&file->store, &file->size);
  while (!file->drained)
    if (!pull(file)) return false;
  return true;
}

/* Whether `offset` is at or past the end. Reads a pipe only as far as necessary. */
static bool find_end(cpb_file *file, uint64_t offset, bool *at_end) {
  while (file->piped && !file->drained && offset >= file->size)
    if (!pull(file)) return false;
  if (!file->piped && offset >= file->size && !find_local_size(file)) return false;
  *at_end = offset >= file->size;
  return true;
}

/* A read shortly after the last one, such as of the headers of small chunks, suggests more of the same: each such read
 * is twice as long. */
static size_t read_length(const cpb_file *file, uint64_t offset, uint64_t wanted) {
  uint64_t end = file->begin + file->length;
  bool goes_on = file->length > 0 && offset >= end && offset - end <= GAP_MAX;
  uint64_t length = cpb_max_u64(wanted, goes_on ? 2 * (uint64_t)file->length : READ_MIN);
  return (size_t)cpb_min_u64(cpb_max_u64(length, READ_MIN), BUFFER_SIZE);
}

/* Fills the buffer from `offset` on, with as many of the `wanted` bytes as possible; with nothing at the end of the
 * file. */
static bool fill_locally(cpb_file *file, uint64_t offset, uint64_t wanted) {
  bool at_end = false;
  if (!find_end(file, offset, &at_end)) return false;
  if (at_end || buffered(file, offset)) return true;
  if (file->store.fd < 0) {
    errno = ESPIPE;
    return false;
  }
  size_t length = read_length(file, offset, wanted);
  file->length = 0;
  if (!cpb_descriptor_read(&file->store, offset, file->buffer, length, &length)) return false;
  file->begin = offset;
  file->length = length;
  if (!file->piped) file->bytes_read += length;
  /* The size of a shared file is not asked for again, but the file has become shorter. */
  if (length == 0 && file->store.shared) file->size = offset;
  return true;
}

/* --- A source ------------------------------------------------------------------------------ */

/* The same for the caller's reads. */
static bool refused(const cpb_file *file, cpb_code code, cpb_error *error) {
  if (code == CPB_OK) return false;
  if (code != CPB_E_CANCELLED && !file->keeps_codes) code = CPB_E_READ;
  if (!error->message[0]) cpb_fail(error, code, CPB_NO_OFFSET, "%s", cpb_code_text(code));
  error->code = code;
  return true;
}

static bool find_source_size(cpb_file *file, cpb_error *error) {
  return !refused(file, file->source.size(file->source.user, &file->size, error), error);
}

/* An empty read is correct only at the end. */
static bool at_source_end(cpb_file *file, uint64_t offset, cpb_error *error) {
  if (!find_source_size(file, error)) return false;
  if (offset >= file->size) return true;
  return CPB_FAILS(error, CPB_E_READ, offset, "the source gave no bytes, but has %llu", (unsigned long long)file->size);
}

static bool fill_from_source(cpb_file *file, uint64_t offset, uint64_t wanted, cpb_error *error) {
  size_t room = (size_t)cpb_min_u64(cpb_max_u64(wanted, READ_MIN), BUFFER_SIZE), length = room;
  file->length = 0;
  if (refused(file, file->source.read(file->source.user, offset, file->buffer, &length, error), error)) return false;
  if (length > room)
    return CPB_FAILS(error, CPB_E_READ, offset, "the source gave %zu bytes; expected at most %zu", length, room);
  file->begin = offset;
  file->length = length;
  file->bytes_read += length;
  return length > 0 || at_source_end(file, offset, error);
}

/* --- Any of them ------------------------------------------------- */

static bool succeeds(bool done, cpb_error *error) {
  if (done) return true;
  cpb_fail_errno(error, CPB_E_READ);
#ifndef __wasi__ /* where cpb_fail_errno() says it */
  if (error->system == ESPIPE)
    cpb_format(error->message, sizeof error->message, "a pipe is read once, from front to back; expected a file");
#endif
  return false;
}

/* Opens an empty temporary file, in place of that of a failed attempt. */
static bool open_spool(cpb_file *file) {
  if (file->owned) close(file->fd);
  file->fd = cpb_remote_spool(file->remote);
  file->owned = file->fd >= 0;
  file->store = (cpb_descriptor){.fd = file->fd};
  return file->owned;
}

static bool write_spool(void *user, uint64_t offset, const uint8_t *data, size_t length) {
  cpb_file *file = user;
  return (offset > 0 || open_spool(file)) && cpb_descriptor_write(&file->store, offset, data, length);
}

/* After a failure: if the server does not support ranges, downloads the entire file into a temporary one. */
static bool download(cpb_file *file, cpb_error *error) {
  if (!cpb_remote_wants_download(file->remote)) return false;
  const cpb_remote_sink sink = {write_spool, file};
  cpb_error_begin(error, NULL);
  if (!cpb_remote_download(file->remote, &sink, &file->size, error)) return false;
  if (!file->owned && !open_spool(file)) return succeeds(false, error);
  file->is_downloaded = true;
  file->begin = file->length = 0;
  file->data = file->buffer;
  return true;
}

/* `tail` is the number of bytes at the end that will be read next. */
static bool find_size(cpb_file *file, size_t tail, cpb_error *error) {
  if (is_remote(file) && cpb_remote_size(file->remote, tail, &file->size, error)) return true;
  if (is_remote(file) && !download(file, error)) return false;
  if (file->source.read) return find_source_size(file, error);
  if (file->in_memory) return true;
  return succeeds(find_local_size(file), error);
}

static bool fill(cpb_file *file, uint64_t offset, uint64_t wanted, cpb_error *error) {
  if (buffered(file, offset) || file->in_memory) return true;
  if (file->source.read) return fill_from_source(file, offset, wanted, error);
  if (!is_remote(file)) return succeeds(fill_locally(file, offset, wanted), error);
  file->length = 0;
  const uint8_t *data = cpb_remote_read(file->remote, offset, wanted, &file->length, error);
  if (!data) return download(file, error) && succeeds(fill_locally(file, offset, wanted), error);
  file->data = data;
  file->begin = offset;
  return true;
}

const uint8_t *cpb_file_read(cpb_file *file, uint64_t offset, size_t *length, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (!fill(file, offset, *length, error)) return NULL;
  if (!buffered(file, offset)) {
    *length = 0;
    return file->buffer;
  }
  size_t skip = (size_t)(offset - file->begin);
  *length = cpb_min_size(cpb_min_size(*length, BUFFER_SIZE), file->length - skip);
  return file->data + skip;
}

cpb_code cpb_file_size(cpb_file *file, uint64_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (!find_size(file, 0, error)) return error->code;
  *size = file->size;
  return CPB_OK;
}

void cpb_file_request_least(cpb_file *file, size_t bytes) {
  if (is_remote(file)) cpb_remote_request_least(file->remote, bytes);
}

/* For a pipe, the bytes so far are counted. */
static void fail_size(const cpb_file *file, uint64_t most, uint64_t seen, cpb_error *error) {
  bool known = !file->piped && file->size >= seen;
  cpb_fail(error, CPB_E_LIMIT, CPB_NO_OFFSET, "the file has more than %llu bytes: %s%llu", (unsigned long long)most,
           known ? "" : "at least ", (unsigned long long)(known ? file->size : seen));
}

uint8_t *cpb_file_read_all(cpb_file *file, uint64_t most, size_t *size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  cpb_buffer all;
  cpb_buffer_init(&all, &file->allocator);
  bool done = cpb_buffer_reserve(&all, 1) || cpb_fail_memory(error) == CPB_OK;
  while (done && all.size <= most) {
    size_t length = BUFFER_SIZE;
    const uint8_t *data = cpb_file_read(file, all.size, &length, error);
    if (!data) break;
    *size = all.size;
    if (length == 0) return all.data;
    done = cpb_buffer_append(&all, data, length) || cpb_fail_memory(error) == CPB_OK;
  }
  if (all.size > most) fail_size(file, most, all.size, error);
  cpb_buffer_free(&all);
  return NULL;
}

/* --- Supplying ----------------------------------------------------------------------------- */

static void supply(const cpb_file *from, const cpb_need *need, cpb_input *input) {
  if (need->file > 0) cpb_input_supply_other(input, need->file, from->begin, from->data, from->length);
  else cpb_input_supply(input, from->begin, from->data, from->length);
}

static void end(const cpb_file *from, const cpb_need *need, cpb_input *input) {
  if (need->file > 0) cpb_input_end_other(input, need->file, from->size);
  else cpb_input_end(input, from->size);
}

static cpb_file *file_of(cpb_file *file, const cpb_need *need, const cpb_input *input, cpb_error *error) {
  cpb_other_file other;
  if (need->file == 0) return file;
  cpb_input_other(input, &other);
  cpb_file *opened =
      cpb_references_open(file->references, (cpb_span){(const uint8_t *)other.name, other.length}, error);
  return opened && file->checks_others && !cpb_file_check(opened, error) ? NULL : opened;
}

/* Finds the byte, or the end of the file before it. Both may fail once if the file changes in between. Failing twice is
 * an error: some systems report sizes that are too large, and the engine would otherwise ask for ever. */
static bool find(cpb_file *from, const cpb_need *need, bool *at_end, cpb_error *error) {
  for (int attempts = 2; attempts > 0; attempts--) {
    if (!fill(from, need->offset, cpb_max_u64(need->length, need->ahead), error)) return false;
    if (buffered(from, need->offset)) return true;
    if (!find_size(from, 0, error)) return false;
    *at_end = need->offset >= from->size;
    if (*at_end) return true;
  }
  return CPB_FAILS(error, CPB_E_READ, need->offset,
                   "nothing could be read here; expected more, as the file's size is %llu",
                   (unsigned long long)from->size);
}

void cpb_file_supply(cpb_file *file, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_NONE) return;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file *from = file_of(file, &need, input, &error);
  bool at_end = need.kind == CPB_NEED_SIZE;
  bool done = from && (at_end ? find_size(from, need.length, &error) : find(from, &need, &at_end, &error));
  if (done && at_end) end(from, &need, input);
  else if (done) supply(from, &need, input);
  else if (file->keeps_codes || input->keeps_codes) cpb_input_fail_as(input, &error);
  else cpb_input_fail_with(input, &error);
}
