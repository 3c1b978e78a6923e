/* The tags and parts that a SameDiff writer is given. */
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/utf8.h"
#include "model/samediff/graph.h"
#include "model/samediff/write/writer.h"

#define FILE_MAX ((uint64_t)1 << 60) /* so that no sum of sizes overflows */

/* --- Tags --------------------------------------------------------------------------- */

static bool keep_text(cpb_samediff_writer *w, const char *text, size_t size, cpb_sd_text *kept) {
  *kept = (cpb_sd_text){w->texts.size, size};
  return cpb_buffer_append(&w->texts, text, size) || cpb_sd_writer_no_memory(w);
}

static bool keep_training(cpb_samediff_writer *w, const cpb_samediff_tag *given, cpb_sd_text *kept) {
  cpb_span json = {(const uint8_t *)given->training, given->training_size};
  if (!given->training) return true;
  if (json.size > CPB_SD_BUFFER_MAX / 2)
    return cpb_sd_writer_misused(w, "the training configuration is too large for FlatBuffers");
  if (!cpb_sd_check_training(&w->allocator, json, w->base.depth, &w->error)) return false;
  kept->at = w->texts.size;
  if (!cpb_sd_build_training(json, &w->texts)) return cpb_sd_writer_no_memory(w);
  kept->size = w->texts.size - kept->at;
  return true;
}

/* Makes room for one more tag or part. */
static bool make_room(cpb_samediff_writer *w, void *items, size_t *capacity, size_t count, size_t item) {
  if (w->error.code != CPB_OK) return false;
  if (w->stage != CPB_SD_WRITE_CHECK)
    return cpb_sd_writer_misused(w, "tags and parts must be added before the first step");
  if (count >= UINT32_MAX - 1) return cpb_sd_writer_misused(w, "too many tags or parts; expected less than 2^32 - 1");
  return cpb_reserve(&w->allocator, items, capacity, count + 1, item) || cpb_sd_writer_no_memory(w);
}

cpb_code cpb_samediff_writer_tag(cpb_samediff_writer *w, const cpb_samediff_tag *tag) {
  cpb_samediff_tag given;
  cpb_options_copy(&given, sizeof given, tag);
  if (!make_room(w, &w->tags, &w->tags_capacity, w->num_tags, sizeof *w->tags)) return w->error.code;
  cpb_sd_new_tag *t = &w->tags[w->num_tags];
  *t = (cpb_sd_new_tag){.graph = {given.graph, given.graph_size}, .first = w->num_parts};
  cpb_buffer_init(&t->stripped, &w->allocator);
  for (int i = 0; i < CPB_SD_SECTIONS; i++) cpb_names_init(&t->names[i], &w->allocator);
  if (keep_text(w, given.name, given.name_size, &t->name) && keep_training(w, &given, &t->training)) w->num_tags++;
  return w->error.code;
}

/* --- Arrays ---------------------------------------------------------------------------- */

static bool read_shape(const cpb_samediff_part *given, cpb_sd_array *a) {
  if (given->rank > CPB_SD_RANK_MAX) return false;
  a->rank = given->rank;
  a->empty = given->empty;
  a->count = 1;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (given->shape[i] > INT64_MAX) return false;
    a->shape[i] = (int64_t)given->shape[i];
    a->empty |= given->shape[i] == 0;
  }
  for (uint32_t i = 0; i < a->rank && !a->empty; i++)
    if (!cpb_mul_u64(a->count, given->shape[i], &a->count)) return false;
  if (a->empty) a->count = 0;
  return true;
}

/* For strings, this only checks that their offsets fit. */
static const char *size_problem(const cpb_samediff_part *given, cpb_sd_array *a) {
  bool texts = a->dtype->number == DTYPE_UTF8;
  if (a->dtype->size == 0 && !texts) return "dtype is not one that arrays can have";
  if (texts) a->values_size = given->size;
  else if (!cpb_mul_u64(a->count, a->dtype->size, &a->values_size)) return "shape has 2^64 bytes or more";
  if (texts && a->count > 0 && given->size / 8 <= a->count)
    return "size is too small for the offsets of so many strings";
  if (given->size > 0 && given->size != a->values_size) return "size differs from that by shape and dtype";
  if (a->empty && a->values_size > 0) return "size is not 0 although the array is empty";
  if (a->values_size > CPB_SD_BUFFER_MAX - 1024) return "the array exceeds 2 GiB, the limit of FlatBuffers";
  return NULL;
}

