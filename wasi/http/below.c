/* A model below a prefix of CPB_MODELS: from the path of a request to the model's URL. */
#include <string.h>

#include "base/status.h"
#include "base/url_text.h"
#include "host/url/address.h"
#include "job.h"

static bool refuse(job *j, const char *text) {
  return CPB_FAILS(&j->error, CPB_E_USAGE, CPB_NO_OFFSET, "the model's path %s", text);
}

/* Writes a part of the path without escapes at `out`, and moves `out` behind it. */
static bool add_part(job *j, const char *p, const char *end, char **out) {
  char *begin = *out;
  while (p < end) {
    int c = cpb_url_unescape(&p, end);
    if (c < 0) return refuse(j, "has a % that no two hexadecimal digits follow");
    if (c < ' ' || c == 0x7f) return refuse(j, "has a control character");
    if (strchr("/\\?#%", c)) return refuse(j, "has an escaped slash, backslash, \"?\", \"#\" or \"%\"");
    *(*out)++ = (char)c;
  }
  size_t length = (size_t)(*out - begin);
  if (length == 0) return refuse(j, "has an empty part");
  if (*begin == '.' && (length == 1 || (length == 2 && begin[1] == '.')))
    return refuse(j, "has a part \".\" or \"..\"");
  return true;
}

/* The path without escapes, with a slash at its end if it is a folder: if it was written so, or its last part has no
 * dot, as the names of all model files have. */
static bool read_path(job *j, const char *path, size_t length, char *out) {
  const char *p = path, *end = path + length;
  char *part = out;
  bool is_folder = length > 0 && end[-1] == '/';
  if (is_folder) end--;
  for (;; p++) {
    const char *slash = memchr(p, '/', (size_t)(end - p));
    part = out;
    if (!add_part(j, p, slash ? slash : end, &out)) return false;
    if (!slash) break;
    *out++ = '/';
    p = slash;
  }
  if (is_folder || !memchr(part, '.', (size_t)(out - part))) *out++ = '/';
  *out = 0;
  return true;
}

bool below_url(job *j, const char *path, size_t length) {
  size_t prefix = strlen(j->url), keep = cpb_path_length(j->url);
  char *name = cpb_alloc(&j->allocator, length + 2), *escaped = cpb_alloc(&j->allocator, 3 * length + 4);
  char *url = cpb_alloc(&j->allocator, prefix + 3 * length + 4);
  bool done = name && escaped && url;
  if (!done) cpb_fail_memory(&j->error);
  done = done && read_path(j, path, length, name);
  if (done && !cpb_path_escape(j->url, (cpb_span){(const uint8_t *)name, strlen(name)}, escaped))
    done = refuse(j, "would begin a query");
  if (done) {
    cpb_path_replace(j->url, keep, escaped, url);
    cpb_release(&j->allocator, j->url);
    j->url = url;
  } else {
    cpb_release(&j->allocator, url);
  }
  cpb_release(&j->allocator, name);
  cpb_release(&j->allocator, escaped);
  return done;
}
