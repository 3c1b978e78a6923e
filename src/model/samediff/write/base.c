/* The zip that tags are added to: its directory, its tags, and what of it is shared. */
#include "model/samediff/write/base.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/samediff/write/shares.h"

#define ENTRY_SIZE 46
#define TAGS "tags.txt"

static cpb_have no_memory(cpb_samediff_writer *w) {
  cpb_sd_writer_no_memory(w);
  return CPB_FAILED;
}

/* --- The directory ---------------------------------------------------------------- */

static cpb_have read_range(cpb_samediff_writer *w, uint64_t offset, uint64_t length, cpb_buffer *out) {
  size_t size;
  if (length > w->options.max_memory || !cpb_to_size(length, &size)) {
    cpb_fail(&w->error, CPB_E_LIMIT, offset, "zip: the central directory has %llu bytes, more than max_memory, %llu",
             (unsigned long long)length, (unsigned long long)w->options.max_memory);
    return CPB_FAILED;
  }
  if (!cpb_buffer_reserve(out, size)) return no_memory(w);
  cpb_have have = cpb_input_gather(&w->base.input, offset, size, out->data, &out->size);
  return cpb_zip_settle(have, &w->base.input, &w->error);
}

static bool fail_changed(cpb_samediff_writer *w, size_t at) {
  cpb_fail(&w->error, CPB_E_DAMAGED, w->base.parts.zip.directory + at,
           "zip: the central directory has changed since it was first read");
  return false;
}

/* Keeps the records of all entries but tags.txt, which is written anew. The zip reader has
 * checked them, but the host may have supplied other bytes this time. */
static bool keep_records(cpb_samediff_writer *w) {
  const cpb_buffer *all = &w->base_directory;
  for (size_t at = 0; at < all->size;) {
    const uint8_t *record = all->data + at;
    if (all->size - at < ENTRY_SIZE) return fail_changed(w, at);
    size_t name = cpb_load16(record + 28), size = ENTRY_SIZE + name + cpb_load16(record + 30) + cpb_load16(record + 32);
    if (size > all->size - at) return fail_changed(w, at);
    at += size;
    if (cpb_compare_names((cpb_span){record + ENTRY_SIZE, name}, cpb_span_of(TAGS)) == 0) continue;
    if (!cpb_buffer_append(&w->zip.directory, record, size)) return cpb_sd_writer_no_memory(w);
    w->zip.count++;
  }
  return true;
}

cpb_have cpb_sd_write_open_base(cpb_samediff_writer *w) {
  cpb_have have = cpb_sd_parts_open(&w->base.parts);
  if (have != CPB_HAVE) return have;
  const cpb_zip *zip = &w->base.parts.zip;
  have = read_range(w, zip->directory, zip->directory_size, &w->base_directory);
  if (have == CPB_HAVE) have = read_range(w, zip->comment.offset, zip->comment.length, &w->base_comment);
  if (have != CPB_HAVE) return have;
  w->zip.at = zip->size;
  return keep_records(w) ? CPB_HAVE : CPB_FAILED;
}

/* --- Shares -------------------------------------------------------------------------- */

static bool is_of_base(const cpb_samediff_writer *w, const cpb_sd_new_part *part) {
  return part->shared && !cpb_sd_find_new_tag(w, cpb_sd_writer_text(w, part->of_tag));
}

static const cpb_sd_lines *lines_of(const cpb_sd_model *base, unsigned section) {
  const cpb_sd_lines *const lines[CPB_SD_SECTIONS] = {&base->params, &base->updater, &base->maps};
  return lines[section];
}

/* Keeps a reference in the form that another tag writes: with the tag. */
static bool keep_reference(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_sd_reference *r, cpb_span kind) {
  cpb_buffer *out = &w->base_texts;
  cpb_span tag = w->base.tag->name;
  bool has_tag = memchr(r->text.data, '/', r->text.size) != NULL;
  part->reference.at = out->size;
  if (!has_tag && !(cpb_buffer_append(out, tag.data, tag.size) && cpb_buffer_append(out, "/", 1)))
    return cpb_sd_writer_no_memory(w);
  if (!cpb_buffer_append(out, r->text.data, r->text.size)) return cpb_sd_writer_no_memory(w);
  part->reference.size = out->size - part->reference.at;
  part->base_kind = (cpb_sd_text){out->size, kind.size};
  return cpb_buffer_append(out, kind.data, kind.size) || cpb_sd_writer_no_memory(w);
}

static bool share_one(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_names *names) {
  const cpb_sd_lines *lines = lines_of(&w->base, part->section);
  uint32_t i = cpb_names_find(names, cpb_sd_writer_text(w, part->of));
  if (i == CPB_NO_NAME || part->state >= lines->list[i].count)
    return cpb_sd_refuse_part(w, part, "the tag to share with does not have this part");
  const cpb_sd_line *line = &lines->list[i];
  return keep_reference(w, part, &lines->references[line->first + part->state], line->kind);
}

/* All parts from `first` on that share with the same list of the same tag, which is loaded. */
static bool share_list(cpb_samediff_writer *w, size_t first) {
  const cpb_sd_lines *lines = lines_of(&w->base, w->parts[first].section);
  cpb_names names;
  cpb_names_init(&names, &w->allocator);
  bool good = true;
  for (size_t i = 0; i < lines->count && good; i++)
    good = cpb_names_add(&names, lines->list[i].name, (uint32_t)i) || cpb_sd_writer_no_memory(w);
  cpb_names_sort(&names);
  for (size_t i = first; i < w->num_parts && good; i++) {
    cpb_sd_new_part *part = &w->parts[i];
    bool same = part->shared && part->section == w->parts[first].section && part->reference.size == 0 &&
                cpb_compare_names(cpb_sd_writer_text(w, part->of_tag), w->base.tag->name) == 0;
    if (same) good = share_one(w, part, &names);
  }
  cpb_names_free(&names);
  return good;
}

static cpb_have share_from(cpb_samediff_writer *w, size_t first) {
  cpb_sd_new_part *part = &w->parts[first];
  cpb_span tag = cpb_sd_writer_text(w, part->of_tag);
  if (!w->options.append || !cpb_sd_find_tag(&w->base.parts.tags, tag)) {
    cpb_sd_refuse_part(w, part, "the tag to share with does not exist");
    return CPB_FAILED;
  }
  cpb_have have = cpb_sd_model_open(&w->base, (const char *)tag.data, tag.size);
  if (have == CPB_HAVE) have = cpb_sd_model_load(&w->base, CPB_SD_GRAPH | cpb_sd_sections[part->section].of_base);
  if (have != CPB_HAVE) return have;
  return share_list(w, first) ? CPB_HAVE : CPB_FAILED;
}

cpb_have cpb_sd_write_share_with_base(cpb_samediff_writer *w) {
  for (; w->next_share < w->num_parts; w->next_share++) {
    const cpb_sd_new_part *part = &w->parts[w->next_share];
    if (part->reference.size > 0 || !is_of_base(w, part)) continue;
    cpb_have have = share_from(w, w->next_share);
    if (have != CPB_HAVE) return have;
  }
  return CPB_HAVE;
}
