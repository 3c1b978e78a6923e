/* cpb/samediff.h: SameDiff zips, written from their parts.
 *
 * A SameDiff zip holds versions of a graph, each under a tag: the graph, its
 * parameters and, perhaps, a training configuration and what an updater knows about
 * each parameter. A file that a tag has may be used by other tags, too.
 * docs/samediff-format.md has the layout.
 *
 *     cpb_samediff_writer *w = cpb_samediff_writer_new(NULL, NULL);
 *     cpb_samediff_writer_tag(w, &(cpb_samediff_tag){.struct_size = sizeof(cpb_samediff_tag),
 *         .name = "FP32", .name_size = 4, .graph = graph, .graph_size = graph_size});
 *     cpb_samediff_writer_add(w, &(cpb_samediff_part){.struct_size = sizeof(cpb_samediff_part),
 *         .name = "w1", .name_size = 2, .dtype = "FLOAT", .rank = 2, .shape = shape, .source = 7});
 *     for (;;) {
 *       switch (cpb_samediff_writer_step(w)) {
 *         case CPB_STEP_NEED:   answer cpb_samediff_writer_input(w), which is then about
 *                               the values of cpb_samediff_writer_source(w), here 7; break;
 *         case CPB_STEP_OUTPUT: write cpb_samediff_writer_output(w, &offset, &length); break;
 *         case CPB_STEP_DONE:   return 0;
 *         case CPB_STEP_ERROR:  print cpb_samediff_writer_error(w)->message;
 *       }
 *     }
 *
 * With `append`, tags are added to a zip that exists, of which no byte is written again:
 * new entries come after its end, and then a new directory. The old directory and the
 * old list of tags stay behind as bytes that nobody looks at.
 *
 * What is written depends on the parts alone; with `deflate`, on zlib's version as well. */
#ifndef CPB_SAMEDIFF_H
#define CPB_SAMEDIFF_H

#include "cpb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_samediff_writer cpb_samediff_writer;

/* Zero means the default. */
typedef struct cpb_samediff_options {
  size_t struct_size;       /* sizeof(cpb_samediff_options) */
  int append;               /* tags are added to a zip, the base: see cpb_samediff_writer_source() */
  int in_place;             /* with `append`, the host writes into the base's own file. Whenever it
                               is cut off between two outputs, that file is a zip that can be read:
                               as it was before the last of them, and then with the new tags. For
                               this the first output is a copy of the old directory, behind where
                               the entries will be */
  int in_order;             /* the host can only write on: a checksum then follows its entry's data
                               instead of being written into the entry's header afterwards, which
                               some readers of zip refuse. Not with in_place */
  int deflate;              /* parameters are compressed, too. Otherwise they are stored, so that
                               each is one range of the file and begins at a multiple of 64; texts
                               and graphs are compressed in any case, where it pays */
  uint64_t max_memory;      /* bytes for the base's directory and one tag's graph; default 256 MiB
                               (64 MiB where size_t has 32 bits) */
  const cpb_limits *limits; /* `depth` counts; copied */
} cpb_samediff_options;

/* Either may be NULL. NULL when memory is short. */
CPB_API cpb_samediff_writer *cpb_samediff_writer_new(const cpb_allocator *allocator,
                                                     const cpb_samediff_options *options);
CPB_API void cpb_samediff_writer_free(cpb_samediff_writer *writer);

/* --- Parts ---------------------------------------------------------------- */

/* These are taken before the first step. What is wrong with one is what the call answers,
 * or comes from a step before anything is put out; after an error nothing is taken any
 * more, and the first step says it again. Texts are UTF-8 and copied; they need no NUL. */

/* Tags come oldest first: the last is the default of those who do not name one. The name
 * must do for a folder; those that differ only in the case of ASCII letters are the same. */
typedef struct cpb_samediff_tag {
  size_t struct_size; /* sizeof(cpb_samediff_tag) */
  const char *name;
  size_t name_size;
  const void *graph; /* FlatBuffers, root FlatGraph. Not copied: must stay until the end.
                        Arrays that are in it, as ND4J saves them, are left out of what
                        is written: they have to come as parts */
  size_t graph_size;
  const char *training; /* the training configuration, JSON; NULL for none */
  size_t training_size;
} cpb_samediff_tag;

