#include "host/open/lookup.h"

#include "base/status.h"
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

/* Opens a path that may lead into an archive, or may be a file with such a name: without .zip before the mark, the file
 * is tried first. */
static cpb_file *open_marked(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                             cpb_error *error) {
  const bool is_url = urls && cpb_is_url(path);
  cpb_file *file = NULL;
  if (is_url && !cpb_archive_is_zip_path(path)) {
    file = open_url(a, path, urls, absent, error);
    if (file || !*absent) return file;
    cpb_error_begin(error, NULL);
  }
  if (is_url || !cpb_lookup_exists(path)) return cpb_archive_open(a, path, urls, absent, error);
  return cpb_file_open_beside(a, path, error);
}

cpb_file *cpb_lookup_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                          cpb_error *error) {
  *absent = false;
  if (cpb_archive_is_path(path)) return open_marked(a, path, urls, absent, error);
  if (urls && cpb_is_url(path)) return open_url(a, path, urls, absent, error);
  cpb_file *file = cpb_file_open_beside(a, path, error);
  *absent = !file && !cpb_lookup_exists(path);
  return file;
}
