#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cpb/open.h"
#include "host/descriptor.h"
#include "host/file.h"
#include "host/open/lookup.h"
#include "host/references.h"
#include "host/url/address.h"

#define CHUNKED "saved_model.cpb"

static const char *const of_name[] = {"", ".cpb", ".pb", ".index", NULL};

/* Other errors of a server may mean that the file does not exist. */
static bool ends_search(const cpb_error *error) {
  return error->code == CPB_E_MEMORY || error->code == CPB_E_CANCELLED;
}

/* Opens a file that may name the model. In a folder, anything but a file is passed over, as if nothing were there. */
static cpb_file *open_naming(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                             cpb_error *error) {
  cpb_file *file = cpb_lookup_open(a, path, urls, absent, error);
  const int system = error->system;
  const bool is_other = system == 0 || system == ENOENT || system == EISDIR || system == ELOOP;
  if (!file && !urls && is_other && !ends_search(error)) cpb_error_begin(error, NULL);
  return file;
}

/* `out` has a package's folder and a slash, `length` bytes: appends the package's root model, unless the resulting path
 * is too long. */
static bool find_root(const cpb_allocator *a, const char *folder, size_t length, const cpb_url_options *urls, char *out,
                      bool *absent, cpb_error *error) {
  char root[CPB_PACKAGE_ROOM], name[3 * CPB_PACKAGE_ROOM];
  cpb_path_replace(folder, length, CPB_PACKAGE_MANIFEST, out);
  cpb_file *manifest = open_naming(a, out, urls, absent, error);
  if (!manifest || !cpb_package_root(a, manifest, root, error)) return false;
  if (!cpb_path_escape(folder, (cpb_span){(const uint8_t *)root, strlen(root)}, name)) return false;
  if (strlen(name) >= CPB_PACKAGE_ROOM) return false;
  cpb_path_replace(folder, length, name, out);
  return true;
}

/* Appends a slash and the name, if there is room for it. */
static bool append(char *out, size_t size, const char *name) {
  const size_t length = strlen(out);
  if (length + strlen(name) + 2 > size) return false;
  out[length] = '/';
  strcpy(out + length + 1, name);
  return true;
}

/* The same for a directory: returns the length of the package's part of `out`, or 0 if it is not a package. */
static size_t find_root_in(const cpb_allocator *a, char *out, size_t size, cpb_error *error) {
  const size_t length = strlen(out);
  bool absent;
  if (length + 2 + CPB_PACKAGE_ROOM > size) return 0;
  char *folder = cpb_alloc(a, length + 2);
  if (!folder) return cpb_fail_memory(error), 0;
  memcpy(folder, out, length);
  strcpy(folder + length, "/");
  bool found = find_root(a, folder, length + 1, NULL, out, &absent, error);
  if (cpb_is_of_content(error)) cpb_error_begin(error, NULL); /* another program may have a file of this name */
  cpb_release(a, folder);
  if (!found) out[length] = 0;
  return found ? length + 1 : 0;
}

/* Finds the highest version, like TensorFlow Serving; else the only model, or the only index of a checkpoint. */
static bool find_only(const cpb_allocator *a, const char *path, char *out, size_t size, size_t *package,
                      cpb_error *error) {
  cpb_lookup_folder in;
  cpb_lookup_in_folder(path, &in);
  errno = in.error;
  if (in.error) return cpb_fail_errno(error, CPB_E_READ) == CPB_OK;
  if (in.num_versions > 0) return append(out, size, in.version);
  if (in.models.count == 0 && in.indexes.count == 1) return append(out, size, in.indexes.names[0]);
  if (in.models.count != 1 || !append(out, size, in.models.names[0])) return false;
  if (cpb_lookup_is_directory(out)) *package = find_root_in(a, out, size, error);
  return *package > 0 || !cpb_lookup_is_directory(out);
}

