#include "host/open/lookup.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/url_text.h"
#include "host/file.h"
#include "host/url/address.h"

/* Largest compressed entry, which is kept in memory. */
#define HELD_MOST ((uint64_t)(SIZE_MAX > UINT32_MAX ? 1024 : 64) << 20)
/* A stored entry up to this size is checked when it is opened from a local archive; a larger one, or one at a URL, of
 * which parts may be enough, by cpb_file_check(). */
#define CHECKED_MOST ((uint64_t)64 << 20)
#define LISTED 8

/* --- Paths ---------------------------------------------------------------------------- */

/* The mark, or NULL. The path before it leads to an archive. */
static const char *mark_in(const char *path) {
  const char *mark = strstr(path, CPB_ARCHIVE_MARK);
  return mark && mark > path && mark < path + cpb_path_length(path) ? mark : NULL;
}

bool cpb_archive_is_path(const char *path) { return mark_in(path) != NULL; }

bool cpb_archive_is_zip_path(const char *path) {
  static const char ending[] = ".zip";
  const char *mark = mark_in(path);
  if (!mark || mark - path < 4) return false;
  for (int i = 0; i < 4; i++)
    if ((mark[i - 4] | (i > 0 ? 0x20 : 0)) != ending[i]) return false;
  return true;
}

/* The path of an entry, which the caller releases; in a URL, it goes before the query. */
static char *path_within(const cpb_allocator *a, const char *zip, const char *name, size_t size, cpb_error *error) {
  const size_t mark = strlen(CPB_ARCHIVE_MARK);
  char *entry = cpb_alloc(a, mark + 3 * size + 1), *path = cpb_alloc(a, strlen(zip) + mark + 3 * size + 1);
  bool fits = entry && path;
  if (!fits) cpb_fail_memory(error);
  if (fits) memcpy(entry, CPB_ARCHIVE_MARK, mark);
  if (fits && !cpb_path_escape(zip, (cpb_span){(const uint8_t *)name, size}, entry + mark))
    fits = cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the ? in a name of the archive would begin a query") == CPB_OK;
  if (fits) cpb_path_replace(zip, cpb_path_length(zip), entry, path);
  cpb_release(a, entry);
  if (fits) return path;
  cpb_release(a, path);
  return NULL;
}

/* --- Entries -------------------------------------------------------------------------- */

/* An entry as a file. */
typedef struct member {
  cpb_allocator allocator;
  cpb_file *zip;      /* the file of a stored entry */
  bool owned;         /* the file is closed with it */
  uint64_t offset;    /* of its content there */
  size_t entry;       /* its number in the archive */
  bool checked;       /* the CRC-32 of a stored entry */
  cpb_buffer content; /* of an entry that is not stored */
  uint64_t size;
} member;

static cpb_code read_member(void *user, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  member *m = user;
  const uint8_t *data = m->content.data;
  *length = offset < m->size ? (size_t)cpb_min_u64(*length, m->size - offset) : 0;
  if (*length == 0) return CPB_OK;
  if (m->zip) data = cpb_file_read(m->zip, m->offset + offset, length, error);
  if (data) memcpy(out, m->zip ? data : data + offset, *length);
  return data ? CPB_OK : error->code;
}

static cpb_code size_member(void *user, uint64_t *size, cpb_error *error) {
  (void)error;
  *size = ((member *)user)->size;
  return CPB_OK;
}

static void close_member(void *user) {
  member *m = user;
  cpb_allocator a = m->allocator;
  if (m->owned) cpb_file_close(m->zip);
  cpb_buffer_free(&m->content);
  cpb_release(&a, m);
}

static cpb_step step(cpb_archive *archive, cpb_file *zip) {
  cpb_step step;
  while ((step = cpb_archive_step(archive)) == CPB_STEP_NEED) cpb_file_supply(zip, cpb_archive_input(archive));
  return step;
}

