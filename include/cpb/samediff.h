/* cpb/samediff.h: SameDiff zips, written from their parts.
 *
 * A SameDiff zip holds versions of a graph, each under a tag: the graph itself
 * (FlatBuffers), its parameters and, perhaps, a training configuration and the
 * state that an updater keeps for each parameter. Tags may share files.
 * docs/samediff-format.md has the layout.
 *
 *     cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, NULL);
 *     cpb_samediff_writer_tag(w, &(cpb_samediff_tag){.struct_size = sizeof(cpb_samediff_tag),
 *         .name = "FP32", .name_size = 4, .graph = graph, .graph_size = graph_size});
 *     cpb_samediff_writer_add(w, &(cpb_samediff_part){.struct_size = sizeof(cpb_samediff_part),
 *         .name = "w1", .name_size = 2, .dtype = "FLOAT", .rank = 2, .shape = shape, .source = 7});
 *     for (;;) {
 *       switch (cpb_samediff_writer_step(w)) {
 *         case CPB_STEP_NEED:
 *           ...supply cpb_samediff_writer_input(w) with values of the part that
 *              cpb_samediff_writer_source(w) names, here 7...
 *           break;
 *         case CPB_STEP_OUTPUT:
 *           data = cpb_samediff_writer_output(w, &offset, &length);
 *           ...write it...
 *           break;
 *         default: return cpb_samediff_writer_error(w)->code;
 *       }
 *     }
 *
 * With `append`, tags are added to an existing zip, the base. No byte of it
 * changes: new entries come after its end, then a new directory. The old directory
 * and the old list of tags stay behind as unused bytes.
 *
 * The output depends on the parts alone; with `deflate` also on zlib's version. */
#ifndef CPB_SAMEDIFF_H
#define CPB_SAMEDIFF_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_samediff_writer cpb_samediff_writer;

typedef struct cpb_samediff_options {
  /* sizeof(cpb_samediff_options) */
  size_t struct_size;

  /* Non-zero: tags are added to a base; see cpb_samediff_writer_source(). */
  int append;

  /* Non-zero, with `append`: the host writes into the base's own file. If writing stops between two
   * outputs, this file can still be read: with the old tags before the last output, and with the
   * new tags after it. For this the first output is a copy of the old directory, behind the space
   * for the new entries. */
  int in_place;

  /* Non-zero: the host can only write in order. A checksum then follows the data of its entry (a
   * data descriptor), and is not written into the entry's header afterwards; some zip readers
   * refuse that. Not with `in_place`. */
  int in_order;

  /* Non-zero: parameters are compressed. Zero: they are stored, each as one range of the file that
   * begins at a multiple of 64. Texts and graphs are always compressed if that pays. */
  int deflate;

  /* Bytes for the base's directory and the graph of one tag. Default 256 MiB; 64 MiB where
   * size_t has 32 bits. */
  uint64_t max_memory;

  /* `depth` counts; copied. */
  const cpb_limits *limits;
} cpb_samediff_options;

/* Returns NULL when memory is short. */
CPB_API cpb_samediff_writer *cpb_samediff_writer_new(const cpb_allocator *allocator,
                                                     const cpb_samediff_options *options);
CPB_API void cpb_samediff_writer_free(cpb_samediff_writer *writer);

/* --- Parts ---------------------------------------------------------------- */

/* Tags and their parts are given before the first step. Texts are UTF-8 and copied. Each call
 * returns the code of the writer's error, which may also come from a step before the first output;
 * after an error the writer ignores further parts. */

/* A tag. Give tags from the oldest to the newest, which is the default of readers. */
typedef struct cpb_samediff_tag {
  /* sizeof(cpb_samediff_tag) */
  size_t struct_size;

  /* Must be a valid name of a folder. Names that differ only in the case of ASCII letters are the
   * same. */
  const char *name;
  size_t name_size;

  /* FlatBuffers, root FlatGraph. Not copied: must stay valid until the last step. Arrays in it, as
   * ND4J saves them, are not written: add them as parts. */
  const void *graph;
  size_t graph_size;

  /* The training configuration, JSON, or NULL. */
  const char *training;
  size_t training_size;
} cpb_samediff_tag;

