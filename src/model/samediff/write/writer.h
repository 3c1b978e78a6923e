/* The writer of SameDiff zips: its state, and the graph file without values. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_WRITER_H
#define CPB_MODEL_SAMEDIFF_WRITE_WRITER_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/samediff.h"
#include "model/common/lists.h"
#include "model/formats/zip/deflate.h"
#include "model/formats/zip/write.h"
#include "model/samediff/array.h"
#include "model/samediff/graph.h"
#include "model/samediff/model.h"

/* --- state ------------------------------------------------------------------------------------ */

/* The state of a cpb_samediff_writer. given.c accepts its tags and parts; writer.c runs the steps, reads the file that
 * tags are added to, checks each tag and writes its texts; shares.c finds shared files; files.c writes the zip. */

#define CPB_SD_SECTIONS 3 /* indexed by cpb_samediff_what */

typedef struct cpb_sd_section {
  const char *file, *folder;
  bool several;     /* references in a line */
  unsigned of_base; /* CPB_SD_...: the parts of a tag to load */
} cpb_sd_section;

extern const cpb_sd_section cpb_sd_sections[CPB_SD_SECTIONS];

typedef struct cpb_sd_new_part {
  uint32_t tag; /* the tag that has it */
  uint8_t section;
  bool shared;
  cpb_sd_text name, kind;
  cpb_sd_text head; /* its own: the part of its file before the values */
  unsigned item;    /* its own: bytes of a value, for changing the byte order; 1: unchanged */
  uint64_t size, source, number;
  cpb_sd_text of_tag, of;           /* for shared ones */
  uint32_t state;                   /* from 0 */
  size_t leads_to;                  /* the part whose file it uses; that file is not shared, or is the base's */
  cpb_sd_text reference, base_kind; /* the base's, in base_texts */
} cpb_sd_new_part;

typedef struct cpb_sd_new_tag {
  cpb_sd_text name, training; /* training: the whole file */
  cpb_span graph;
  cpb_buffer stripped;                /* the graph without its arrays, if it had some */
  size_t first, count;                /* of its parts */
  uint64_t own[CPB_SD_SECTIONS];      /* number of files of its own */
  cpb_names names[CPB_SD_SECTIONS];   /* each maps to the first part of that name */
  cpb_sd_text lines[CPB_SD_SECTIONS]; /* ranges of `lines` */
} cpb_sd_new_tag;

/* A file of the zip: `content`, and then a part's values. */
typedef struct cpb_sd_new_file {
  cpb_sd_text name; /* a range of file_names */
  cpb_span content;
  const cpb_sd_new_part *part; /* NULL: none */
} cpb_sd_new_file;

typedef enum cpb_sd_write_stage {
  CPB_SD_WRITE_CHECK,
  CPB_SD_WRITE_BASE,
  CPB_SD_WRITE_TAGS,
  CPB_SD_WRITE_SHARES,
  CPB_SD_WRITE_PLAN,
  CPB_SD_WRITE_FIRST,
  CPB_SD_WRITE_NEXT,
  CPB_SD_WRITE_VALUES,
  CPB_SD_WRITE_DONE
} cpb_sd_write_stage;

struct cpb_samediff_writer {
  cpb_allocator allocator;
  cpb_samediff_options options;
  cpb_error error;
  cpb_sd_write_stage stage;
  cpb_buffer texts; /* the given texts, and heads */
  cpb_sd_new_tag *tags;
  size_t num_tags, tags_capacity;
  cpb_sd_new_part *parts;
  size_t num_parts, parts_capacity;
  cpb_sd_tags all_tags; /* tags.txt: the base's tags and the new ones */
  cpb_buffer lines, file_names;

  cpb_sd_model base;
  size_t next_share; /* of the base: the next part to examine */
  cpb_buffer base_texts;
  cpb_buffer base_directory; /* the original bytes */
  cpb_buffer base_comment;
  uint64_t base_end; /* in place: the end of the copied directory */

  cpb_sd_new_file *files;
  size_t num_files, files_capacity, next_file;
  uint64_t done, total; /* bytes of parts */

  cpb_zip_writing zip;
  cpb_input values;     /* of the current part */
  bool wants_values;    /* the host must provide these, and not the base */
  uint64_t taken;       /* bytes of the part taken so far */
  cpb_span lent, plain; /* not yet converted; not yet written */
  cpb_sd_swap swap;
  cpb_deflate *deflate; /* during the compression of an entry */
  bool ended;           /* that stream has ended */
  uint8_t *room;        /* for its output */

  cpb_buffer out;
  cpb_span piece; /* output for position `at` */
  uint64_t at;
  bool needs_sync;
};

cpb_span cpb_sd_writer_text(const cpb_samediff_writer *w, cpb_sd_text text);

/* Both return false, with the error set. */
bool cpb_sd_writer_no_memory(cpb_samediff_writer *w);
bool cpb_sd_writer_misused(cpb_samediff_writer *w, const char *what);
/* "tag T: WHAT" and "tag T, name N: WHAT". */
bool cpb_sd_refuse_tag(cpb_samediff_writer *w, const cpb_sd_new_tag *tag, const char *what);
bool cpb_sd_refuse_part(cpb_samediff_writer *w, const cpb_sd_new_part *part, const char *what);

/* All return false with the error set. */

/* The names of each tag's parts. */
bool cpb_sd_write_index(cpb_samediff_writer *w);
/* tags.txt: the base's tags and the new ones. */
bool cpb_sd_write_tags(cpb_samediff_writer *w);
/* Finds the files that new tags share with each other. */
bool cpb_sd_write_share(cpb_samediff_writer *w);

/* The new tag with this name, or NULL. Call it after cpb_sd_write_tags(). */
const cpb_sd_new_tag *cpb_sd_find_new_tag(const cpb_samediff_writer *w, cpb_span name);

/* Lists the files. False with the error set. */
bool cpb_sd_write_list(cpb_samediff_writer *w);

/* Writes the next piece. */
cpb_step cpb_sd_write_files(cpb_samediff_writer *w);

/* --- build ------------------------------------------------------------------------------------ */

/* Builds tables of ND4J: the part of an array's file before the values, and the file with a training configuration. */

/* FlatBuffers' limit for a buffer. */
#define CPB_SD_BUFFER_MAX ((uint64_t)INT32_MAX)

/* Appends a FlatArray up to its values: `array->values_size` bytes, big-endian, which follow at a multiple of 64. Uses
 * only dtype, rank, shape, order and empty of `array`. False if memory is short. */
bool cpb_sd_build_array(const cpb_sd_array *array, cpb_buffer *out);

/* A FlatGraph that only has a training configuration, in the form in which ND4J's own graphs have it. */
bool cpb_sd_build_training(cpb_span json, cpb_buffer *out);

/* --- strip ------------------------------------------------------------------------------------ */

/* A graph without its arrays, as a zip has it: they are files of their own there. */

/* Whether any variable of the loaded graph has its array in the graph. */
bool cpb_sd_has_arrays(const cpb_sd_graph *graph);

/* Appends the same graph to `out`, without variables' arrays (but with their shapes), the
 * updater's state and sequence items. False with the graph's error set. */
bool cpb_sd_strip(cpb_sd_graph *graph, cpb_buffer *out);

#endif
