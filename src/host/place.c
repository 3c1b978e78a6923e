#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "host/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/status.h"

#define NAME_TRIES 1000u
#define NAME_SUFFIX_MAX 32u
/* Bytes of the final name to use, so that the temporary name is not too long for a file system. */
#define NAME_KEPT 200u

bool cpb_place_set(cpb_place *p, const char *path) {
  size_t size = strlen(path) + 1;
  char *copy = cpb_alloc(&p->allocator, size);
  char *name = cpb_alloc(&p->allocator, size + NAME_SUFFIX_MAX);
  if (!copy || !name) {
    cpb_release(&p->allocator, copy);
    cpb_release(&p->allocator, name);
    errno = ENOMEM;
    return false;
  }
  memcpy(copy, path, size);
  cpb_place_free(p);
  p->path = copy;
  p->name = name;
  return true;
}

void cpb_place_free(cpb_place *p) {
  cpb_release(&p->allocator, p->name);
  cpb_release(&p->allocator, p->path);
  p->path = p->name = NULL;
}

void cpb_place_remove(cpb_place *p) {
  if (p->named) unlink(p->name);
  p->named = false;
}

/* The length of the path that the temporary name begins with: whole UTF-8 characters. */
static size_t kept(const char *path) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash + 1 - path) : 0, length = strlen(path);
  if (length - folder <= NAME_KEPT) return length;
  for (length = folder + NAME_KEPT; length > folder && (path[length] & 0xc0) == 0x80;) length--;
  return length;
}

bool cpb_place_try_names(cpb_place *p, bool (*make)(void *user, const char *name), void *user) {
  size_t length = kept(p->path);
  memcpy(p->name, p->path, length);
  for (unsigned i = 0; i < NAME_TRIES && !p->named; i++) {
    cpb_format(p->name + length, NAME_SUFFIX_MAX, ".tmp-%u", i);
    p->named = make(user, p->name);
    if (!p->named && errno != EEXIST) break;
  }
  return p->named;
}

typedef struct new_file {
  int fd;
  unsigned mode;
} new_file;

static bool make_file(void *user, const char *name) {
  new_file *file = user;
  file->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)file->mode);
  return file->fd >= 0;
}

int cpb_place_open_named(cpb_place *p, unsigned mode) {
  new_file file = {.fd = -1, .mode = mode};
  cpb_place_try_names(p, make_file, &file);
  return file.fd;
}

/* On a file system without links, it looks whether a file with the name exists. */
bool cpb_place_publish_named(cpb_place *p) {
  if (!p->replace) {
    struct stat found;
    if (link(p->name, p->path) == 0) {
      cpb_place_remove(p);
      return true;
    }
    if (errno == EEXIST) return false;
    if (stat(p->path, &found) == 0) {
      errno = EEXIST;
      return false;
    }
  }
  if (rename(p->name, p->path) == 0) p->named = false;
  return !p->named;
}
