/* Bytes at fixed places of files, from each format's documentation. */
#include "model/common/guess.h"
#include "model/common/spans.h"
#include "model/foreign/foreign.h"

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
