#include "host/url/remote.h"

#include <errno.h>
#include <string.h>

#include "base/checked.h"

/* Called after the error was set. */
static bool wrong(cpb_remote *r) {
  r->body = CPB_BODY_WRONG;
  return false;
}

static bool fail(cpb_remote *r, const char *text) {
  cpb_fail(r->error, CPB_E_READ, CPB_NO_OFFSET, "%s", text);
  return wrong(r);
}

/* --- What the header says ---------------------------------------------------------------- */

bool cpb_remote_agree(cpb_remote *r, uint64_t size) {
  return cpb_validators_agree(&r->pinned, &r->response, size, r->error) || wrong(r);
}

static bool begin_range(cpb_remote *r) {
  cpb_content_range range;
  if (!cpb_response_range(&r->response, &range, r->error)) return wrong(r);
  if (!cpb_remote_agree(r, range.size)) return false;
  if (r->is_suffix) {
    uint64_t wanted = range.size > r->end ? range.size - r->end : 0;
    r->no_suffix = range.begin != wanted || range.end != range.size;
    r->body = r->no_suffix ? CPB_BODY_NOTHING : CPB_BODY_RANGE;
    r->begin = range.begin;
  } else if (range.begin != r->begin || range.end > r->end) {
    cpb_fail(r->error, CPB_E_READ, r->begin, "the server was asked for bytes %llu-%llu and gave %llu-%llu",
             (unsigned long long)r->begin, (unsigned long long)r->end - 1, (unsigned long long)range.begin,
             (unsigned long long)range.end - 1);
    return wrong(r);
  } else {
    r->body = CPB_BODY_RANGE;
  }
  r->expected = range.end - range.begin;
  if (r->body == CPB_BODY_RANGE) r->window = cpb_windows_add(&r->windows, r->begin);
  return r->body == CPB_BODY_RANGE;
}

/* The largest size of a whole file that is accepted in place of a range: at least the requested bytes from its
 * beginning. */
static uint64_t most_of_whole(const cpb_remote *r) {
  bool from_beginning = r->begin == 0 && !r->is_suffix;
  return cpb_max_u64(r->options.max_whole, from_beginning ? r->end : 0);
}

static bool too_large(cpb_remote *r, uint64_t size) {
  if (r->is_suffix) { /* plain ranges may still be supported */
    r->no_suffix = true;
    r->body = CPB_BODY_NOTHING;
    return false;
  }
  cpb_fail(r->error, CPB_E_READ, CPB_NO_OFFSET,
           "the server ignores ranges: it sent all %s%llu bytes, where up to %llu are taken; allow so much to be "
           "downloaded (--download), or download the file first",
           size ? "" : "of more than ", (unsigned long long)(size ? size : most_of_whole(r)),
           (unsigned long long)most_of_whole(r));
  r->ignores_ranges = true;
  return wrong(r);
}

static bool begin_download(cpb_remote *r) {
  uint64_t size = 0, most = r->options.max_download;
  bool announced = cpb_response_length(&r->response, &size);
  if (announced && r->pinned.known && !cpb_remote_agree(r, size)) return false;
  if (announced && size > most) {
    cpb_fail(r->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the file has %llu bytes; up to %llu may be downloaded",
             (unsigned long long)size, (unsigned long long)most);
    return wrong(r);
  }
  r->body = CPB_BODY_STREAM;
  r->expected = announced ? size : UINT64_MAX;
  return true;
}

static bool begin_whole(cpb_remote *r) {
  uint64_t size = 0;
  bool announced = cpb_response_length(&r->response, &size);
  if (cpb_response_is_encoded(&r->response)) {
    cpb_fail(r->error, CPB_E_READ, CPB_NO_OFFSET, "the server ignores ranges, and sent all with Content-Encoding: %s",
             r->response.content_encoding);
    return wrong(r);
  }
  if (r->sink) return begin_download(r);
  if (announced && size > most_of_whole(r)) return too_large(r, size);
  if (announced && r->pinned.known && !cpb_remote_agree(r, size)) return false;
  cpb_buffer_reset(&r->whole, 0);
  r->body = CPB_BODY_WHOLE;
  r->expected = announced ? size : UINT64_MAX;
  return true;
}

/* Some servers answer a range with 200; their Content-Range then describes it. */
static bool begin_200(cpb_remote *r) {
  cpb_content_range range;
  if (!*r->response.content_range || r->sink) return begin_whole(r);
  if (!cpb_response_range(&r->response, &range, r->error)) return wrong(r);
  bool is_whole = range.begin == 0 && range.end == range.size;
  return is_whole ? begin_whole(r) : begin_range(r);
}

