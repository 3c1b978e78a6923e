#include "host/references.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/file_name.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/descriptor.h"
#include "host/url/address.h"

/* Each open file has a buffer and a descriptor, and an index may name any number of files. */
#define OPEN_MOST 8u

typedef struct other {
  cpb_file *file; /* NULL: none */
  int fd;         /* of a file in the folder; else -1 */
  char *name;
  uint64_t used; /* clock of the last use */
} other;

struct cpb_references {
  cpb_allocator allocator;
  char *path;
  cpb_identity identity; /* of the opened file at `path` */
  const cpb_url_options *urls;
  bool allowed;
  cpb_open_beside *open_beside; /* NULL: the system does */
  cpb_url_options stripped;     /* for other origins: without the headers */
  uint64_t clock;
  other open[OPEN_MOST];
};

cpb_references *cpb_references_new(const cpb_allocator *a, const char *path, int fd, const cpb_url_options *urls) {
  cpb_references *r = cpb_alloc_zeroed(a, sizeof *r);
  if (!r) return NULL;
  r->allocator = *a;
  if (fd >= 0) r->identity = cpb_reference_identity(fd);
  r->urls = urls;
  if (!path) return r;
  size_t size = strlen(path) + 1;
  r->path = cpb_alloc(a, size);
  if (r->path) return memcpy(r->path, path, size), r;
  cpb_release(a, r);
  return NULL;
}

cpb_references *cpb_references_copy(const cpb_references *from) {
  cpb_references *r = cpb_references_new(&from->allocator, from->path, -1, from->urls);
  if (!r) return NULL;
  r->allowed = from->allowed;
  r->open_beside = from->open_beside;
  r->identity = from->identity;
  return r;
}

static void close_other(cpb_references *r, other *o) {
  cpb_file_close(o->file);
  if (o->file && o->fd >= 0) close(o->fd);
  cpb_release(&r->allocator, o->name);
  *o = (other){NULL, -1, NULL, 0};
}

void cpb_references_free(cpb_references *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  for (size_t i = 0; i < OPEN_MOST; i++) close_other(r, &r->open[i]);
  cpb_release(&a, r->path);
  cpb_release(&a, r);
}

void cpb_references_allow(cpb_references *r, const cpb_url_options *urls) {
  r->allowed = true;
  if (urls) r->urls = urls;
}

void cpb_references_open_with(cpb_references *r, cpb_open_beside *open) { r->open_beside = open; }

/* --- Names ---------------------------------------------------------------------------- */

static size_t folder_of(const char *path) {
  size_t length = cpb_path_length(path);
  while (length > 0 && path[length - 1] != '/') length--;
  return length;
}

/* NULL with the error set. `*folder` is the length of the folder that the name is relative to. */
static char *path_of(const cpb_references *r, cpb_span name, size_t *folder, cpb_error *error) {
  char *text = cpb_alloc(&r->allocator, 3 * name.size + 1), *path = NULL;
  bool fits = !text || cpb_path_escape(r->path, name, text);
  *folder = folder_of(r->path);
  if (text && fits) path = cpb_alloc(&r->allocator, strlen(r->path) + strlen(text) + 1);
  if (path) cpb_path_replace(r->path, *folder, text, path);
  else if (fits) cpb_fail_memory(error);
  else cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "in an s3 URL the ? of its name would begin a query; expected none");
  cpb_release(&r->allocator, text);
  return path;
}

/* --- Opening -------------------------------------------------------------------------- */

/* Why a name is not taken for that of a file in the folder (cpb_file_name_normalize), or the file is not there. */
static const char *reason_of(const char *name) {
  const size_t length = strlen(name);
  if (strstr(name, "://")) return "its name is a URL";
  if (name[0] == '/') return "its name is absolute";
  if (strchr(name, '\\')) return "its name has a \\; expected / between folders";
  if (length == 0 || name[length - 1] == '/') return "its name is that of a folder";
  return "it is not in the folder of the file that names it";
}

static cpb_file *refuse(const char *name, cpb_error *error) {
  cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "%s, and is read only with --allow-references", reason_of(name));
  return NULL;
}

