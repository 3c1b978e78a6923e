/* Indexes the parts of each new tag by name, and finds the file that a shared part refers to. */
#include "model/samediff/write/writer.h"

#include "base/status.h"
#include "model/common/cursor.h"

#define TAGS "tags.txt"

static bool follows(const cpb_samediff_writer *w, const cpb_sd_new_part *part, size_t first) {
  const cpb_sd_new_part *before = part - 1;
  return part > &w->parts[first] && before->section == part->section &&
         cpb_span_equal(cpb_sd_writer_text(w, before->name), cpb_sd_writer_text(w, part->name));
}

/* Indexes a tag's names, which must be unique. Consecutive states of the updater under one name count as one. */
static bool index_tag(cpb_samediff_writer *w, cpb_sd_new_tag *tag) {
  for (size_t i = tag->first; i < tag->first + tag->count; i++) {
    const cpb_sd_new_part *part = &w->parts[i];
    if (cpb_sd_sections[part->section].several && follows(w, part, tag->first)) continue;
    if (!cpb_names_add(&tag->names[part->section], cpb_sd_writer_text(w, part->name), (uint32_t)i))
      return cpb_sd_writer_no_memory(w);
  }
  for (int s = 0; s < CPB_SD_SECTIONS; s++) {
    cpb_names *names = &tag->names[s];
    cpb_names_sort(names);
    for (size_t i = 1; i < names->count; i++)
      if (cpb_span_equal(names->items[i - 1].text, names->items[i].text))
        return cpb_sd_refuse_part(w, &w->parts[names->items[i].what], "the tag has this name twice");
  }
  return true;
}

bool cpb_sd_write_index(cpb_samediff_writer *w) {
  for (size_t i = 0; i < w->num_tags; i++)
    if (!index_tag(w, &w->tags[i])) return false;
  return true;
}

/* --- tags.txt ---------------------------------------------------------------------- */

static bool put_tag(cpb_samediff_writer *w, const cpb_sd_new_tag *tag) {
  cpb_span name = cpb_sd_writer_text(w, tag->name);
  const char *problem = cpb_zip_name_problem(name);
  if (!problem && memchr(name.data, '/', name.size)) problem = "the name contains a slash";
  if (!problem && cpb_compare_names(name, cpb_span_of(TAGS)) == 0)
    problem = "tags.txt is the list of tags, and cannot be a tag";
  if (problem) return cpb_sd_refuse_tag(w, tag, problem);
  cpb_buffer *text = &w->all_tags.text;
  return (cpb_buffer_append(text, name.data, name.size) && cpb_buffer_append(text, "\n", 1)) ||
         cpb_sd_writer_no_memory(w);
}

bool cpb_sd_write_tags(cpb_samediff_writer *w) {
  const cpb_buffer *old = &w->base.parts.tags.text;
  cpb_buffer *text = &w->all_tags.text;
  bool good = cpb_buffer_append(text, old->data, old->size) &&
              (text->size == 0 || text->data[text->size - 1] == '\n' || cpb_buffer_append(text, "\n", 1));
  if (!good) return cpb_sd_writer_no_memory(w);
  for (size_t i = 0; i < w->num_tags; i++)
    if (!put_tag(w, &w->tags[i])) return false;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (cpb_sd_tags_read(&w->all_tags, &error)) return true;
  return CPB_FAILS(&w->error, error.code == CPB_E_MEMORY ? CPB_E_MEMORY : CPB_E_USAGE, CPB_NO_OFFSET, "%s",
                   error.message);
}

const cpb_sd_new_tag *cpb_sd_find_new_tag(const cpb_samediff_writer *w, cpb_span name) {
  const cpb_sd_tag *found = cpb_sd_find_tag(&w->all_tags, name);
  size_t old = w->all_tags.count - w->num_tags;
  return found && found->number >= old ? &w->tags[found->number - old] : NULL;
}

/* --- Among new tags ---------------------------------------------------------------- */

/* Finds the part that a shared part names. */
static bool find_shared(cpb_samediff_writer *w, const cpb_sd_new_part *part, size_t *found) {
  const cpb_sd_new_tag *tag = cpb_sd_find_new_tag(w, cpb_sd_writer_text(w, part->of_tag));
  cpb_span name = cpb_sd_writer_text(w, part->of);
  uint32_t first = cpb_names_find(&tag->names[part->section], name);
  *found = (size_t)first + part->state;
  bool there = first != CPB_NO_NAME && part->state < tag->first + tag->count - first;
  if (there && part->state > 0)
    there =
        w->parts[*found].section == part->section && cpb_span_equal(cpb_sd_writer_text(w, w->parts[*found].name), name);
  return there || cpb_sd_refuse_part(w, part, "the tag to share with does not have this part");
}

static bool is_end(const cpb_sd_new_part *part) { return !part->shared || part->reference.size > 0; }

/* Follows a chain of shares to its end, and makes each part on the way lead there directly: so
 * all chains together take linear time. */
static bool lead(cpb_samediff_writer *w, size_t from) {
  size_t end = from, hops = 0;
  while (!is_end(&w->parts[end])) {
    size_t next = w->parts[end].leads_to;
    if (next == end && !find_shared(w, &w->parts[end], &next)) return false;
    if (hops++ > w->num_parts)
      return cpb_sd_refuse_part(w, &w->parts[from], "shared in a circle: no part of it has a file");
    w->parts[end].leads_to = next;
    end = next;
  }
  for (size_t at = from; at != end;) {
    size_t next = w->parts[at].leads_to;
    w->parts[at].leads_to = end;
    at = next;
  }
  return true;
}

bool cpb_sd_write_share(cpb_samediff_writer *w) {
  for (size_t i = 0; i < w->num_parts; i++)
    if (!lead(w, i)) return false;
  return true;
}