/* In a directory with checkpoints: appends the index of the latest, or its single file of version 1. */
static bool find_latest_in(const cpb_allocator *a, size_t length, char *out, cpb_error *error) {
  char name[CPB_LATEST_ROOM];
  bool absent;
  strcpy(out + length, "/checkpoint");
  cpb_file *file = open_naming(a, out, NULL, &absent, error);
  const bool found = file && cpb_latest_checkpoint(a, file, name, error);
  for (int i = 0; found && i < (*name ? 2 : 1); i++) {
    cpb_format(out + length, CPB_FIND_MODEL_ROOM, i == 0 ? "/%s.index" : "/%s", name);
    if (cpb_lookup_exists(out)) return true;
  }
  out[length] = 0;
  return false;
}

/* `*package` is the length of the folder at the beginning of `out` if a package's manifest named the rest; else 0.
 * False if `size` is too small. The error is set if a file that may name the model cannot be read. */
static bool find(const cpb_allocator *a, const char *path, char *out, size_t size, size_t *package, cpb_error *error) {
  static const char *const in_directory[] = {"/saved_model.pb", "/saved_model.pbtxt", "/" CHUNKED, NULL};
  const size_t length = strlen(path);
  if (size < length + CPB_FIND_MODEL_ROOM) return false;
  const bool is_directory = cpb_lookup_is_directory(path);
  const char *const *ending = is_directory ? in_directory : of_name;
  memcpy(out, path, length);
  for (*package = 0; *ending; ending++) {
    strcpy(out + length, *ending);
    if (cpb_lookup_exists(out)) return true;
  }
  out[length] = 0;
  if (is_directory) *package = find_root_in(a, out, size, error);
  if (!is_directory || *package > 0 || error->code != CPB_OK || find_latest_in(a, length, out, error)) return true;
  if (error->code != CPB_OK || !find_only(a, path, out, size, package, error)) out[length] = 0;
  return true;
}

int cpb_find_model(const char *path, char *out, size_t size) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  size_t package;
  cpb_error ignored = {.code = CPB_OK};
  return find(&a, path, out, size, &package, &ignored);
}

int cpb_find_passed_over(const char *found, char *out, size_t size) {
  const char *slash = strrchr(found, '/'), *name = slash ? slash + 1 : found;
  const size_t folder = (size_t)(name - found);
  if (strcmp(name, "saved_model.pb") != 0 && strcmp(name, "saved_model.pbtxt") != 0) return 0;
  if (size < folder + sizeof CHUNKED) return 0;
  cpb_path_replace(found, folder, CHUNKED, out);
  return cpb_lookup_exists(out);
}

size_t cpb_count_versions(const char *path) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const size_t size = strlen(path) + CPB_FIND_MODEL_ROOM;
  cpb_lookup_folder in = {0};
  char *found = cpb_alloc(&a, size);
  if (found && cpb_find_model(path, found, size)) cpb_lookup_in_folder(path, &in);
  if (!found || in.num_versions == 0 || !cpb_path_ends_with(found, in.version)) in.num_versions = 0;
  cpb_release(&a, found);
  return in.num_versions;
}

/* --- Opening ------------------------------------------------------------------------------- */

static void fail_several(const cpb_lookup_names *list, const char *what, cpb_error *error) {
  char names[160], quoted[64];
  size_t length = 0, shown = 0;
  for (; shown < list->count && shown < CPB_LOOKUP_SHOWN; shown++) {
    cpb_quote(quoted, sizeof quoted, list->names[shown], strlen(list->names[shown]));
    if (length + strlen(quoted) + 2 >= sizeof names) break;
    length += cpb_format(names + length, sizeof names - length, "%s%s", shown > 0 ? ", " : "", quoted);
  }
  cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "a directory with %zu %s; expected the path of one of them: %s%s",
           list->count, what, names, shown < list->count ? ", ..." : "");
}

/* A package whose manifest names no model. */
static void fail_package(const cpb_allocator *a, char *path, size_t length, cpb_error *error) {
  char *out = cpb_alloc(a, length + CPB_FIND_MODEL_ROOM);
  cpb_error why = {.code = CPB_OK};
  bool absent = false;
  strcpy(path + length, "/");
  if (!out) cpb_fail_memory(error);
  else find_root(a, path, length + 1, NULL, out, &absent, &why);
  cpb_release(a, out);
  path[length] = 0;
  if (ends_search(&why)) *error = why;
  if (cpb_is_of_content(&why))
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "a directory without a model: %s", why.message);
  else if (absent && cpb_path_ends_with(path, ".mlpackage"))
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "a package without Manifest.json, which names the model in it");
}

