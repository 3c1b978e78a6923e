/* Files that src/host opens next to a model's file (host/open/lookup.h, host/file.h), from the folder that the host
 * lends. */
#include "folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/status.h"
#include "cpb/open.h"
#include "host.h"
#include "host/file.h"
#include "host/open/lookup.h"
#include "host/url/address.h"

static const place *here;
static bool is_absent; /* what was opened last */

void folder_be_in(const place *place) { here = place; }

static cpb_file *beside(const char *path, const char *name, cpb_error *error);

/* A lent file, at `path`. */
static cpb_file *take(lent *from, const char *path, cpb_error *error) {
  cpb_file *file = from ? host_open(from, error) : NULL;
  if (file && host_set_path(file, path, beside)) return file;
  if (file) cpb_fail_memory(error);
  cpb_file_close(file);
  return NULL;
}

static lent *ask_folder(const char *path, cpb_error *error) {
  wit_string_t name = {(uint8_t *)path, strlen(path)};
  folder_option_own_source_t given;
  folder_failure_t said;
  lent_land(NULL, 0);
  bool done = folder_method_folder_open(folder_borrow_folder(here->folder), &name, &given, &said);
  if (!done) lent_failure(&said, error);
  lent_landed();
  is_absent = done && !given.is_some;
  if (is_absent) cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "there is no such file");
  const wit_option_u32_t read_size = {true, (uint32_t)here->own->read_size};
  return done && given.is_some ? lent_new(given.val, &read_size, error) : NULL;
}

cpb_file *cpb_file_open_beside(const cpb_allocator *a, const char *path, cpb_error *error) {
  (void)a;
  is_absent = false;
  if (strcmp(path, here->name) == 0) return take(here->own, path, error);
  if (!here->has_folder) {
    is_absent = true;
    return cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the host lends no folder"), NULL;
  }
  lent *from = ask_folder(path, error);
  cpb_file *file = take(from, path, error);
  lent_free(from);
  return file;
}

cpb_file *cpb_lookup_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                          cpb_error *error) {
  *absent = false;
  if (cpb_archive_is_path(path)) return cpb_archive_open(a, path, urls, absent, error);
  cpb_file *file = cpb_file_open_beside(a, path, error);
  *absent = !file && is_absent;
  return file;
}

bool cpb_file_is_absent(const cpb_file *file) {
  (void)file;
  return false;
}

/* Every URL is for the host. */
cpb_file *cpb_url_open(const cpb_allocator *a, const char *url, const cpb_url_options *urls, cpb_error *error) {
  (void)a, (void)url, (void)urls;
  return cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "a URL; expected the name of a file in the folder"), NULL;
}

cpb_file *cpb_find_and_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, char *out,
                            size_t size, cpb_error *error) {
  (void)urls, (void)size;
  memcpy(out, path, strlen(path) + 1);
  return cpb_file_open_beside(a, path, error);
}

bool cpb_file_stand_for(cpb_file *file, const char *path, const cpb_url_options *urls, cpb_open_beside *open) {
  (void)urls, (void)open;
  return host_set_path(file, path, beside);
}

/* Opens a file that another one names, in or below its folder. */
static cpb_file *beside(const char *path, const char *name, cpb_error *error) {
  size_t folder = strlen(path), size = strlen(name);
  char *whole = malloc(folder + size + 1), text[128];
  bool absent;
  if (!whole) return cpb_fail_memory(error), NULL;
  while (folder > 0 && path[folder - 1] != '/') folder--;
  memcpy(whole, path, folder);
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_file *file = NULL;
  if (cpb_file_name_normalize((cpb_span){(const uint8_t *)name, size}, whole + folder))
    file = cpb_lookup_open(&a, whole, NULL, &absent, error);
  else
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "\"%s\" is not in the folder of the file that names it",
             cpb_quote(text, sizeof text, name, size));
  free(whole);
  return file;
}
