#include "model/samediff/lines.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"
#include "model/common/lists.h"

#define DIGITS_MAX 19
#define SHOWN 80

static bool no_memory(cpb_error *error) { return cpb_fail_memory(error), false; }

/* The next line without its CRLF or LF; false at the end. */
static bool next_line(cpb_span *rest, cpb_span *line) {
  if (rest->size == 0) return false;
  *line = cpb_span_take(rest, '\n');
  if (line->size > 0 && line->data[line->size - 1] == '\r') line->size--;
  return true;
}

static cpb_span text_of(const cpb_buffer *text) { return (cpb_span){text->data, text->size}; }

/* --- tags.txt ------------------------------------------------------------------- */

void cpb_sd_tags_init(cpb_sd_tags *t, const cpb_allocator *a) {
  *t = (cpb_sd_tags){.allocator = *a};
  cpb_buffer_init(&t->text, a);
}

void cpb_sd_tags_free(cpb_sd_tags *t) {
  cpb_buffer_free(&t->text);
  cpb_release(&t->allocator, t->list);
  cpb_release(&t->allocator, t->sorted);
  t->list = t->sorted = NULL;
  t->count = t->capacity = 0;
}

/* `list` keeps the order of the file, because the last tag is the default one. `sorted` is for looking names up,
 * regardless of case, as for all names in a zip. */
static int by_name(const void *a, const void *b) {
  return cpb_compare_names(((const cpb_sd_tag *)a)->name, ((const cpb_sd_tag *)b)->name);
}