/* A list of checkpoints whose latest is elsewhere. */
static void fail_latest(const cpb_allocator *a, char *path, size_t length, cpb_error *error) {
  char name[CPB_LATEST_ROOM], quoted[80];
  cpb_error why = {.code = CPB_OK};
  bool absent;
  strcpy(path + length, "/checkpoint");
  cpb_file *file = open_naming(a, path, NULL, &absent, &why);
  const bool found = file && cpb_latest_checkpoint(a, file, name, &why);
  path[length] = 0;
  if (ends_search(&why)) *error = why;
  if (!found) return;
  cpb_quote(quoted, sizeof quoted, name, strlen(name));
  cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET,
           "a directory without a model: its file \"checkpoint\" names \"%s\", but there is no \"%s.index\" in it",
           quoted, quoted);
}

/* Files of other programs in it. Texts and data may belong to anything, so only files that tell what the directory is
 * count. */
static bool describe_other(const cpb_allocator *a, const char *path, char *out, size_t size, cpb_error *error) {
  static const char *const of_anything[] = {"json", "xml", "text", "data", "program", "media", "document", NULL};
  cpb_error why = {.code = CPB_OK};
  uint64_t total;
  size_t length = CPB_BEGIN_BYTES;
  cpb_file *file = cpb_file_open_beside(a, path, &why);
  const bool is_read = file && cpb_file_size(file, &total, &why) == CPB_OK;
  const uint8_t *begin = is_read ? cpb_file_read(file, 0, &length, &why) : NULL;
  const cpb_file_ends ends = {.struct_size = sizeof ends,
                              .begin = begin,
                              .begin_size = begin ? length : 0,
                              .size = is_read ? total : 0,
                              .name = path,
                              .name_size = strlen(path)};
  const char *kind = begin ? cpb_foreign_describe(&ends, out, size) : NULL;
  for (const char *const *any = of_anything; kind && *any; any++)
    if (strcmp(kind, *any) == 0) kind = NULL;
  cpb_file_close(file);
  if (ends_search(&why)) *error = why;
  return kind != NULL;
}

static void fail_others(const cpb_allocator *a, char *path, size_t length, const cpb_lookup_names *others,
                        cpb_error *error) {
  char what[sizeof error->message], quoted[80];
  for (size_t i = 0; i < others->count && i < CPB_LOOKUP_SHOWN && error->code == CPB_OK; i++) {
    const char *name = others->names[i];
    cpb_format(path + length, CPB_LOOKUP_NAME + 2, "/%s", name);
    if (describe_other(a, path, what, sizeof what, error))
      cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET, "a directory without a model; \"%s\" in it is %s",
               cpb_quote(quoted, sizeof quoted, name, strlen(name)), what);
  }
  path[length] = 0;
}

/* The most certain reason comes first. `path` has room for names in it. */
static void fail_directory_at(const cpb_allocator *a, char *path, cpb_error *error) {
  const size_t length = strlen(path);
  cpb_lookup_folder in;
  cpb_lookup_in_folder(path, &in);
  if (in.models.count > 1) fail_several(&in.models, "models", error);
  else if (in.models.count == 0 && in.indexes.count > 1) fail_several(&in.indexes, "checkpoints", error);
  if (error->code == CPB_OK) fail_package(a, path, length, error);
  if (error->code == CPB_OK) fail_latest(a, path, length, error);
  strcpy(path + length, "/variables");
  if (error->code == CPB_OK && cpb_lookup_is_directory(path))
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET,
             "a directory with the variables of a SavedModel, but without saved_model.pb");
  path[length] = 0;
  if (error->code == CPB_OK && in.models.count == 0) fail_others(a, path, length, &in.others, error);
  cpb_fail(
      error, CPB_E_READ, CPB_NO_OFFSET,
      "a directory without saved_model.pb, saved_model.cpb or a Manifest.json that names a model in it, without "
      "versions of these (1/saved_model.pb), a checkpoint, and without an .onnx, .mlmodel, .mlpackage, .meta, .pb, "
      ".cpb, .fb or .zip");
}

