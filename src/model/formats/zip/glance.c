#include <string.h>

#include "base/checked.h"
#include "model/formats/zip/records.h"
#include "model/formats/zip/zip.h"

/* --- entry names ------------------------------------------------------------------------------ */

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static bool ends_with(cpb_span name, const char *ending) {
  const size_t size = strlen(ending);
  return name.size >= size && cpb_compare_names((cpb_span){name.data + name.size - size, size}, span_of(ending)) == 0;
}

bool cpb_is_entry_called(cpb_span name, const char *file) {
  const size_t size = strlen(file);
  return ends_with(name, file) && (name.size == size || name.data[name.size - size - 1] == '/');
}

/* Whether this is a file that macOS archivers add for each file. */
static bool is_hidden(cpb_span name) {
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] == '.' && (i == 0 || name.data[i - 1] == '/')) return true;
  return false;
}

static bool is_within_package(cpb_span name) {
  static const char inside[] = ".mlpackage/";
  for (size_t i = 0; i + sizeof inside - 1 <= name.size; i++)
    if (memcmp(name.data + i, inside, sizeof inside - 1) == 0) return true;
  return false;
}

int cpb_entry_model_rank(cpb_span name) {
  static const char *const models[] = {"saved_model.pb", "saved_model.cpb", "saved_model.pbtxt"};
  static const char *const endings[] = {".onnx", ".mlmodel", ".cpb"}, *const graphs[] = {".pb", ".pbtxt", ".meta"};
  if (is_hidden(name)) return 0;
  if (is_within_package(name)) return ends_with(name, ".mlpackage/Manifest.json") ? 2 : 0;
  for (size_t i = 0; i < 3; i++)
    if (cpb_is_entry_called(name, models[i]) || ends_with(name, endings[i])) return 2;
  for (size_t i = 0; i < 3; i++)
    if (ends_with(name, graphs[i])) return 1;
  return 0;
}

/* --- glance ----------------------------------------------------------------------------------- */

static cpb_span from(cpb_span in, size_t at) { return (cpb_span){in.data + at, in.size - at}; }

/* Takes a header off the front of `rest`. Its name begins at `head`; the name's size and the sizes of the parts after
 * it are at `sizes`. False if the header is missing or cut off. */
static bool take(cpb_span *rest, uint32_t signature, size_t head, size_t sizes, size_t num_sizes, cpb_span *name) {
  if (rest->size < head || cpb_load32(rest->data) != signature) return false;
  size_t size = head;
  for (size_t i = 0; i < num_sizes; i++) size += cpb_load16(rest->data + sizes + 2 * i);
  *name = (cpb_span){rest->data + head, cpb_load16(rest->data + sizes)};
  if (name->size > rest->size - head) return false;
  *rest = from(*rest, cpb_min_size(size, rest->size));
  return true;
}

static bool take_entry(cpb_span *rest, cpb_span *name) { return take(rest, ENTRY_SIGNATURE, ENTRY_SIZE, 28, 3, name); }

/* Also skips the contents if the header gives their size. */
static bool take_local(cpb_span *rest, cpb_span *name) {
  const cpb_span header = *rest;
  if (!take(rest, LOCAL_SIGNATURE, LOCAL_SIZE, 26, 2, name)) return false;
  const bool is_sized = !(header.data[6] & SIZES_FOLLOW);
  *rest = from(*rest, is_sized ? cpb_min_size(cpb_load32(header.data + 18), rest->size) : rest->size);
  return true;
}

/* Whether `entries` consists of exactly this many entries. */
static bool is_directory(cpb_span entries, size_t count) {
  cpb_span name;
  while (count > 0 && take_entry(&entries, &name)) count--;
  return count == 0 && entries.size == 0;
}

/* Finds the directory if `end` has all of it. A comment could contain the signature of the record before it, but that
 * is rare. */
static bool find_directory(cpb_span end, uint64_t size, cpb_span *directory) {
  const uint64_t before = size - end.size;
  int tries = 4;
  for (size_t at = end.size < END_SIZE ? 0 : end.size - END_SIZE + 1; at-- > 0 && tries > 0;) {
    const uint8_t *record = end.data + at;
    if (cpb_load32(record) != END_SIGNATURE) continue;
    tries--;
    const uint64_t length = cpb_load32(record + 12), offset = cpb_load32(record + 16);
    if (offset < before || offset - before > at || length > at - (offset - before)) continue;
    *directory = (cpb_span){end.data + (size_t)(offset - before), (size_t)length};
    if (is_directory(*directory, cpb_load16(record + 10))) return true;
  }
  return false;
}

/* The directory's entries in `end`, from the first complete one. */
static cpb_span find_entries(cpb_span end) {
  size_t at = 0;
  while (at + 4 <= end.size && cpb_load32(end.data + at) != ENTRY_SIGNATURE) at++;
  return from(end, at + 4 <= end.size ? at : end.size);
}

cpb_zip_glance cpb_zip_glance_at(cpb_span begin, cpb_span end, uint64_t size) {
  cpb_zip_glance glance = {.is_whole = false};
  glance.is_whole = size >= end.size && find_directory(end, size, &glance.directory);
  if (glance.is_whole) return glance;
  glance.locals = begin;
  glance.directory = end.size > 0 ? find_entries(end) : end;
  return glance;
}

bool cpb_zip_glance_next(cpb_zip_glance *glance, cpb_span *name) {
  return take_local(&glance->locals, name) || take_entry(&glance->directory, name);
}
