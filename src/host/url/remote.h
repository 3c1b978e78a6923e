/* A file on a server: sends requests, and interprets the responses. */
#ifndef CPB_HOST_URL_REMOTE_H
#define CPB_HOST_URL_REMOTE_H

#include <stdbool.h>

#include "cpb/url.h"
#include "host/url/remote_state.h"

/* NULL with the error set, like cpb_url_open(). */
cpb_remote *cpb_remote_new(const cpb_allocator *a, const char *url, const cpb_url_options *options, cpb_error *error);
void cpb_remote_free(cpb_remote *r);

/* The same file for another thread. NULL if memory is short or nothing was read yet. */
cpb_remote *cpb_remote_share(const cpb_remote *r);

/* The size, which may need a request: for the last `tail` bytes, if these are many and the server supports it, else for
 * the first. The response's bytes are kept. */
bool cpb_remote_size(cpb_remote *r, size_t tail, uint64_t *size, cpb_error *error);

/* Bytes from `offset` on, of `wanted` bytes that will be read in this order: at least one, unless the file ends there
 * or before. They are valid until the next call. NULL with the error set. */
const uint8_t *cpb_remote_read(cpb_remote *r, uint64_t offset, uint64_t wanted, size_t *length, cpb_error *error);

/* The first bytes, up to `most`, without requesting more than these; must be the first request. NULL with the error
 * set. */
const uint8_t *cpb_remote_look(cpb_remote *r, size_t most, size_t *length, cpb_error *error);

/* Whether the last failure was that the server does not support ranges, and a download is allowed. */
bool cpb_remote_wants_download(const cpb_remote *r);

/* The temporary file for it: a descriptor, or -1 with errno set. */
int cpb_remote_spool(const cpb_remote *r);

/* Downloads the entire file, and sets its size. False with the error set. */
bool cpb_remote_download(cpb_remote *r, const cpb_remote_sink *sink, uint64_t *size, cpb_error *error);

/* Sets the smallest request, instead of CPB_WINDOW_LEAST. */
void cpb_remote_request_least(cpb_remote *r, size_t bytes);

/* The validators of this state of the file, as far as known. */
const cpb_validators *cpb_remote_validators(const cpb_remote *r);

/* The number of bytes received. */
uint64_t cpb_remote_bytes_read(const cpb_remote *r);

/* Whether the last failure was a missing file. S3 reports it as forbidden (403) to users who may not list the
 * bucket. */
bool cpb_remote_is_absent(const cpb_remote *r);

#endif