static const char *read_array(const cpb_samediff_part *given, cpb_sd_array *a, bool *big_endian) {
  *a = (cpb_sd_array){.order = given->fortran_order ? 'f' : 'c'};
  a->dtype = cpb_sd_find_dtype_named(given->dtype, big_endian);
  if (!a->dtype) return "dtype is not the name of a data type";
  if (!read_shape(given, a)) return "shape is too large; expected at most 32 dimensions and 2^64 elements";
  return size_problem(given, a);
}

/* --- Parts -------------------------------------------------------------------------------- */

/* A part is checked by itself only. The caller may add tags and parts in any order that suits it, so the graph,
 * names and shares are checked in the first step, when all are there. */

static const char *name_problem(cpb_span name) {
  if (name.size == 0) return "the name of the part is empty";
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] < 0x20 || name.data[i] == 0x7f) return "the name contains a control character";
  return cpb_utf8_valid(name) ? NULL : "the name is not valid UTF-8";
}

static bool keep_array(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_samediff_part *given) {
  cpb_sd_array array;
  bool big_endian;
  const char *problem = read_array(given, &array, &big_endian);
  if (problem) return cpb_sd_refuse_part(w, part, problem);
  bool as_it_is = big_endian || given->big_endian || array.dtype->size == 0;
  part->item = as_it_is ? 1 : array.dtype->size;
  part->size = array.values_size;
  part->head.at = w->texts.size;
  if (!cpb_sd_build_array(&array, &w->texts)) return cpb_sd_writer_no_memory(w);
  part->head.size = w->texts.size - part->head.at;
  return true;
}

static bool keep_shared(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_samediff_part *given) {
  part->shared = true;
  part->of = part->name;
  part->state = given->state > 0 ? given->state - 1 : 0;
  return keep_text(w, given->tag, given->tag_size, &part->of_tag) &&
         (!given->of || keep_text(w, given->of, given->of_size, &part->of));
}

static bool keep_content(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_samediff_part *given) {
  if (given->what != CPB_SAMEDIFF_MAP && !given->kind) return cpb_sd_refuse_part(w, part, "dtype is missing");
  part->size = given->size;
  part->item = 1;
  return !given->kind || keep_text(w, given->kind, strlen(given->kind), &part->kind);
}

static bool keep_part(cpb_samediff_writer *w, cpb_sd_new_part *part, const cpb_samediff_part *given) {
  const char *problem = name_problem((cpb_span){(const uint8_t *)given->name, given->name_size});
  if (!keep_text(w, given->name, given->name_size, &part->name)) return false;
  if (problem) return cpb_sd_refuse_part(w, part, problem);
  if (given->tag) return keep_shared(w, part, given);
  part->number = w->tags[part->tag].own[part->section]++;
  return given->dtype && given->what != CPB_SAMEDIFF_MAP ? keep_array(w, part, given) : keep_content(w, part, given);
}

static bool add_part(cpb_samediff_writer *w, const cpb_samediff_part *given) {
  if (!make_room(w, &w->parts, &w->parts_capacity, w->num_parts, sizeof *w->parts)) return false;
  if (w->num_tags == 0 || (unsigned)given->what >= CPB_SD_SECTIONS)
    return cpb_sd_writer_misused(w, "a part needs a tag before it, and a known value for what");
  cpb_sd_new_part *p = &w->parts[w->num_parts];
  *p = (cpb_sd_new_part){.tag = (uint32_t)w->num_tags - 1,
                         .section = (uint8_t)given->what,
                         .source = given->source,
                         .leads_to = w->num_parts};
  if (!keep_part(w, p, given)) return false;
  if (p->size > FILE_MAX - w->total)
    return cpb_sd_writer_misused(w, "the sizes of all parts add up to more than 2^60 bytes");
  w->total += p->size;
  w->tags[p->tag].count++;
  w->num_parts++;
  return true;
}

cpb_code cpb_samediff_writer_add(cpb_samediff_writer *w, const cpb_samediff_part *part) {
  cpb_samediff_part given;
  cpb_options_copy(&given, sizeof given, part);
  return add_part(w, &given) ? CPB_OK : w->error.code;
}