static cpb_file *open_file(const cpb_references *r, int fd, cpb_error *error) {
  cpb_file *file = fd >= 0 ? cpb_file_open_fd(&r->allocator, fd, -1, error) : NULL;
  if (fd >= 0 && !file) close(fd);
  return file;
}

/* Opens a file in the folder, or, if allowed, the target of a link in it. */
static cpb_file *open_local(const cpb_references *r, const char *path, size_t folder, int *fd, cpb_error *error) {
  const cpb_reference_home home = {r->path, folder, r->identity};
  *fd = r->allowed ? cpb_regular_open(path, 0, error) : cpb_reference_descriptor(&home, path, error);
  if (*fd < 0 && error->code == CPB_OK) return refuse(path + folder, error);
  return open_file(r, *fd, error);
}

/* Secrets for one origin are not sent to another. */
static cpb_file *open_url(cpb_references *r, const char *url, cpb_error *error) {
  const cpb_url_options *how = r->urls;
  if (!cpb_is_url(r->path ? r->path : "") || !cpb_address_same_origin(r->path, url)) {
    cpb_options_copy(&r->stripped, sizeof r->stripped, r->urls);
    r->stripped.headers = NULL;
    how = &r->stripped;
  }
  return cpb_url_open(&r->allocator, url, how, error);
}

/* The name ends with NUL. */
static cpb_file *open_anywhere(cpb_references *r, const char *name, int *fd, cpb_error *error) {
  bool is_local = !r->path || !cpb_is_url(r->path);
  if (cpb_is_url(name)) return open_url(r, name, error);
  if (name[0] != '/' || !is_local) return NULL;
  *fd = cpb_regular_open(name, 0, error);
  return open_file(r, *fd, error);
}

static cpb_file *open_relative(cpb_references *r, const char *name, int *fd, cpb_error *error) {
  size_t folder;
  cpb_file *file = NULL;
  char *path = path_of(r, (cpb_span){(const uint8_t *)name, strlen(name)}, &folder, error);
  if (path && r->open_beside) file = r->open_beside(&r->allocator, path, r->urls, &(bool){false}, error);
  else if (path) file = cpb_is_url(path) ? open_url(r, path, error) : open_local(r, path, folder, fd, error);
  cpb_release(&r->allocator, path);
  return file;
}

static cpb_file *open_name(cpb_references *r, const char *name, int *fd, cpb_error *error) {
  cpb_file *file = r->allowed ? open_anywhere(r, name, fd, error) : NULL;
  if (file || error->code != CPB_OK) return file;
  char *plain = cpb_alloc(&r->allocator, strlen(name) + 1);
  if (!plain) return cpb_fail_memory(error), NULL;
  const bool stays = cpb_file_name_normalize((cpb_span){(const uint8_t *)name, strlen(name)}, plain);
  if (r->path && (stays || r->allowed)) file = open_relative(r, stays ? plain : name, fd, error);
  else refuse(name, error);
  cpb_release(&r->allocator, plain);
  return file;
}

static bool is_called(const other *o, cpb_span name) {
  return o->file && strlen(o->name) == name.size && memcmp(o->name, name.data, name.size) == 0;
}

cpb_file *cpb_references_open(cpb_references *r, cpb_span name, cpb_error *error) {
  other *o = &r->open[0];
  for (size_t i = 0; i < OPEN_MOST; i++) {
    if (is_called(&r->open[i], name)) {
      r->open[i].used = ++r->clock;
      return r->open[i].file;
    }
    if (r->open[i].used < o->used) o = &r->open[i];
  }
  if (memchr(name.data, 0, name.size))
    return cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "its name has a NUL; expected none"), NULL;
  close_other(r, o);
  o->name = cpb_alloc(&r->allocator, name.size + 1);
  if (!o->name) return cpb_fail_memory(error), NULL;
  memcpy(o->name, name.data, name.size);
  o->name[name.size] = '\0';
  o->file = open_name(r, o->name, &o->fd, error);
  o->used = ++r->clock;
  if (!o->file) close_other(r, o);
  return o->file;
}
