#include "base/utf8.h"
#include "model/common/guess.h"
#include "model/common/spans.h"
#include "model/foreign/foreign.h"
#include "model/formats/leveldb/crc32c.h"

/* --- signature -------------------------------------------------------------------------------- */

/* Bytes at fixed places of files, from each format's documentation. */

typedef struct signature {
  cpb_foreign_kind kind;
  uint16_t at;
  uint8_t size;
  const char *bytes;
  const char *detail; /* or NULL */
} signature;

#define AT(kind, at, bytes, detail) {CPB_FOREIGN_##kind, at, sizeof bytes - 1, bytes, detail}

static const signature signatures[] = {
    AT(TFLITE, 4, "TFL3", NULL),
    AT(ORT, 4, "ORTM", NULL),
    AT(EXECUTORCH, 4, "ET1", NULL),
    AT(MINDSPORE, 4, "MSL", NULL),
    AT(HDF5, 0, "\x89HDF\r\n\x1a\n", NULL),
    AT(GGUF, 0, "GGUF", NULL),
    AT(GGML, 0, "lmgg", NULL),
    AT(GGML, 0, "tjgg", NULL),
    AT(GGML, 0, "fmgg", NULL),
    AT(PYTORCH, 0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", NULL),
    AT(NPY, 0, "\x93NUMPY", NULL),
    AT(TENSORRT, 0, "ptrt", NULL),
    AT(TENSORRT, 0, "ftrt", NULL),
    AT(RIEGELI, 0, "\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", "without an index of chunks"),
    AT(CNTK, 0, "B\0C\0N\0", NULL),
    AT(MXNET, 0, "\x12\x01\0\0\0\0\0\0", NULL),
    AT(NCNN, 0, "7767517\n", NULL),
    AT(NCNN, 0, "7767517\r\n", NULL),
    AT(NCNN, 0, "\xdd\x85\x76\0", NULL),
    AT(RKNN, 0, "RKNN", NULL),
    AT(MLIR, 0, "ML\xefR", NULL),
    AT(SDNB, 0, "SDNB", NULL),
    AT(CATBOOST, 0, "CBM1", NULL),
    AT(XGBOOST, 0, "binf", NULL),
    AT(XGBOOST, 0, "{L\0\0\0\0\0\0", NULL), /* UBJSON */
    AT(XGBOOST, 0, "{i\7learner", NULL),
    AT(DATA, 0, "PAR1", "Parquet"),
    AT(DATA, 0, "ARROW1", "Arrow"),
    AT(DATA, 0, "FEA1", "Feather"),
    AT(DATA, 0, "ORC", "ORC"),
    AT(DATA, 0, "SQLite format 3", "SQLite"),
    AT(DATA, 0, "MATLAB 5.0 MAT-file", "MATLAB"),
    AT(PROGRAM, 0,
       "\x7f"
       "ELF",
       "ELF"),
    AT(PROGRAM, 0, "\xcf\xfa\xed\xfe", "Mach-O"),
    AT(PROGRAM, 0, "\xfe\xed\xfa\xcf", "Mach-O"),
    AT(PROGRAM, 0, "\xca\xfe\xba\xbe", "Java or Mach-O"),
    AT(PROGRAM, 0, "MZ\x90\0", "Windows"),
    AT(PROGRAM, 0, "\0asm", "WebAssembly"),
    AT(PROGRAM, 0, "#!/", "a script"),
    AT(DOCUMENT, 0, "%PDF-", "PDF"),
    AT(DOCUMENT, 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft Office"),
    AT(MEDIA, 0, "\x89PNG\r\n\x1a\n", "PNG"),
    AT(MEDIA, 0, "\xff\xd8\xff", "JPEG"),
    AT(MEDIA, 0, "GIF8", "GIF"),
    AT(MEDIA, 0, "RIFF", "RIFF"),
    AT(MEDIA, 4, "ftyp", "MP4"),
    AT(MEDIA, 0, "OggS", "Ogg"),
    AT(MEDIA, 0, "fLaC", "FLAC"),
    AT(UTF16, 0, "\xff\xfe", NULL),
    AT(UTF16, 0, "\xfe\xff", NULL),
    AT(PACKED, 0, "BZh", "bzip2"),
    AT(PACKED, 0,
       "\xfd"
       "7zXZ\0",
       "xz"),
    AT(PACKED, 0, "\x28\xb5\x2f\xfd", "Zstandard"),
    AT(PACKED, 0, "\x04\x22\x4d\x18", "LZ4"),
    AT(PACKED, 0, "7z\xbc\xaf\x27\x1c", "7-Zip"),
    AT(PACKED, 0, "Rar!\x1a\x07", "RAR"),
};

bool cpb_foreign_signature(const cpb_file_ends *ends, cpb_foreign *found) {
  const cpb_span begin = cpb_ends_begin(ends);
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
    const signature *s = &signatures[i];
    if (begin.size < (size_t)s->at + s->size || memcmp(begin.data + s->at, s->bytes, s->size) != 0) continue;
    found->kind = s->kind;
    if (s->detail) found->detail = cpb_span_of(s->detail);
    if (s->kind == CPB_FOREIGN_RIEGELI && cpb_ends_named(ends, ".pb"))
      found->detail = cpb_span_of("whose name ends in .pb, so that no index is looked for");
    return true;
  }
  return false;
}

/* --- binary ----------------------------------------------------------------------------------- */

/* Binary formats that a signature alone does not identify. */

static bool has(cpb_span in, size_t at, const char *bytes, size_t size) {
  return in.size >= at + size && memcmp(in.data + at, bytes, size) == 0;
}

/* NAME.data-00000-of-00001 */
static bool is_shard_name(const cpb_file_ends *ends) {
  static const char pattern[] = ".data-00000-of-00000";
  const size_t size = sizeof pattern - 1;
  if (ends->name_size < size) return false;
  const char *name = ends->name + ends->name_size - size;
  for (size_t i = 0; i < size; i++)
    if (pattern[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != pattern[i]) return false;
  return true;
}

static bool is_safetensors(cpb_span in, uint64_t size) {
  enum { LENGTH = 8 };
  return in.size > LENGTH && in.data[LENGTH] == '{' && size > LENGTH && cpb_load64(in.data) <= size - LENGTH &&
         cpb_load64(in.data) >= 2;
}

/* A header of 64 bytes, then the metadata of the first array. */
static bool is_coreml_weights(cpb_span in) {
  return in.size >= 68 && cpb_load32(in.data + 4) == 2 && cpb_load32(in.data + 64) == 0xdeadbeefu;
}

/* A record begins with its length and the length's masked CRC. */
static bool is_tfrecord(cpb_span in) {
  cpb_crc32c crc;
  if (in.size < 12) return false;
  cpb_crc32c_init(&crc);
  return cpb_crc32c_mask(cpb_crc32c_extend(&crc, 0, (cpb_span){in.data, 8})) == cpb_load32(in.data + 8);
}

/* A pickle has PROTO as its first operation and STOP as its last. */
static bool is_pickle(const cpb_file_ends *ends) {
  const cpb_span in = cpb_ends_begin(ends), end = cpb_ends_end(ends);
  if (in.size < 4 || in.data[0] != 0x80 || in.data[1] < 2 || in.data[1] > 5) return false;
  return end.size == 0 || end.data[end.size - 1] == '.' || cpb_ends_named(ends, ".joblib");
}

static const char *pickled(cpb_span in) {
  static const char *const modules[] = {"torch", "sklearn", "xgboost", "lightgbm", "keras", "tensorflow", "numpy"};
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
    if (cpb_span_contains(in, cpb_span_of(modules[i]))) return modules[i];
  return "";
}

/* Invalid characters have become U+FFFD, and the rest is well-formed. */
static bool is_through_utf8(cpb_span in) {
  enum { REPLACED_LEAST = 3 };
  size_t replaced = 0, controls = 0;
  for (size_t at = 0, length; at < in.size; at += length) {
    length = cpb_utf8_length(cpb_span_from(in, at));
    if (length == 0 && in.size - at < 4) break; /* cut off */
    if (length == 0) return false;
    replaced += has(in, at, "\xef\xbf\xbd", 3);
    controls += in.data[at] < ' ' && !(in.data[at] >= '\t' && in.data[at] <= '\r');
  }
  return replaced >= REPLACED_LEAST && controls > 0;
}

/* An identifier of four characters follows the root's offset, which is small. */
static bool is_flatbuffer(cpb_span in) {
  if (in.size < 12 || in.data[2] != 0 || in.data[3] != 0 || in.data[0] % 4 != 0 || in.data[0] == 0) return false;
  for (size_t i = 4; i < 8; i++)
    if (!((in.data[i] >= 'A' && in.data[i] <= 'Z') || (i > 4 && in.data[i] >= '0' && in.data[i] <= '9'))) return false;
  return true;
}

static cpb_foreign_kind look(const cpb_file_ends *ends) {
  const cpb_span in = cpb_ends_begin(ends);
  if (is_safetensors(in, ends->size)) return CPB_FOREIGN_SAFETENSORS;
  if (is_coreml_weights(in)) return CPB_FOREIGN_COREML_WEIGHTS;
  if (is_tfrecord(in))
    return cpb_span_contains(in, cpb_span_of("brain.Event:")) ? CPB_FOREIGN_EVENTS : CPB_FOREIGN_TFRECORD;
  if (is_pickle(ends)) return CPB_FOREIGN_PICKLE;
  if (is_through_utf8(in)) return CPB_FOREIGN_UTF8;
  if (is_flatbuffer(in)) return CPB_FOREIGN_FLATBUFFER;
  if (is_shard_name(ends)) return CPB_FOREIGN_CHECKPOINT_DATA;
  if (cpb_ends_named(ends, ".mnn")) return CPB_FOREIGN_MNN;
  if (cpb_ends_named(ends, "coremldata.bin")) return CPB_FOREIGN_COREML_COMPILED;
  return CPB_FOREIGN_UNKNOWN;
}

bool cpb_foreign_binary(const cpb_file_ends *ends, cpb_foreign *found) {
  const cpb_span in = cpb_ends_begin(ends);
  found->kind = look(ends);
  if (found->kind == CPB_FOREIGN_FLATBUFFER) found->detail = (cpb_span){in.data + 4, 4};
  if (found->kind == CPB_FOREIGN_PICKLE) found->detail = cpb_span_of(pickled(in));
  return found->kind != CPB_FOREIGN_UNKNOWN;
}