static bool load(member *m, cpb_archive *archive, cpb_file *zip, cpb_error *error) {
  cpb_step event;
  while ((event = step(archive, zip)) == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_archive_data(archive, &size);
    if (!cpb_buffer_append(&m->content, data, size)) return cpb_fail_memory(error) == CPB_OK;
  }
  if (event == CPB_STEP_ERROR) *error = *cpb_archive_error(archive);
  return event == CPB_STEP_DONE;
}

static cpb_archive *read_directory(const cpb_allocator *a, cpb_file *zip, const cpb_limits *limits, cpb_error *error) {
  cpb_archive *archive = cpb_archive_new(a, limits);
  if (!archive) return cpb_fail_memory(error), NULL;
  if (step(archive, zip) == CPB_STEP_DONE) return archive;
  *error = *cpb_archive_error(archive);
  cpb_archive_free(archive);
  return NULL;
}

/* Reads the entry to its end, where its CRC-32 is compared. */
static bool check_entry(member *m, cpb_archive *archive, cpb_file *zip, cpb_error *error) {
  cpb_step event;
  while ((event = step(archive, zip)) == CPB_STEP_DATA) {}
  if (event == CPB_STEP_ERROR) *error = *cpb_archive_error(archive);
  m->checked = event == CPB_STEP_DONE;
  return m->checked;
}

static bool check_member(void *user, cpb_error *error) {
  member *m = user;
  if (!m->zip || m->checked) return true;
  cpb_archive *archive = read_directory(&m->allocator, m->zip, NULL, error);
  if (archive) cpb_archive_read(archive, m->entry);
  if (archive) check_entry(m, archive, m->zip, error);
  cpb_archive_free(archive);
  return m->checked;
}

/* Finds the beginning of a stored entry, and checks it if `checks`; reads any other one. */
static bool begin(member *m, cpb_archive *archive, size_t i, cpb_file *zip, bool checks, cpb_error *error) {
  cpb_archive_entry entry;
  cpb_archive_get(archive, i, &entry);
  m->size = entry.size;
  m->entry = i;
  if (!entry.stored && entry.size > HELD_MOST)
    return CPB_FAILS(error, CPB_E_LIMIT, CPB_NO_OFFSET,
                     "a compressed file of %llu bytes in a zip archive; at most %llu are unpacked in memory: unpack it",
                     (unsigned long long)entry.size, (unsigned long long)HELD_MOST);
  cpb_archive_read(archive, i);
  if (!entry.stored) return load(m, archive, zip, error);
  if (step(archive, zip) == CPB_STEP_ERROR) return *error = *cpb_archive_error(archive), false;
  m->offset = cpb_archive_offset(archive);
  return !checks || entry.size > CHECKED_MOST || check_entry(m, archive, zip, error);
}

/* Opens an entry as the file `path`. On success it takes over the archive's file, if that has a path. */
static cpb_file *open_entry(const cpb_allocator *a, cpb_archive *archive, size_t i, cpb_file *zip, const char *path,
                            const cpb_url_options *urls, cpb_error *error) {
  cpb_archive_entry entry;
  member *m = cpb_alloc_zeroed(a, sizeof *m);
  if (!m) return cpb_fail_memory(error), NULL;
  m->allocator = *a;
  cpb_buffer_init(&m->content, a);
  const bool checks = path && !(urls && cpb_is_url(path));
  if (!begin(m, archive, i, zip, checks, error)) return close_member(m), NULL;
  const cpb_source source = {
      .struct_size = sizeof source, .user = m, .read = read_member, .size = size_member, .close = close_member};
  cpb_file *file = cpb_file_open_source(a, &source, error);
  if (file && path && !cpb_file_stand_for(file, path, urls, cpb_archive_open))
    return cpb_file_close(file), cpb_fail_memory(error), NULL;
  if (file) cpb_file_check_with(file, check_member);
  cpb_archive_get(archive, i, &entry);
  if (file && entry.stored) m->zip = zip, m->owned = path != NULL;
  else if (file && path) cpb_file_close(zip);
  return file;
}

