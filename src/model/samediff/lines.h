/* The text files of a SameDiff zip: tags.txt; and params.txt, updater.txt and params_maps.txt, whose lines map names to
 * files. */
#ifndef CPB_MODEL_SAMEDIFF_LINES_H
#define CPB_MODEL_SAMEDIFF_LINES_H

#include "model/formats/zip/zip.h"

#define CPB_SD_LINE_MAX ((size_t)64 << 10)
#define CPB_SD_REFERENCES_MAX 64 /* in a line; an updater has at most three states */

/* --- tags.txt ----------------------------------------------------------------- */

typedef struct cpb_sd_tag {
  cpb_span name;
  size_t number; /* the line, from 0; the oldest tag is first */
} cpb_sd_tag;

typedef struct cpb_sd_tags {
  cpb_allocator allocator;
  cpb_buffer text;
  cpb_sd_tag *list;
  cpb_sd_tag *sorted; /* by name, ignoring case */
  size_t count, capacity;
} cpb_sd_tags;

void cpb_sd_tags_init(cpb_sd_tags *tags, const cpb_allocator *a);
void cpb_sd_tags_free(cpb_sd_tags *tags);

/* Reads `tags->text`. False with the error set. */
bool cpb_sd_tags_read(cpb_sd_tags *tags, cpb_error *error);

/* NULL if it does not exist. Ignores ASCII case. */
const cpb_sd_tag *cpb_sd_find_tag(const cpb_sd_tags *tags, cpb_span name);

/* --- Lines ---------------------------------------------------------------------- */

typedef struct cpb_sd_reference {
  cpb_span text;              /* as written, such as "7" or "FP32/7" */
  const cpb_zip_entry *entry; /* NULL if a partial archive lacks it */
  bool shared;                /* the file belongs to another tag, or the reference is written that way */
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

/* The context of the lines. */
typedef struct cpb_sd_lines_in {
  const cpb_zip *zip;
  const cpb_sd_tags *tags;
  const cpb_sd_tag *tag; /* the tag of the file */
  const char *file;      /* "params.txt" */
  const char *folder;    /* "params" */
  bool several;          /* references in a line */
  /* Names may contain spaces: a known name is recognized. */
  bool (*is_known)(const void *user, cpb_span name);
  const void *user;
  cpb_error *error;
} cpb_sd_lines_in;

void cpb_sd_lines_init(cpb_sd_lines *lines, const cpb_allocator *a);
void cpb_sd_lines_free(cpb_sd_lines *lines);

/* Where the name in a line ends, or 0 if the line is malformed; names are not empty. Depends on the tags and names that
 * `in` knows. */
size_t cpb_sd_line_split(const cpb_sd_lines_in *in, cpb_span line, cpb_span *kind);

/* Reads `lines->text`. Names must be unique, and every referenced file must be in the archive unless that is partial;
 * otherwise false with the error set. */
bool cpb_sd_lines_read(cpb_sd_lines *lines, const cpb_sd_lines_in *in);

#endif