CPB_API cpb_code cpb_samediff_writer_tag(cpb_samediff_writer *writer, const cpb_samediff_tag *tag);

typedef enum cpb_samediff_what {
  CPB_SAMEDIFF_PARAMETER = 0, /* each VARIABLE and CONSTANT of the graph must have one;
                                 further ones may be there */
  CPB_SAMEDIFF_STATE,         /* of the updater, for a variable of the graph; several for one name
                                 must follow each other */
  CPB_SAMEDIFF_MAP            /* a line of params_maps.txt */
} cpb_samediff_what;

/* One of three: an array (dtype is given), what another tag has (tag is given), or
 * content that is taken as it is (neither is), as every MAP is. */
typedef struct cpb_samediff_part {
  size_t struct_size; /* sizeof(cpb_samediff_part) */
  cpb_samediff_what what;
  const char *name; /* no control characters; together with the graph's names it must
                       be possible to tell where the name ends in a line */
  size_t name_size;
  /* an array, at most 2 GiB: */
  const char *dtype;     /* ND4J's name, such as "FLOAT", or NumPy's, such as "<f4" */
  const uint64_t *shape; /* `rank` numbers; copied */
  uint32_t rank;         /* at most 32 */
  int fortran_order;     /* the first dimension varies fastest in the values */
  int big_endian;        /* the values come so; ">f4" says it as well */
  int empty;             /* no values at all, though the rank be 0. A dimension of 0 says it
                            as well */
  /* what the host will be asked for: */
  uint64_t size;    /* bytes. Of an array it may be 0, which means what shape and type
                       make, but for texts: they come as the format has them */
  uint64_t source;  /* a number of the host's */
  const char *kind; /* content as it is: what params.txt calls it, such as "MAP" (capital
                       letters and _) */
  /* what another tag has, or this one: */
  const char *tag; /* one that is added (also later), or is in the base */
  size_t tag_size;
  const char *of; /* the name there; NULL: the same */
  size_t of_size;
  uint32_t state; /* STATE: which of that name's, from 1; 0 means 1 */
} cpb_samediff_part;

/* Of the tag that was given last. */
CPB_API cpb_code cpb_samediff_writer_add(cpb_samediff_writer *writer, const cpb_samediff_part *part);

/* --- Writing -------------------------------------------------------------- */

/* CPB_STEP_NEED, CPB_STEP_OUTPUT, CPB_STEP_DONE after the last byte; CPB_STEP_ERROR. */
CPB_API cpb_step cpb_samediff_writer_step(cpb_samediff_writer *writer);

#define CPB_SAMEDIFF_BASE UINT64_MAX

/* After CPB_STEP_NEED: what the need is about. CPB_SAMEDIFF_BASE: the zip that tags are
 * added to, of which all that is needed is read before the first output. Otherwise the part
 * that has this number: offsets count from its first byte, its size is known, and it is read
 * once, from front to back. */
CPB_API uint64_t cpb_samediff_writer_source(const cpb_samediff_writer *writer);
CPB_API cpb_input *cpb_samediff_writer_input(cpb_samediff_writer *writer);

/* After CPB_STEP_OUTPUT: bytes to write at `offset`, valid until the next step. Offsets
 * begin at 0 or where the base ends, and follow each other without gaps except that an
 * entry's header is written again (not with `in_order`), and as `in_place` says. */
CPB_API const uint8_t *cpb_samediff_writer_output(const cpb_samediff_writer *writer, uint64_t *offset, size_t *length);

/* After CPB_STEP_OUTPUT, with in_place: not 0 where a host that wants to be safe from a
 * loss of power must see all earlier outputs on the disk before it writes this one. That
 * concerns the second and the last. Each of the two copies of a directory, the first and
 * the last output, should be one write. */
CPB_API int cpb_samediff_writer_settles(const cpb_samediff_writer *writer);

/* Bytes of parts that were taken, and in all. */
CPB_API void cpb_samediff_writer_progress(const cpb_samediff_writer *writer, uint64_t *done, uint64_t *total);

CPB_API const cpb_error *cpb_samediff_writer_error(const cpb_samediff_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
