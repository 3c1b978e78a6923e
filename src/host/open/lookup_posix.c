/* Paths of the system, also for WASI; the models in a directory, by their names alone. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "host/open/lookup.h"

#define DIGITS 19 /* of a 64-bit number */

bool cpb_lookup_exists(const char *path) { return access(path, F_OK) == 0; }

bool cpb_lookup_is_directory(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* --- Names -------------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *ending) {
  const size_t length = strlen(name), end = strlen(ending);
  return length > end && strcmp(name + length - end, ending) == 0;
}

/* Files next to a model, and parts of a .cpb in several files, are not models. */
static bool is_beside(const char *name) {
  const char *part = strstr(name, "-of-");
  return strcmp(name, "keras_metadata.pb") == 0 || strcmp(name, "fingerprint.pb") == 0 ||
         (part && strspn(part + 4, "0123456789") == strlen(part + 4) - strlen(".cpb"));
}

static bool is_model_file(const char *name) {
  static const char *const endings[] = {".onnx", ".mlmodel", ".meta", ".pb", ".cpb", ".fb", ".zip"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends_with(name, endings[i])) return !is_beside(name);
  return false;
}

static bool is_version(const char *name) {
  const size_t length = strlen(name);
  return length > 0 && length <= DIGITS && strspn(name, "0123456789") == length;
}

/* By their numbers: "10/..." after "9/...". */
static bool is_higher(const char *a, const char *b) {
  a += strspn(a, "0");
  b += strspn(b, "0");
  const size_t x = strcspn(a, "/"), y = strcspn(b, "/");
  return x != y ? x > y : memcmp(a, b, x) > 0;
}

/* --- The entries ---------------------------------------------------------------------------- */

/* The first of these files that exists in the entry, a folder: its path from the directory. */
static bool find_within(int directory, const char *entry, const char *const *names, char path[CPB_LOOKUP_NAME]) {
  for (; *names; names++) {
    if (strlen(entry) + strlen(*names) + 2 > CPB_LOOKUP_NAME) continue;
    cpb_format(path, CPB_LOOKUP_NAME, "%s/%s", entry, *names);
    if (faccessat(directory, path, F_OK, 0) == 0) return true;
  }
  return false;
}

/* Keeps the first ones by name. */
static void add(cpb_lookup_names *list, const char *name) {
  const size_t kept = list->count < CPB_LOOKUP_SHOWN ? list->count : CPB_LOOKUP_SHOWN;
  size_t at = kept;
  list->count++;
  while (at > 0 && strcmp(name, list->names[at - 1]) < 0) at--;
  if (at == CPB_LOOKUP_SHOWN || strlen(name) >= CPB_LOOKUP_NAME) return;
  const size_t moved = (kept < CPB_LOOKUP_SHOWN ? kept : CPB_LOOKUP_SHOWN - 1) - at;
  memmove(list->names[at + 1], list->names[at], moved * CPB_LOOKUP_NAME);
  strcpy(list->names[at], name);
}

static void add_folder(int directory, const char *name, cpb_lookup_folder *found) {
  static const char *const saved[] = {"saved_model.pb", "saved_model.cpb", NULL};
  static const char *const served[] = {"saved_model.pb", "saved_model.cpb", "model.onnx", NULL};
  char path[CPB_LOOKUP_NAME];
  if (ends_with(name, ".mlpackage")) {
    add(&found->models, name);
  } else if (is_version(name)) {
    if (!find_within(directory, name, served, path)) return;
    if (found->num_versions++ == 0 || is_higher(path, found->version)) strcpy(found->version, path);
  } else if (find_within(directory, name, saved, path)) {
    add(&found->models, path);
  }
}

void cpb_lookup_in_folder(const char *path, cpb_lookup_folder *found) {
  struct stat what;
  found->models.count = found->indexes.count = found->others.count = found->num_versions = 0;
  DIR *directory = opendir(path);
  found->error = directory ? 0 : errno;
  for (const struct dirent *entry; directory && (entry = readdir(directory));) {
    const char *name = entry->d_name;
    if (name[0] == '.' || fstatat(dirfd(directory), name, &what, 0) != 0) continue;
    if (S_ISDIR(what.st_mode)) add_folder(dirfd(directory), name, found);
    else if (!S_ISREG(what.st_mode)) continue;
    else if (is_model_file(name)) add(&found->models, name);
    else add(ends_with(name, ".index") ? &found->indexes : &found->others, name);
  }
  if (directory) closedir(directory);
}