/* --- Archives ------------------------------------------------------------------------- */

bool cpb_archive_is_zip(cpb_file *file) {
  size_t length = 4;
  cpb_error ignored;
  const uint8_t *begin = cpb_file_read(file, 0, &length, &ignored);
  return begin && length >= 4 && memcmp(begin, "PK\3\4", 4) == 0;
}

static cpb_file *open_zip(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                          cpb_error *error) {
  uint64_t size;
  const bool is_url = urls && cpb_is_url(path);
  cpb_file *zip = is_url ? cpb_url_open(a, path, urls, error) : cpb_file_open_beside(a, path, error);
  if (zip && cpb_file_size(zip, &size, error) == CPB_OK) return zip;
  *absent = zip && cpb_file_is_absent(zip);
  cpb_file_close(zip);
  return NULL;
}

/* The hexadecimal digits after a %, or none. */
static int escaped(const char *text) {
  static const char digits[] = "0123456789abcdef";
  int value = 0;
  for (int i = 1; i <= 2; i++) {
    const char *digit = text[i] ? strchr(digits, text[i] | 0x20) : NULL;
    if (!digit) return -1;
    value = 16 * value + (int)(digit - digits);
  }
  return value;
}

/* Decodes an entry's name to that in the archive; returns its length. */
static size_t unescape(const char *text, size_t size, bool is_url, char *out) {
  size_t length = 0;
  for (size_t i = 0; i < size; i++) {
    const int byte = is_url && text[i] == '%' && i + 2 < size ? escaped(text + i) : -1;
    out[length++] = byte < 0 ? text[i] : (char)byte;
    if (byte >= 0) i += 2;
  }
  return length;
}

/* The file `path` has this name in the archive. */
static cpb_file *open_named(const cpb_allocator *a, cpb_file *zip, cpb_span name, const char *path,
                            const cpb_url_options *urls, bool *absent, cpb_error *error) {
  cpb_archive *archive = read_directory(a, zip, NULL, error);
  if (!archive && error->code == CPB_E_FORMAT && !cpb_archive_is_zip(zip)) {
    cpb_error_begin(error, NULL);
    cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET, "what is before " CPB_ARCHIVE_MARK " is a file, but no zip archive");
  }
  if (!archive) return NULL;
  const size_t i = cpb_archive_find(archive, (const char *)name.data, name.size);
  char shown[96];
  *absent = i == SIZE_MAX;
  if (*absent)
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the zip archive has no file \"%s\"",
             cpb_quote(shown, sizeof shown, name.data, name.size));
  cpb_file *file = *absent ? NULL : open_entry(a, archive, i, zip, path, urls, error);
  cpb_archive_free(archive);
  return file;
}

cpb_file *cpb_archive_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                           cpb_error *error) {
  const size_t length = cpb_path_length(path), front = (size_t)(mark_in(path) - path);
  const size_t skip = front + strlen(CPB_ARCHIVE_MARK);
  const bool escapes = cpb_is_url(path) && !cpb_url_has_key((cpb_span){(const uint8_t *)path, length});
  char *archive = cpb_alloc(a, strlen(path) + 1), *name = cpb_alloc(a, length - skip + 1);
  cpb_file *zip = NULL, *file = NULL;
  *absent = false;
  if (archive && name) {
    cpb_path_replace(path, front, "", archive);
    const size_t size = unescape(path + skip, length - skip, escapes, name);
    zip = open_zip(a, archive, urls, absent, error);
    if (zip) file = open_named(a, zip, (cpb_span){(uint8_t *)name, size}, path, urls, absent, error);
    if (zip && !file) cpb_file_close(zip);
  } else {
    cpb_fail_memory(error);
  }
  cpb_release(a, archive);
  cpb_release(a, name);
  return file;
}