/* If a tag occurs twice, the later line sorts later, with any sorting algorithm. */
static int by_name_and_line(const void *a, const void *b) {
  const cpb_sd_tag *x = a, *y = b;
  int order = by_name(a, b);
  return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool bad_tag(cpb_error *error, size_t number, cpb_span name, const char *what) {
  char shown[SHOWN];
  return CPB_FAILS(error, CPB_E_DAMAGED, CPB_NO_OFFSET, "tags.txt, line %zu: tag %s: %s", number + 1,
                   cpb_quote(shown, sizeof shown, name.data, name.size), what);
}

static bool add_tag(cpb_sd_tags *t, cpb_span name, cpb_error *error) {
  const char *problem = cpb_zip_name_problem(name);
  if (!problem && memchr(name.data, '/', name.size)) problem = "the name contains a slash";
  if (problem) return bad_tag(error, t->count, name, problem);
  if (!CPB_RESERVE(&t->allocator, &t->list, &t->capacity, t->count + 1)) return no_memory(error);
  t->list[t->count] = (cpb_sd_tag){name, t->count};
  t->count++;
  return true;
}

static bool sort_tags(cpb_sd_tags *t, cpb_error *error) {
  t->sorted = cpb_alloc(&t->allocator, t->count * sizeof *t->sorted);
  if (!t->sorted) return no_memory(error);
  memcpy(t->sorted, t->list, t->count * sizeof *t->sorted);
  qsort(t->sorted, t->count, sizeof *t->sorted, by_name_and_line);
  for (size_t i = 1; i < t->count; i++)
    if (by_name(&t->sorted[i - 1], &t->sorted[i]) == 0)
      return bad_tag(error, t->sorted[i].number, t->sorted[i].name, "tags.txt has this tag twice");
  return true;
}

bool cpb_sd_tags_read(cpb_sd_tags *t, cpb_error *error) {
  cpb_span rest = text_of(&t->text), line;
  while (next_line(&rest, &line))
    if (line.size > 0 && !add_tag(t, line, error)) return false;
  if (t->count > 0) return sort_tags(t, error);
  return CPB_FAILS(error, CPB_E_DAMAGED, CPB_NO_OFFSET, "tags.txt has no lines; expected at least one tag");
}

const cpb_sd_tag *cpb_sd_find_tag(const cpb_sd_tags *t, cpb_span name) {
  cpb_sd_tag like = {.name = name};
  const cpb_sd_tag *found = t->count > 0 ? bsearch(&like, t->sorted, t->count, sizeof like, by_name) : NULL;
  return found ? &t->list[found->number] : NULL;
}

/* --- One line --------------------------------------------------------------------- */

void cpb_sd_lines_init(cpb_sd_lines *l, const cpb_allocator *a) {
  *l = (cpb_sd_lines){.allocator = *a};
  cpb_buffer_init(&l->text, a);
}

void cpb_sd_lines_free(cpb_sd_lines *l) {
  cpb_buffer_free(&l->text);
  cpb_release(&l->allocator, l->list);
  cpb_release(&l->allocator, l->references);
  l->list = NULL;
  l->references = NULL;
  l->count = l->capacity = l->num_references = l->references_capacity = 0;
}

static bool is_number(cpb_span text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return text.size > 0 && text.size <= DIGITS_MAX;
}

/* NUMBER or TAG/NUMBER; `*tag` is empty for the former. */
static bool split_reference(cpb_span text, cpb_span *tag, cpb_span *number) {
  size_t slash = text.size;
  while (slash > 0 && text.data[slash - 1] != '/') slash--;
  *tag = (cpb_span){text.data, slash > 0 ? slash - 1 : 0};
  *number = (cpb_span){text.data + slash, text.size - slash};
  return is_number(*number) && (slash == 0 || tag->size > 0);
}

static bool is_kind(cpb_span text) {
  for (size_t i = 0; i < text.size; i++) {
    uint8_t c = text.data[i];
    if ((c < 'A' || c > 'Z') && c != '_') return false;
  }
  return text.size > 0;
}

/* Names, tags and references are separated by spaces, but names and tags may contain spaces themselves. So each space
 * is tried as the end of the name. This tells how well the rest reads as references: not at all, except for an unknown
 * tag, or well. */
typedef enum fit { FIT_NOT, FIT_BUT_FOR_TAG, FIT_WELL } fit;

static fit fit_references(cpb_span rest) {
  cpb_span tag, number;
  for (int i = 0; i < CPB_SD_REFERENCES_MAX && rest.size > 0; i++)
    if (!split_reference(cpb_span_take(&rest, ' '), &tag, &number)) return FIT_NOT;
  return rest.size == 0 ? FIT_WELL : FIT_NOT;
}

/* One reference, and perhaps a kind. Only a known tag may contain spaces. */
static fit fit_reference(const cpb_sd_lines_in *in, cpb_span rest, cpb_span *kind) {
  cpb_span tag, number;
  size_t space = rest.size;
  *kind = (cpb_span){NULL, 0};
  while (space > 0 && rest.data[space - 1] != ' ') space--;
  cpb_span last = {rest.data + space, rest.size - space};
  if (space > 0 && is_kind(last)) {
    *kind = last;
    rest.size = space - 1;
  }
  if (!split_reference(rest, &tag, &number)) return FIT_NOT;
  if (tag.size == 0 || cpb_sd_find_tag(in->tags, tag)) return FIT_WELL;
  return memchr(rest.data, ' ', rest.size) ? FIT_NOT : FIT_BUT_FOR_TAG;
}

/* The first offset at which the name may end. At most CPB_SD_REFERENCES_MAX words follow it,
 * which bounds the work on a hostile line. */
static size_t first_cut(cpb_span line) {
  size_t at = line.size;
  for (int words = 0; words <= CPB_SD_REFERENCES_MAX && at > 1; words++) {
    do at--;
    while (at > 1 && line.data[at] != ' ');
  }
  return at;
}

/* The name ends at the first space with a known name before it and references after it. Otherwise it ends at the last
 * space with references after it, or at the first one if several references are allowed. */
size_t cpb_sd_line_split(const cpb_sd_lines_in *in, cpb_span line, cpb_span *kind) {
  size_t found = 0;
  fit best = FIT_NOT;
  for (size_t i = first_cut(line); i + 1 < line.size; i++) {
    if (line.data[i] != ' ') continue;
    cpb_span rest = {line.data + i + 1, line.size - i - 1}, maybe = {NULL, 0};
    fit here = in->several ? fit_references(rest) : fit_reference(in, rest, &maybe);
    if (here == FIT_NOT || here < best) continue;
    bool known = in->is_known(in->user, (cpb_span){line.data, i});
    if (known || found == 0 || !in->several) {
      found = i;
      best = here;
      *kind = maybe;
    }
    if (known) break;
  }
  return found;
}

/* --- All of them -------------------------------------------------------------------- */

static bool bad_line(const cpb_sd_lines_in *in, size_t number, cpb_span text, const char *what) {
  char shown[SHOWN];
  return CPB_FAILS(in->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s, line %zu: %s: %s", in->file, number,
                   cpb_quote(shown, sizeof shown, text.data, text.size), what);
}

/* tag/folder/number.fb */
static const cpb_zip_entry *find_file(const cpb_sd_lines *l, const cpb_sd_lines_in *in, cpb_span tag, cpb_span number,
                                      bool *memory) {
  cpb_buffer path;
  cpb_buffer_init(&path, &l->allocator);
  *memory = cpb_buffer_append(&path, tag.data, tag.size) && cpb_buffer_append(&path, "/", 1) &&
            cpb_buffer_append(&path, in->folder, strlen(in->folder)) && cpb_buffer_append(&path, "/", 1) &&
            cpb_buffer_append(&path, number.data, number.size) && cpb_buffer_append(&path, ".fb", 3);
  const cpb_zip_entry *entry = *memory ? cpb_zip_find(in->zip, text_of(&path)) : NULL;
  cpb_buffer_free(&path);
  return entry;
}

static bool add_reference(cpb_sd_lines *l, const cpb_sd_lines_in *in, size_t number, cpb_span text) {
  cpb_span tag, file;
  bool memory;
  if (!split_reference(text, &tag, &file))
    return bad_line(in, number, text, "not a reference to a file; expected NUMBER or TAG/NUMBER");
  const cpb_sd_tag *of = tag.size > 0 ? cpb_sd_find_tag(in->tags, tag) : in->tag;
  if (!of && !in->zip->partial) return bad_line(in, number, text, "tags.txt does not have this tag");
  cpb_sd_reference r = {.text = text, .shared = of != in->tag};
  r.entry = find_file(l, in, of ? of->name : tag, file, &memory);
  if (!memory) return no_memory(in->error);
  if (!r.entry && !in->zip->partial) return bad_line(in, number, text, "the archive does not have this file");
  if (!CPB_RESERVE(&l->allocator, &l->references, &l->references_capacity, l->num_references + 1))
    return no_memory(in->error);
  l->references[l->num_references++] = r;
  return true;
}

static bool add_references(cpb_sd_lines *l, const cpb_sd_lines_in *in, size_t number, cpb_span rest) {
  if (!in->several) return add_reference(l, in, number, rest);
  while (rest.size > 0)
    if (!add_reference(l, in, number, cpb_span_take(&rest, ' '))) return false;
  return true;
}

static bool add_line(cpb_sd_lines *l, const cpb_sd_lines_in *in, size_t number, cpb_span line) {
  cpb_span kind = {NULL, 0};
  if (line.size > CPB_SD_LINE_MAX) return bad_line(in, number, line, "the line is too long");
  size_t split = cpb_sd_line_split(in, line, &kind);
  if (split == 0) return bad_line(in, number, line, "expected a name, a space and a reference to a file");
  cpb_span rest = {line.data + split + 1, line.size - split - 1};
  if (kind.size > 0) rest.size -= kind.size + 1;
  cpb_sd_line added = {.name = {line.data, split}, .kind = kind, .first = l->num_references};
  if (!add_references(l, in, number, rest)) return false;
  added.count = l->num_references - added.first;
  if (!CPB_RESERVE(&l->allocator, &l->list, &l->capacity, l->count + 1)) return no_memory(in->error);
  l->list[l->count++] = added;
  return true;
}

static bool check_names(const cpb_sd_lines *l, const cpb_sd_lines_in *in) {
  cpb_names names;
  cpb_names_init(&names, &l->allocator);
  bool good = true;
  for (size_t i = 0; i < l->count && good; i++) {
    good = cpb_names_add(&names, l->list[i].name, (uint32_t)i);
    if (!good) cpb_fail_memory(in->error);
  }
  cpb_names_sort(&names);
  for (size_t i = 0; i < l->count && good; i++) {
    good = cpb_names_find(&names, l->list[i].name) == i;
    if (!good) bad_line(in, i + 1, l->list[i].name, "the file has this name twice");
  }
  cpb_names_free(&names);
  return good;
}

bool cpb_sd_lines_read(cpb_sd_lines *l, const cpb_sd_lines_in *in) {
  cpb_span rest = text_of(&l->text), line;
  if (!cpb_utf8_valid(rest)) return bad_line(in, 1, (cpb_span){NULL, 0}, "the file is not valid UTF-8");
  for (size_t number = 1; next_line(&rest, &line); number++)
    if (line.size > 0 && !add_line(l, in, number, line)) return false;
  return check_names(l, in);
}
