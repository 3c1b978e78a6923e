/* What is inside a cpb_samediff_writer. Its tags and parts come in through given.c; writer.c takes
 * the steps, reads what tags are added to, checks each tag and writes its texts; shares.c finds what is shared; files.c
 * puts the zip out. */
#ifndef CPB_MODEL_SAMEDIFF_WRITE_STATE_H
#define CPB_MODEL_SAMEDIFF_WRITE_STATE_H

#include "cpb/samediff.h"

#include "model/common/names.h"
#include "model/formats/zip/deflate.h"
#include "model/formats/zip/write.h"
#include "model/samediff/byte_order.h"
#include "model/samediff/model.h"

#define CPB_SD_SECTIONS 3 /* by cpb_samediff_what */

typedef struct cpb_sd_section {
  const char *file, *folder;
  bool several;     /* references in a line */
  unsigned of_base; /* CPB_SD_...: what of a tag has to be loaded */
} cpb_sd_section;

extern const cpb_sd_section cpb_sd_sections[CPB_SD_SECTIONS];

typedef struct cpb_sd_new_part {
  uint32_t tag; /* whose it is */
  uint8_t section;
  bool shared;
  cpb_sd_text name, kind;
  cpb_sd_text head; /* own: of its file, before the values */
  unsigned item;    /* own: bytes of a value whose order is to be turned; 1: of none */
  uint64_t size, source, number;
  cpb_sd_text of_tag, of;           /* shared ones */
  uint32_t state;                   /* from 0 */
  size_t leads_to;                  /* the part whose file it uses, which is not shared or is the base's */
  cpb_sd_text reference, base_kind; /* the base's; in base_texts */
} cpb_sd_new_part;

typedef struct cpb_sd_new_tag {
  cpb_sd_text name, training; /* training: the whole file */
  cpb_span graph;
  cpb_buffer stripped;                /* the graph, if it had arrays in it */
  size_t first, count;                /* of its parts */
  uint64_t own[CPB_SD_SECTIONS];      /* files that are its own */
  cpb_names names[CPB_SD_SECTIONS];   /* each leads to its first part */
  cpb_sd_text lines[CPB_SD_SECTIONS]; /* in `lines` */
} cpb_sd_new_tag;

/* A file of the zip: `content`, and then a part's values. */
typedef struct cpb_sd_new_file {
  cpb_sd_text name; /* in file_names */
  cpb_span content;
  const cpb_sd_new_part *part; /* NULL: nothing follows */
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
  cpb_buffer texts; /* what was given, and heads */
  cpb_sd_new_tag *tags;
  size_t num_tags, tags_capacity;
  cpb_sd_new_part *parts;
  size_t num_parts, parts_capacity;
  cpb_sd_tags all_tags; /* the base's and the new ones: tags.txt */
  cpb_buffer lines, file_names;

  cpb_sd_model base;
  size_t next_share; /* of the base: the part to be looked at */
  cpb_buffer base_texts;
  cpb_buffer base_directory; /* as it is */
  cpb_buffer base_comment;
  uint64_t base_end; /* in place: where the copy of the directory ends */

  cpb_sd_new_file *files;
  size_t num_files, files_capacity, next_file;
  uint64_t done, total; /* bytes of parts */

  cpb_zip_writing zip;
  cpb_input values;     /* of the part at hand */
  bool wants_values;    /* the host is asked for these, not for the base */
  uint64_t taken;       /* of the part */
  cpb_span lent, plain; /* not yet turned; not yet written */
  cpb_sd_swap swap;
  cpb_deflate *deflate; /* while an entry is being compressed */
  bool ended;           /* that stream */
  uint8_t *room;        /* for what it makes */

  cpb_buffer out;
  cpb_span piece; /* what is put out, for `at` */
  uint64_t at;
  bool needs_sync;
};

cpb_span cpb_sd_writer_text(const cpb_samediff_writer *w, cpb_sd_text text);

/* These give false, with the error set. */
bool cpb_sd_writer_no_memory(cpb_samediff_writer *w);
bool cpb_sd_writer_misused(cpb_samediff_writer *w, const char *what);
/* "tag T: WHAT" and "tag T, name N: WHAT". */
bool cpb_sd_refuse_tag(cpb_samediff_writer *w, const cpb_sd_new_tag *tag, const char *what);
bool cpb_sd_refuse_part(cpb_samediff_writer *w, const cpb_sd_new_part *part, const char *what);

/* Each is false with the error set. */

/* The names of each tag's parts. */
bool cpb_sd_write_index(cpb_samediff_writer *w);
/* tags.txt: the base's tags and the new ones. */
bool cpb_sd_write_tags(cpb_samediff_writer *w);
/* Finds what new tags share with each other. */
bool cpb_sd_write_share(cpb_samediff_writer *w);

/* The new tag of this name, or NULL. After cpb_sd_write_tags(). */
const cpb_sd_new_tag *cpb_sd_find_new_tag(const cpb_samediff_writer *w, cpb_span name);

/* Lists them. False with the error set. */
bool cpb_sd_write_list(cpb_samediff_writer *w);

/* Puts out what comes next. */
cpb_step cpb_sd_write_files(cpb_samediff_writer *w);

#endif