/* --- Models --------------------------------------------------------------------------- */

static bool is_manifest(const cpb_archive_entry *entry) {
  const size_t size = strlen(CPB_PACKAGE_MANIFEST);
  return entry->name_size > size && memcmp(entry->name + entry->name_size - size, CPB_PACKAGE_MANIFEST, size) == 0;
}

/* The model that a package's manifest names. */
static size_t root_of(const cpb_allocator *a, cpb_archive *archive, size_t manifest, cpb_file *zip, cpb_error *error) {
  cpb_archive_entry entry;
  char root[CPB_PACKAGE_ROOM];
  size_t found = SIZE_MAX;
  cpb_archive_get(archive, manifest, &entry);
  if (!is_manifest(&entry)) return manifest;
  const size_t folder = entry.name_size - strlen(CPB_PACKAGE_MANIFEST);
  char *name = cpb_alloc(a, folder + CPB_PACKAGE_ROOM);
  cpb_file *file = name ? open_entry(a, archive, manifest, zip, NULL, NULL, error) : NULL;
  if (!name) cpb_fail_memory(error);
  if (file && cpb_package_root(a, file, root, error)) {
    memcpy(name, entry.name, folder);
    memcpy(name + folder, root, strlen(root));
    found = cpb_archive_find(archive, name, folder + strlen(root));
  }
  cpb_release(a, name);
  if (found == SIZE_MAX)
    cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET,
             "the Manifest.json of the package in the zip archive names no model in it");
  return found;
}

/* Reports several models, because it is unclear which one is meant. */
static void fail_several(const cpb_archive *archive, const size_t *entries, size_t count, const char *zip,
                         cpb_error *error) {
  char list[sizeof error->message], shown[96];
  size_t n = 0;
  for (size_t i = 0; i < cpb_min_size(count, LISTED); i++) {
    cpb_archive_entry entry;
    cpb_archive_get(archive, entries[i], &entry);
    size_t size = entry.name_size - (is_manifest(&entry) ? strlen("/" CPB_PACKAGE_MANIFEST) : 0);
    n += cpb_format(list + n, sizeof list - n, "%s%s", i > 0 ? ", " : "",
                    cpb_quote(shown, sizeof shown, entry.name, size));
  }
  cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET,
           "a zip archive with %zu models; expected the name of one, such as %s" CPB_ARCHIVE_MARK "NAME: %s%s", count,
           zip, list, count > LISTED ? ", ..." : "");
}

static cpb_file *open_model(const cpb_allocator *a, cpb_archive *archive, cpb_file *zip, char **path,
                            const cpb_url_options *urls, cpb_error *error) {
  size_t entries[LISTED];
  cpb_archive_entry entry;
  const size_t count = cpb_archive_find_models(archive, entries, LISTED);
  if (count > 1) fail_several(archive, entries, count, *path, error);
  if (count != 1) return NULL;
  const size_t model = root_of(a, archive, entries[0], zip, error);
  if (model == SIZE_MAX) return NULL;
  cpb_archive_get(archive, model, &entry);
  char *within = path_within(a, *path, entry.name, entry.name_size, error);
  cpb_file *file = within ? open_entry(a, archive, model, zip, within, urls, error) : NULL;
  cpb_release(a, file ? *path : within);
  if (file) *path = within;
  return file;
}

cpb_file *cpb_archive_open_model(const cpb_allocator *a, cpb_file *zip, char **path, const cpb_url_options *urls,
                                 const cpb_limits *limits, cpb_error *unread, cpb_error *error) {
  cpb_archive *archive = read_directory(a, zip, limits, error);
  cpb_file *file = archive ? open_model(a, archive, zip, path, urls, error) : NULL;
  if (!archive && cpb_is_of_content(error)) {
    *unread = *error;
    cpb_error_begin(error, NULL);
  }
  cpb_archive_free(archive);
  return file;
}
