#include "model/formats/zip/entry_names.h"

#include <string.h>

#include "model/formats/zip/zip.h"

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
  for (size_t i = 0; i < name.size; i++) {
    if (name.data[i] == '.' && (i == 0 || name.data[i - 1] == '/')) return true;
  }
  return false;
}

static bool is_within_package(cpb_span name) {
  static const char inside[] = ".mlpackage/";
  for (size_t i = 0; i + sizeof inside - 1 <= name.size; i++) {
    if (memcmp(name.data + i, inside, sizeof inside - 1) == 0) return true;
  }
  return false;
}

int cpb_entry_model_rank(cpb_span name) {
  static const char *const models[] = {"saved_model.pb", "saved_model.cpb", "saved_model.pbtxt"};
  static const char *const endings[] = {".onnx", ".mlmodel", ".cpb"}, *const graphs[] = {".pb", ".pbtxt", ".meta"};
  if (is_hidden(name)) return 0;
  if (is_within_package(name)) return ends_with(name, ".mlpackage/Manifest.json") ? 2 : 0;
  for (size_t i = 0; i < 3; i++) {
    if (cpb_is_entry_called(name, models[i]) || ends_with(name, endings[i])) return 2;
  }
  for (size_t i = 0; i < 3; i++) {
    if (ends_with(name, graphs[i])) return 1;
  }
  return 0;
}