/* A 416 is correct only for ranges beyond the end. S3 does not tell the size. */
static bool begin_416(cpb_remote *r) {
  uint64_t size;
  bool told = cpb_response_size_of_416(&r->response, &size);
  r->body = CPB_BODY_NOTHING;
  if (r->is_suffix && !(told && size == 0)) {
    r->no_suffix = true;
    return false;
  }
  if (told && (r->pinned.known || r->is_suffix || size <= r->begin) && !cpb_remote_agree(r, size)) return false;
  if (r->pinned.known && (r->is_suffix || r->begin >= r->pinned.size)) return false;
  cpb_fail(r->error, CPB_E_READ, r->begin, "the server answered 416 to a range that begins in the file");
  return wrong(r);
}

/* Statuses with which servers without support for suffixes may answer one. */
static bool may_mean_no_suffix(int status) {
  return status == 400 || status == 405 || status == 406 || status == 412 || status == 501;
}

/* Some servers reject a condition with the very date that they gave. The validators of the next response are compared
 * instead. */
static bool begin_412(cpb_remote *r) {
  bool by_date = r->query.condition && strncmp(r->query.condition, "If-Un", 5) == 0;
  if (!by_date) return fail(r, "the file changed while it was read: the server answered 412");
  (r->home ? r->home : r)->no_dates = r->was_undated = true;
  r->body = CPB_BODY_NOTHING;
  return false;
}

bool cpb_remote_begin(void *user, const cpb_response *response) {
  cpb_remote *r = user;
  r->response = *response;
  if (r->options.ignore_etag) *r->response.etag = 0;
  r->got = 0;
  switch (response->status) {
    case 206:
      if (!r->sink) return begin_range(r);
      break;
    case 200: return begin_200(r);
    case 416: return begin_416(r);
    case 412:
      if (r->pinned.known) return begin_412(r);
  }
  if (r->is_suffix && may_mean_no_suffix(response->status)) {
    r->no_suffix = true;
    r->body = CPB_BODY_NOTHING;
    return false;
  }
  r->body = CPB_BODY_REFUSAL;
  return true;
}

/* --- What the body has ---------------------------------------------------------------------- */

static bool take_download(cpb_remote *r, const uint8_t *data, size_t length) {
  uint64_t most = r->options.max_download;
  if (length > most - cpb_min_u64(r->got, most)) {
    cpb_fail(r->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the file has more than %llu bytes, which may be downloaded",
             (unsigned long long)most);
    return wrong(r);
  }
  if (!r->sink->write(r->sink->user, r->got, data, length)) {
    cpb_fail(r->error, CPB_E_WRITE, CPB_NO_OFFSET, "the temporary file of the download cannot be written: %s",
             strerror(errno));
    return wrong(r);
  }
  r->got += length;
  if (r->options.downloading)
    r->options.downloading(r->options.user, r->got, r->expected == UINT64_MAX ? 0 : r->expected);
  return true;
}

static bool take_explanation(cpb_remote *r, const uint8_t *data, size_t length) {
  size_t room = sizeof r->said - 1 - r->got;
  length = cpb_min_size(length, room);
  memcpy(r->said + r->got, data, length);
  r->got += length;
  r->said[r->got] = 0;
  return length < room;
}

/* While nobody waits, such as for a range requested ahead, the time does not count. */
static bool is_slow(cpb_remote *r, size_t length) {
  cpb_pace *p = &r->pace;
  uint64_t now = p->since > 0 ? cpb_url_clock() : 0, took = now - p->since, least = r->options.min_speed;
  p->bytes += length;
  if (took < r->options.idle_time) return false;
  p->is_slow = p->bytes < UINT64_MAX / 1000 && p->bytes * 1000 / took < least;
  if (p->is_slow)
    cpb_fail(r->error, CPB_E_UNAVAILABLE, CPB_NO_OFFSET,
             "the server sent %llu bytes in %llu ms; expected %llu a second", (unsigned long long)p->bytes,
             (unsigned long long)took, (unsigned long long)least);
  p->since = now;
  p->bytes = 0;
  return p->is_slow;
}

bool cpb_remote_take(void *user, const uint8_t *data, size_t length) {
  cpb_remote *r = user;
  r->bytes_read += length;
  if (r->body == CPB_BODY_REFUSAL) return take_explanation(r, data, length);
  if (length > r->expected - r->got) return fail(r, "the server sent more bytes than it announced");
  if (r->body == CPB_BODY_STREAM) return take_download(r, data, length);
  if (r->body == CPB_BODY_WHOLE && r->got + length > most_of_whole(r)) return too_large(r, 0);
  cpb_buffer *out = r->body == CPB_BODY_WHOLE ? &r->whole : &r->window->bytes;
  bool made = r->body == CPB_BODY_WHOLE || cpb_buffer_reserve(out, (size_t)r->expected);
  if (!made || !cpb_buffer_append(out, data, length)) {
    cpb_fail_memory(r->error);
    return wrong(r);
  }
  r->got += length;
  return !is_slow(r, length) || wrong(r);
}
