#include "host/lookup.h"

#include "host/archive.h"
#include "host/file.h"

static cpb_file *open_url(const cpb_allocator *a, const char *url, const cpb_url_options *urls, bool *absent,
                          cpb_error *error) {
  uint64_t size;
  cpb_file *file = cpb_url_open(a, url, urls, error);
  if (!file || cpb_file_size(file, &size, error) == CPB_OK) return file;
  *absent = cpb_file_is_absent(file);
  cpb_file_close(file);
  return NULL;
}

cpb_file *cpb_lookup_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                          cpb_error *error) {
  *absent = false;
  if (cpb_archive_is_path(path) && !cpb_lookup_exists(path)) return cpb_archive_open(a, path, urls, absent, error);
  if (urls && cpb_is_url(path)) return open_url(a, path, urls, absent, error);
  cpb_file *file = cpb_file_open_beside(a, path, error);
  *absent = !file && !cpb_lookup_exists(path);
  return file;
}
