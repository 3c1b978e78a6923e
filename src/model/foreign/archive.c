/* Recognizes archives that contain models, by the names within. */
#include "model/common/guess.h"
#include "model/common/spans.h"
#include "model/foreign/foreign.h"
#include "model/formats/zip/zip.h"

/* --- zip ------------------------------------------------------------------------------------ */

/* The first row that matches a name decides; models that can be opened come first. */
static const struct {
  cpb_foreign_kind kind;
  bool in_folder; /* the name may be anything */
  const char *name, *detail;
} in_zip[] = {
    {CPB_FOREIGN_KERAS, false, "model.weights.h5", NULL},
    {CPB_FOREIGN_TORCHSCRIPT, true, "constants.pkl", NULL},
    {CPB_FOREIGN_PYTORCH, true, "data.pkl", NULL},
    {CPB_FOREIGN_PYTORCH, true, "archive_format", NULL},
    {CPB_FOREIGN_DL4J, false, "coefficients.bin", NULL},
    {CPB_FOREIGN_DOCUMENT, false, "[Content_Types].xml", "Microsoft Office"},
    {CPB_FOREIGN_PROGRAM, false, "META-INF/MANIFEST.MF", "Java"},
    {CPB_FOREIGN_DATA, false, "dlc.metadata", "SNPE"},
};
#define NUM_IN_ZIP (sizeof in_zip / sizeof *in_zip)

/* Considers a name; `best` is the row that was found before. */
static void weigh(cpb_span name, size_t *best, cpb_foreign *found) {
  if (found->kind == CPB_FOREIGN_ZIP_MODEL) return;
  if (cpb_entry_model_rank(name) == 2) *found = (cpb_foreign){CPB_FOREIGN_ZIP_MODEL, name};
  else if (cpb_span_ends(name, ".sdnb") && *best > 0) found->kind = CPB_FOREIGN_SDNB;
  for (size_t i = 0; i < *best && found->kind != CPB_FOREIGN_ZIP_MODEL; i++) {
    const bool is_it =
        in_zip[i].in_folder ? cpb_is_entry_called(name, in_zip[i].name) : cpb_span_is(name, in_zip[i].name);
    if (!is_it) continue;
    *best = i;
    *found = (cpb_foreign){in_zip[i].kind, cpb_span_of(in_zip[i].detail ? in_zip[i].detail : "")};
  }
}

static void look_into_zip(const cpb_file_ends *ends, cpb_foreign *found) {
  cpb_zip_glance glance = cpb_zip_glance_at(cpb_ends_begin(ends), cpb_ends_end(ends), ends->size);
  size_t best = NUM_IN_ZIP, names = 0, arrays = 0;
  cpb_span name, first = {NULL, 0};
  found->kind = CPB_FOREIGN_ZIP;
  for (; cpb_zip_glance_next(&glance, &name); names++) {
    if (names == 0) first = name;
    arrays += cpb_span_ends(name, ".npy");
    weigh(name, &best, found);
  }
  if (found->kind != CPB_FOREIGN_ZIP) return;
  found->detail = first;
  if (names > 0 && arrays == names) *found = (cpb_foreign){CPB_FOREIGN_NPZ, {NULL, 0}};
}

/* --- tar ------------------------------------------------------------------------------------ */

enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_SIZE = 124, TAR_SIZE_BYTES = 12, TAR_MAGIC = 257 };

static uint64_t octal(const uint8_t *at) {
  uint64_t value = 0;
  for (size_t i = 0; i < TAR_SIZE_BYTES && at[i] >= '0' && at[i] <= '7'; i++) value = value * 8 + (at[i] - '0');
  return value;
}

/* Goes through the headers in the given bytes. */
static bool look_into_tar(cpb_span in, cpb_foreign *found) {
  for (uint64_t at = 0; at + TAR_BLOCK <= in.size;) {
    const uint8_t *header = in.data + at;
    if (memcmp(header + TAR_MAGIC, "ustar", 5) != 0) break;
    cpb_span name = {header, 0};
    while (name.size < TAR_NAME && header[name.size] != 0) name.size++;
    if (found->kind != CPB_FOREIGN_TAR_MODEL) found->kind = CPB_FOREIGN_TAR;
    if (found->kind == CPB_FOREIGN_TAR && cpb_entry_model_rank(name) == 2)
      *found = (cpb_foreign){CPB_FOREIGN_TAR_MODEL, name};
    at += TAR_BLOCK + (octal(header + TAR_SIZE) + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
  }
  return found->kind != CPB_FOREIGN_UNKNOWN;
}

/* --- gzip ----------------------------------------------------------------------------------- */

/* The name of the packed file, if the header has it and nothing else. */
static cpb_span gzip_name(cpb_span in) {
  enum { FLAGS = 3, ONLY_NAME = 8, HEADER = 10 };
  if (in.size <= HEADER || in.data[FLAGS] != ONLY_NAME) return (cpb_span){NULL, 0};
  const uint8_t *end = memchr(in.data + HEADER, 0, in.size - HEADER);
  return (cpb_span){in.data + HEADER, end ? (size_t)(end - in.data) - HEADER : 0};
}

bool cpb_foreign_archive(const cpb_file_ends *ends, cpb_foreign *found) {
  const cpb_span begin = cpb_ends_begin(ends);
  if (cpb_span_begins(begin, cpb_span_of("PK\3\4")) || cpb_span_begins(begin, cpb_span_of("PK\5\6"))) {
    look_into_zip(ends, found);
    return true;
  }
  if (!cpb_span_begins(begin, cpb_span_of("\x1f\x8b\x08"))) return look_into_tar(begin, found);
  found->detail = gzip_name(begin);
  found->kind = CPB_FOREIGN_GZIP;
  if (cpb_ends_named(ends, ".tgz") || cpb_ends_named(ends, ".tar.gz") || cpb_span_ends(found->detail, ".tar"))
    found->kind = CPB_FOREIGN_TAR_GZIP;
  return true;
}
