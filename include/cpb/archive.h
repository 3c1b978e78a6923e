/* cpb/archive.h: the files in a zip archive, for packed models.
 *
 *     cpb_archive *archive = cpb_archive_new(NULL, NULL);
 *     while ((step = cpb_archive_step(archive)) == CPB_STEP_NEED) ...supply cpb_archive_input(archive)...
 *     if (cpb_archive_find_models(archive, &entry, 1) == 1) cpb_archive_read(archive, entry);
 *     while ((step = cpb_archive_step(archive)) == CPB_STEP_DATA) ...cpb_archive_data(archive, &size)...
 *
 * First the directory at the end of the archive is read (PKWARE's APPNOTE.TXT). Its rules are
 * stricter than those of most readers, so that all find the same files: docs/samediff-format.md
 * lists them. The content of an entry comes next, on request. A stored entry is a range of the
 * archive, so the host may read only the part that it needs. */
#ifndef CPB_ARCHIVE_H
#define CPB_ARCHIVE_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_archive cpb_archive;

typedef struct cpb_archive_entry {
  const char *name; /* UTF-8, without a NUL at its end: a path in the archive, which does not lead out of it */
  size_t name_size;
  uint64_t size;   /* of the content, in bytes */
  uint64_t packed; /* bytes in the archive */
  int stored;      /* non-zero: the content is not compressed */
} cpb_archive_entry;

/* Returns NULL when memory is short. The limits `held`, `walked` and `entries` count for the
 * directory, `decoded` for content. */
CPB_API cpb_archive *cpb_archive_new(const cpb_allocator *allocator, const cpb_limits *limits);
CPB_API void cpb_archive_free(cpb_archive *archive);
CPB_API cpb_input *cpb_archive_input(cpb_archive *archive);

/* CPB_STEP_NEED; CPB_STEP_DONE once the directory is read, and at the end of an entry;
 * CPB_STEP_DATA: some of the entry's content; CPB_STEP_ERROR: CPB_E_FORMAT: the input is not a zip
 * archive; CPB_E_DAMAGED, CPB_E_TRUNCATED, CPB_E_UNSUPPORTED (encryption, other methods than
 * DEFLATE), CPB_E_LIMIT, CPB_E_MEMORY, or the host's. */
CPB_API cpb_step cpb_archive_step(cpb_archive *archive);
CPB_API const cpb_error *cpb_archive_error(const cpb_archive *archive);

/* After the directory was read: the entries, sorted by name without regard to the case of ASCII
 * letters. cpb_archive_get() returns zero if `i` is not less than their number, cpb_archive_find()
 * SIZE_MAX for an unknown name. */
CPB_API size_t cpb_archive_count(const cpb_archive *archive);
CPB_API int cpb_archive_get(const cpb_archive *archive, size_t i, cpb_archive_entry *entry);
CPB_API size_t cpb_archive_find(const cpb_archive *archive, const char *name, size_t size);

/* Returns the number of models in the archive, and writes the first `most` of them to `entries`.
 * Models are the message of a SavedModel, the Manifest.json of a Core ML package, and files whose
 * names end in .onnx, .mlmodel or .cpb; without any of these, graphs (.pb, .pbtxt, .meta). 0 for a
 * SameDiff file, which is a zip archive itself, and for an archive of PyTorch, Keras or NumPy. */
CPB_API size_t cpb_archive_find_models(const cpb_archive *archive, size_t *entries, size_t most);

/* The next steps read the content of entry `i`, which must exist, from the beginning. */
CPB_API void cpb_archive_read(cpb_archive *archive, size_t i);

/* After CPB_STEP_DATA: bytes of the content, valid until the next step. Size and CRC-32 are only
 * checked at the end of the content. */
CPB_API const uint8_t *cpb_archive_data(const cpb_archive *archive, size_t *size);

/* After the first step of a stored entry: the offset of its content in the archive. CPB_NO_OFFSET
 * otherwise. */
CPB_API uint64_t cpb_archive_offset(const cpb_archive *archive);

#ifdef __cplusplus
}
#endif
#endif