static void fail_directory(const cpb_allocator *given, const char *path, cpb_error *error) {
  const cpb_allocator a = cpb_allocator_or_default(given);
  const size_t size = strlen(path) + CPB_FIND_MODEL_ROOM;
  char *own = cpb_alloc(&a, size);
  if (own) fail_directory_at(&a, strcpy(own, path), error);
  else cpb_fail_memory(error);
  cpb_release(&a, own);
}

#ifdef __wasi__

/* It lacks any information about links. */
static cpb_file *open_item(const cpb_allocator *a, const char *path, size_t package, cpb_error *error) {
  (void)package;
  return cpb_file_open_beside(a, path, error);
}

#else

/* The file that a package's manifest names is opened under the rules for references. */
static cpb_file *open_item(const cpb_allocator *a, const char *path, size_t package, cpb_error *error) {
  char *manifest = cpb_alloc(a, package + sizeof CPB_PACKAGE_MANIFEST);
  if (!manifest) return cpb_fail_memory(error), NULL;
  memcpy(manifest, path, package);
  strcpy(manifest + package, CPB_PACKAGE_MANIFEST);
  const int opened = cpb_regular_open(manifest, 0, error);
  int fd = -1;
  if (opened >= 0) {
    const cpb_reference_home home = {manifest, package, cpb_reference_identity(opened)};
    fd = cpb_reference_descriptor(&home, path, error);
    close(opened);
  }
  cpb_release(a, manifest);
  if (fd >= 0) return cpb_file_take(a, path, fd, error);
  if (error->code == CPB_OK)
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "a link leads out of the package, whose Manifest.json names it");
  return NULL;
}

#endif

static cpb_file *open_found(const cpb_allocator *a, const char *path, const char *found, size_t package,
                            cpb_error *error) {
  if (package > 0) return open_item(a, found, package, error);
  if (strcmp(found, path) != 0) return cpb_file_open_beside(a, found, error);
  if (!cpb_lookup_is_directory(path)) return cpb_file_open(a, path, error);
  fail_directory(a, path, error);
  return NULL;
}

/* Opens the first existing URL with one of these endings; `*first` is the error of the first ending. */
static cpb_file *find_ending(const cpb_allocator *a, const char *url, const char *const *endings,
                             const cpb_url_options *urls, char *out, bool *absent, cpb_error *first, cpb_error *error) {
  for (*absent = true; *absent && *endings; endings++) {
    cpb_error_begin(error, NULL);
    cpb_path_replace(url, cpb_path_length(url), *endings, out);
    cpb_file *file = cpb_lookup_open(a, out, urls, absent, error);
    if (file) return file;
    if (first->code == CPB_OK) *first = *error;
  }
  return NULL;
}

/* The root model of the package that a URL may stand for. */
static cpb_file *find_package(const cpb_allocator *a, const char *folder, const cpb_url_options *urls, char *out,
                              bool *absent, cpb_error *error) {
  cpb_error_begin(error, NULL);
  bool found = find_root(a, folder, cpb_path_length(folder), urls, out, absent, error);
  return found ? cpb_lookup_open(a, out, urls, absent, error) : NULL;
}

/* The same without a slash at its end. */
static cpb_file *find_named_package(const cpb_allocator *a, const char *url, const cpb_url_options *urls, char *out,
                                    bool *absent, cpb_error *error) {
  size_t size = strlen(url) + CPB_FIND_MODEL_ROOM;
  char *folder = cpb_alloc(a, size);
  *absent = false;
  if (!folder) return cpb_fail_memory(error), NULL;
  cpb_path_replace(url, cpb_path_length(url), "/", folder);
  cpb_file *file = find_package(a, folder, urls, out, absent, error);
  cpb_release(a, folder);
  return file;
}