CPB_API cpb_code cpb_samediff_writer_tag(cpb_samediff_writer *writer, const cpb_samediff_tag *tag);

typedef enum cpb_samediff_what {
  CPB_SAMEDIFF_PARAMETER = 0, /* each VARIABLE and CONSTANT of the graph must have one;
                                 there may be others */
  CPB_SAMEDIFF_STATE,         /* of the updater, for a variable of the graph; those of the
                                 same name follow each other */
  CPB_SAMEDIFF_MAP            /* a line of params_maps.txt */
} cpb_samediff_what;

/* A part of a tag, one of three: an array (`dtype` is set), a reference to a part
 * of a tag (`tag` is set), or content that is written unchanged (neither is set),
 * as for every MAP. */
typedef struct cpb_samediff_part {
  /* sizeof(cpb_samediff_part) */
  size_t struct_size;

  cpb_samediff_what what;

  /* Without control characters. In a line of the list, the end of this name and of each
   * name in the graph must be unambiguous. */
  const char *name;
  size_t name_size;

  /* --- an array, of at most 2 GiB: */

  /* ND4J's name of the type, such as "FLOAT", or NumPy's, such as "<f4". */
  const char *dtype;

  /* `rank` numbers, at most 32; copied. */
  const uint64_t *shape;
  uint32_t rank;

  /* Non-zero: the values come in column-major order; as big-endian numbers (which ">f4" also
   * means). */
  int fortran_order;
  int big_endian;

  /* Non-zero: the array has no values, even with rank 0. A dimension of 0 also
   * means this. */
  int empty;

  /* --- an array or content, which the writer will request: */

  /* In bytes. For an array it may be 0: type and shape then determine it, except for strings, which
   * come in the form of the format. */
  uint64_t size;

  /* A number by which the host identifies it. */
  uint64_t source;

  /* Content: its kind in params.txt, such as "MAP" (capital letters and _). */
  const char *kind;

  /* --- a reference to a part of a tag: */

  /* A tag that is added, now or later, or is in the base. */
  const char *tag;
  size_t tag_size;

  /* The name there; NULL: the same name. */
  const char *of;
  size_t of_size;

  /* STATE: its number among the states with that name, from 1; 0 means 1. */
  uint32_t state;
} cpb_samediff_part;

/* Adds a part to the tag that was given last. */
CPB_API cpb_code cpb_samediff_writer_add(cpb_samediff_writer *writer, const cpb_samediff_part *part);

/* --- Writing -------------------------------------------------------------- */

/* CPB_STEP_NEED; CPB_STEP_OUTPUT; CPB_STEP_DONE after the last byte; CPB_STEP_ERROR. */
CPB_API cpb_step cpb_samediff_writer_step(cpb_samediff_writer *writer);

#define CPB_SAMEDIFF_BASE UINT64_MAX

/* After CPB_STEP_NEED: the owner of the needed bytes. CPB_SAMEDIFF_BASE: the base, which is only
 * read before the first output. Otherwise the part with this `source`: offsets count from its first
 * byte, its size is known, and it is read once, in order. */
CPB_API uint64_t cpb_samediff_writer_source(const cpb_samediff_writer *writer);
CPB_API cpb_input *cpb_samediff_writer_input(cpb_samediff_writer *writer);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next step. Offsets begin at 0,
 * or at the end of the base, and follow each other without gaps, except that the header of an entry
 * is written again (unless `in_order`), and for `in_place`. */
CPB_API const uint8_t *cpb_samediff_writer_output(const cpb_samediff_writer *writer, uint64_t *offset, size_t *length);

/* After CPB_STEP_OUTPUT with `in_place`: non-zero when this output needs a barrier. A host that
 * wants the file to survive a loss of power makes sure that all earlier outputs are on the disk
 * (cpb_output_sync() in cpb/file.h) before it writes this one. The second output and the last need
 * one. The first and the last, each a directory, should be one write. */
CPB_API int cpb_samediff_writer_needs_sync(const cpb_samediff_writer *writer);

/* Bytes of parts that were written, and of all parts. */
CPB_API void cpb_samediff_writer_progress(const cpb_samediff_writer *writer, uint64_t *done, uint64_t *total);

CPB_API const cpb_error *cpb_samediff_writer_error(const cpb_samediff_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
