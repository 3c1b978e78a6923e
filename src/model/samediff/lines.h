/* The text files of a SameDiff zip: tags.txt, and the lines of params.txt,
 * updater.txt and params_maps.txt that lead from names to files. */
#ifndef CPB_MODEL_SAMEDIFF_LINES_H
#define CPB_MODEL_SAMEDIFF_LINES_H

#include "model/formats/zip/zip.h"

#define CPB_SD_LINE_MAX ((size_t)64 << 10)
#define CPB_SD_REFERENCES_MAX 64 /* in a line; the states of an updater are three at most */

/* --- tags.txt ----------------------------------------------------------------- */

typedef struct cpb_sd_tag {
  cpb_span name;
  size_t number; /* the line, from 0: the oldest is first */
} cpb_sd_tag;

typedef struct cpb_sd_tags {
  cpb_allocator allocator;
  cpb_buffer text;
  cpb_sd_tag *list;
  cpb_sd_tag *sorted; /* by name, without regard to case */
  size_t count, capacity;
} cpb_sd_tags;

void cpb_sd_tags_init(cpb_sd_tags *tags, const cpb_allocator *a);
void cpb_sd_tags_free(cpb_sd_tags *tags);

/* Of `tags->text`. False with the error set. */
bool cpb_sd_tags_read(cpb_sd_tags *tags, cpb_error *error);

/* NULL when there is none. The case of ASCII letters does not count. */
const cpb_sd_tag *cpb_sd_find_tag(const cpb_sd_tags *tags, cpb_span name);

/* --- Lines ---------------------------------------------------------------------- */

typedef struct cpb_sd_reference {
  cpb_span text;              /* as it is written, such as "7" or "FP32/7" */
  const cpb_zip_entry *entry; /* NULL: of a partial archive, which does not have it */
  bool shared;                /* of another tag, or written as if it were */
} cpb_sd_reference;

typedef struct cpb_sd_line {
  cpb_span name;
  cpb_span kind;       /* such as "MAP"; empty for an array */
  size_t first, count; /* of the references */
} cpb_sd_line;

typedef struct cpb_sd_lines {
  cpb_allocator allocator;
  cpb_buffer text;
  cpb_sd_line *list;
  size_t count, capacity;
  cpb_sd_reference *references;
  size_t num_references, references_capacity;
} cpb_sd_lines;

/* What is needed to understand them. */
typedef struct cpb_sd_lines_in {
  const cpb_zip *zip;
  const cpb_sd_tags *tags;
  const cpb_sd_tag *tag; /* whose file it is */
  const char *file;      /* "params.txt" */
  const char *folder;    /* "params" */
  bool several;          /* references in a line */
  /* Names may hold spaces: one that is known is taken for the name. */
  bool (*is_known)(const void *user, cpb_span name);
  const void *user;
  cpb_error *error;
} cpb_sd_lines_in;

void cpb_sd_lines_init(cpb_sd_lines *lines, const cpb_allocator *a);
void cpb_sd_lines_free(cpb_sd_lines *lines);

/* Where the name in a line ends, which is not empty; 0 when it is no such line. Of `in`,
 * what is known of tags and names counts. */
size_t cpb_sd_line_split(const cpb_sd_lines_in *in, cpb_span line, cpb_span *kind);

/* Of `lines->text`. Each name is there once, and every file that is referred to is
 * in the archive, unless it is partial; else false with the error set. */
bool cpb_sd_lines_read(cpb_sd_lines *lines, const cpb_sd_lines_in *in);

#endif