/* Opens the latest checkpoint of a folder. `*absent`: the folder has none. */
static cpb_file *open_latest(const cpb_allocator *a, const char *url, const cpb_url_options *urls, char *out,
                             bool *absent, cpb_error *error) {
  static const char *const endings[] = {".index", ""};
  char latest[CPB_LATEST_ROOM], name[CPB_LATEST_ROOM + 8], escaped[3 * sizeof name];
  const size_t length = cpb_path_length(url);
  cpb_error_begin(error, NULL);
  cpb_path_replace(url, length, "checkpoint", out);
  cpb_file *file = cpb_lookup_open(a, out, urls, absent, error);
  if (!file) return NULL;
  const bool found = cpb_latest_checkpoint(a, file, latest, error);
  file = NULL;
  *absent = error->code == CPB_OK;
  for (int i = 0; found && !file && *absent && i < (*latest ? 2 : 1); i++) {
    cpb_format(name, sizeof name, "%s%s", latest, endings[i]);
    if (!cpb_path_escape(url, (cpb_span){(const uint8_t *)name, strlen(name)}, escaped)) return NULL;
    if (strlen(escaped) >= CPB_PACKAGE_ROOM) return NULL;
    cpb_path_replace(url, length, escaped, out);
    cpb_error_begin(error, NULL);
    file = cpb_lookup_open(a, out, urls, absent, error);
  }
  return file;
}

/* For URLs, requests show which files exist. */
static cpb_file *find_url(const cpb_allocator *given, const char *url, const cpb_url_options *urls, char *out,
                          cpb_error *error) {
  static const char *const in_folder[] = {"saved_model.pb", "saved_model.pbtxt", CHUNKED, NULL};
  static const char *const itself[] = {"", NULL};
  const cpb_allocator a = cpb_allocator_or_default(given);
  bool is_folder = cpb_path_ends_with(url, "/"), is_package = cpb_path_ends_with(url, ".mlpackage"), absent;
  cpb_error first = {.code = CPB_OK};
  cpb_address address;
  if (!cpb_address_check(url, &address, error)) return NULL;
  /* an ending of a host would name another one */
  const bool has_path = address.path < address.query;
  const char *const *endings = !has_path ? itself : is_folder ? in_folder : of_name;
  cpb_file *file = is_package ? find_named_package(&a, url, urls, out, &absent, error) : NULL;
  if (file || ends_search(error)) return file;
  file = find_ending(&a, url, endings, urls, out, &absent, &first, error);
  if (file || !absent) return file;
  if (is_folder) file = find_package(&a, url, urls, out, &absent, error);
  if (is_folder && !file && !ends_search(error)) file = open_latest(&a, url, urls, out, &absent, error);
  if (file || ends_search(error) || !absent || !has_path) return file;
  cpb_error_begin(error, NULL);
  cpb_fail(error, first.code, first.offset, "%s; tried %s", first.message,
           is_folder    ? "saved_model.pb, saved_model.pbtxt, saved_model.cpb, Manifest.json and checkpoint in it"
           : is_package ? "Manifest.json in it, and .cpb, .pb and .index after its name"
                        : ".cpb, .pb and .index after its name, too");
  cpb_error_take_numbers(error, &first);
  strcpy(out, url);
  return NULL;
}

/* Opens a file in an archive, or in an existing package. */
static cpb_file *open_within(const cpb_allocator *a, const char *path, const cpb_url_options *urls, char *out,
                             cpb_error *error) {
  bool absent;
  cpb_error of_package = {.code = CPB_OK};
  cpb_file *file = cpb_lookup_open(a, path, urls, &absent, error);
  if (!file && absent) file = find_named_package(a, path, urls, out, &absent, &of_package);
  else strcpy(out, path);
  if (file || ends_search(&of_package)) *error = of_package;
  return file;
}

cpb_file *cpb_find_and_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, char *out,
                            size_t size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  const cpb_allocator allocator = cpb_allocator_or_default(a);
  size_t package;
  if (size < strlen(path) + CPB_FIND_MODEL_ROOM) {
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "the room for the name has %zu bytes; expected %zu", size,
             strlen(path) + CPB_FIND_MODEL_ROOM);
    return NULL;
  }
  const bool is_url = urls && cpb_is_url(path);
  const bool is_within = is_url ? cpb_archive_is_zip_path(path) : cpb_archive_is_path(path) && !cpb_lookup_exists(path);
  if (is_within) return open_within(&allocator, path, urls, out, error);
  if (is_url) return find_url(a, path, urls, out, error);
  find(&allocator, path, out, size, &package, error);
  if (error->code != CPB_OK) return NULL;
  return open_found(&allocator, path, out, package, error);
}
