/* The files of the zip, one after the other, and its directory. */
#include "model/samediff/write/writer.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/formats/zip/deflate.h"

#define PIECE ((size_t)256 << 10)
#define ROOM ((size_t)64 << 10)
#define SHOWN 80

/* --- The list ------------------------------------------------------------------------ */

/* TAG/FILE, or FILE without a tag. */
static bool put_name(cpb_samediff_writer *w, const cpb_sd_new_tag *tag, const char *name, cpb_sd_text *text) {
  cpb_buffer *names = &w->file_names;
  cpb_span folder = tag ? cpb_sd_writer_text(w, tag->name) : (cpb_span){NULL, 0};
  text->at = names->size;
  bool done = cpb_buffer_append(names, folder.data, folder.size) && (!tag || cpb_buffer_append(names, "/", 1)) &&
              cpb_buffer_append(names, name, strlen(name));
  text->size = names->size - text->at;
  return done || cpb_sd_writer_no_memory(w);
}

static bool put_file(cpb_samediff_writer *w, const cpb_sd_new_tag *tag, const char *name, cpb_span content,
                     const cpb_sd_new_part *part) {
  cpb_sd_new_file file = {.content = content, .part = part};
  if (!put_name(w, tag, name, &file.name)) return false;
  if (!CPB_RESERVE(&w->allocator, &w->files, &w->files_capacity, w->num_files + 1)) return cpb_sd_writer_no_memory(w);
  w->files[w->num_files++] = file;
  return true;
}

static cpb_span lines_of(const cpb_samediff_writer *w, const cpb_sd_new_tag *tag, unsigned section) {
  cpb_sd_text lines = tag->lines[section];
  return (cpb_span){lines.size > 0 ? w->lines.data + lines.at : NULL, lines.size};
}

/* Small files come first, so that a reader gets them with one request. */
static bool list_texts(cpb_samediff_writer *w, const cpb_sd_new_tag *tag) {
  if (!put_file(w, tag, "graph.fb", tag->graph, NULL)) return false;
  for (unsigned s = 0; s < CPB_SD_SECTIONS; s++) {
    cpb_span lines = lines_of(w, tag, s);
    bool there = lines.size > 0 || s == CPB_SAMEDIFF_PARAMETER;
    if (there && !put_file(w, tag, cpb_sd_sections[s].file, lines, NULL)) return false;
  }
  return tag->training.size == 0 || put_file(w, tag, "trainingConfig.fb", cpb_sd_writer_text(w, tag->training), NULL);
}

static bool list_parts(cpb_samediff_writer *w, const cpb_sd_new_tag *tag, unsigned section) {
  for (size_t i = 0; i < tag->count; i++) {
    const cpb_sd_new_part *part = &w->parts[tag->first + i];
    char name[48];
    if (part->shared || part->section != section) continue;
    cpb_format(name, sizeof name, "%s/%llu.fb", cpb_sd_sections[section].folder, (unsigned long long)part->number);
    if (!put_file(w, tag, name, cpb_sd_writer_text(w, part->head), part)) return false;
  }
  return true;
}

static cpb_span file_name(const cpb_samediff_writer *w, const cpb_sd_new_file *file) {
  return (cpb_span){w->file_names.data + file->name.at, file->name.size};
}

/* Rejects a new file whose name is already in the archive. */
static bool check_names(cpb_samediff_writer *w) {
  for (size_t i = 1; i < w->num_files; i++) {
    char shown[SHOWN];
    cpb_span name = file_name(w, &w->files[i]);
    if (name.size > UINT16_MAX)
      return CPB_FAILS(&w->error, CPB_E_USAGE, CPB_NO_OFFSET,
                       "a tag's name is too long; a path in a zip has at most 65535 bytes");
    if (!cpb_zip_find(&w->base.parts.zip, name)) continue;
    return CPB_FAILS(&w->error, CPB_E_USAGE, CPB_NO_OFFSET,
                     "the archive already has a file %s, although it has no such tag",
                     cpb_quote(shown, sizeof shown, name.data, name.size));
  }
  return true;
}

bool cpb_sd_write_list(cpb_samediff_writer *w) {
  bool good = put_file(w, NULL, "tags.txt", (cpb_span){w->all_tags.text.data, w->all_tags.text.size}, NULL);
  for (size_t i = 0; i < w->num_tags && good; i++) {
    good = list_texts(w, &w->tags[i]);
    for (unsigned s = 0; s < CPB_SD_SECTIONS && good; s++) good = list_parts(w, &w->tags[i], s);
  }
  w->zip.in_order = w->options.in_order;
  return good && check_names(w);
}

/* --- Putting out ---------------------------------------------------------------------- */

static cpb_step put_out(cpb_samediff_writer *w, cpb_span piece, uint64_t at) {
  w->piece = piece;
  w->at = at;
  return CPB_STEP_OUTPUT;
}

static cpb_step put_buffer(cpb_samediff_writer *w, uint64_t at) {
  return put_out(w, (cpb_span){w->out.data, w->out.size}, at);
}

static cpb_step no_memory(cpb_samediff_writer *w) { return cpb_sd_writer_no_memory(w), CPB_STEP_ERROR; }

static cpb_span comment_of(const cpb_samediff_writer *w) {
  return (cpb_span){w->base_comment.data, w->base_comment.size};
}

/* --- In place: the old directory once more ----------------------------------------------- */

/* Writes the old directory after the place of all new data, so that the file ends in a directory from the beginning. If
 * writing is interrupted, a reader still sees the old contents. */
static cpb_step put_old_directory(cpb_samediff_writer *w) {
  const cpb_zip *zip = &w->base.parts.zip;
  uint64_t at = zip->size;
  for (size_t i = 0; i < w->num_files; i++) {
    const cpb_sd_new_file *file = &w->files[i];
    uint64_t size = file->content.size + (file->part ? file->part->size : 0);
    bool deflated = file->part && w->options.deflate;
    at += cpb_zip_write_bound(file->name.size, size, deflated ? CPB_ZIP_DEFLATED : CPB_ZIP_STORED);
  }
  if (!cpb_buffer_append(&w->out, w->base_directory.data, w->base_directory.size) ||
      !cpb_zip_write_end_record(at, w->base_directory.size, zip->count, comment_of(w), &w->out))
    return no_memory(w);
  w->base_end = at + w->out.size;
  return put_buffer(w, at);
}

static cpb_step begin(cpb_samediff_writer *w) {
  w->stage = CPB_SD_WRITE_NEXT;
  w->out.size = 0;
  return w->options.in_place ? put_old_directory(w) : cpb_sd_write_files(w);
}

/* --- Small files ---------------------------------------------------------------------------- */

/* Appends `content` to `out`, compressed with DEFLATE if that makes it smaller. */
static bool pack(cpb_samediff_writer *w, cpb_span content, cpb_buffer *out) {
  cpb_deflate *state = cpb_deflate_new(&w->allocator);
  bool room = state && cpb_buffer_reserve(out, content.size), ended = false;
  if (room && content.size > 0) {
    cpb_span rest = content;
    ended = cpb_deflate_write(state, &rest, true, out->data, content.size - 1, &out->size);
  }
  if (!ended) out->size = 0;
  cpb_deflate_free(state);
  return room || cpb_sd_writer_no_memory(w);
}

static cpb_step put_whole(cpb_samediff_writer *w, const cpb_sd_new_file *file) {
  cpb_buffer packed;
  uint64_t at = w->zip.at, none;
  cpb_buffer_init(&packed, &w->allocator);
  cpb_span content = file->content, written = content;
  bool good = pack(w, content, &packed);
  if (packed.size > 0) written = (cpb_span){packed.data, packed.size};
  const cpb_zip_plan plan = {.name = file_name(w, file),
                             .size = content.size,
                             .known = true,
                             .packed = written.size,
                             .method = packed.size > 0 ? CPB_ZIP_DEFLATED : CPB_ZIP_STORED,
                             .crc = cpb_crc32(0, content)};
  good = good && cpb_zip_write_begin(&w->zip, &plan, &w->out) && cpb_buffer_append(&w->out, written.data, written.size);
  cpb_zip_write_content(&w->zip, content, written.size);
  good = good && cpb_zip_write_end(&w->zip, &w->out, &none);
  cpb_buffer_free(&packed);
  return good ? put_buffer(w, at) : no_memory(w);
}

/* --- Files with values --------------------------------------------------------------------- */

/* Values are not held: their CRC-32 and compressed size are known only after them. The header is therefore written a
 * second time, over the first; or, in order, a descriptor follows. */

static bool begin_deflate(cpb_samediff_writer *w, cpb_span head) {
  w->deflate = cpb_deflate_new(&w->allocator);
  if (!w->room) w->room = cpb_alloc(&w->allocator, ROOM);
  w->plain = head;
  w->ended = false;
  cpb_zip_write_content(&w->zip, head, 0);
  return w->deflate && w->room;
}

static bool begin_stored(cpb_samediff_writer *w, cpb_span head) {
  cpb_zip_write_content(&w->zip, head, head.size);
  return cpb_buffer_append(&w->out, head.data, head.size);
}

static cpb_step begin_values(cpb_samediff_writer *w, const cpb_sd_new_file *file) {
  bool deflated = w->options.deflate;
  uint64_t at = w->zip.at;
  const cpb_zip_plan plan = {.name = file_name(w, file),
                             .size = file->content.size + file->part->size,
                             .method = deflated ? CPB_ZIP_DEFLATED : CPB_ZIP_STORED,
                             .aligned = !deflated};
  w->taken = 0;
  w->lent = w->plain = (cpb_span){NULL, 0};
  w->swap.size = file->part->item;
  w->swap.kept = 0;
  cpb_input_init(&w->values);
  cpb_input_end(&w->values, file->part->size);
  if (!cpb_zip_write_begin(&w->zip, &plan, &w->out) ||
      !(deflated ? begin_deflate(w, file->content) : begin_stored(w, file->content)))
    return no_memory(w);
  w->stage = CPB_SD_WRITE_VALUES;
  return put_buffer(w, at);
}

/* Takes complete values and puts them into `plain` in the other byte order. */
static cpb_have take_values(cpb_samediff_writer *w, const cpb_sd_new_part *part) {
  while (w->plain.size == 0 && (w->lent.size > 0 || w->taken < part->size)) {
    if (w->lent.size == 0) {
      uint64_t left = part->size - w->taken;
      w->wants_values = true;
      cpb_have have = cpb_input_span(&w->values, w->taken, (size_t)cpb_min_u64(left, PIECE), left, &w->lent);
      if (have != CPB_HAVE) return cpb_zip_settle(have, &w->values, &w->error);
      w->taken += w->lent.size;
      w->done += w->lent.size;
    }
    w->plain = cpb_sd_swap_next(&w->swap, &w->lent);
    cpb_zip_write_content(&w->zip, w->plain, 0);
  }
  return CPB_HAVE;
}

static cpb_step end_values(cpb_samediff_writer *w) {
  uint64_t at;
  cpb_deflate_free(w->deflate);
  w->deflate = NULL;
  w->wants_values = false;
  w->stage = CPB_SD_WRITE_NEXT;
  cpb_input_let_go(&w->values);
  return cpb_zip_write_end(&w->zip, &w->out, &at) ? put_buffer(w, at) : no_memory(w);
}

static cpb_step put_packed(cpb_samediff_writer *w, cpb_span packed) {
  uint64_t at = w->zip.at;
  cpb_zip_write_content(&w->zip, (cpb_span){NULL, 0}, packed.size);
  return put_out(w, packed, at);
}

static cpb_step put_values(cpb_samediff_writer *w, const cpb_sd_new_part *part) {
  while (!w->ended || !w->deflate) {
    cpb_have have = take_values(w, part);
    if (have != CPB_HAVE) return have == CPB_WAIT ? CPB_STEP_NEED : CPB_STEP_ERROR;
    if (!w->deflate) {
      cpb_span plain = w->plain;
      w->plain = (cpb_span){NULL, 0};
      return plain.size > 0 ? put_packed(w, plain) : end_values(w);
    }
    size_t made;
    w->ended =
        cpb_deflate_write(w->deflate, &w->plain, w->lent.size == 0 && w->taken == part->size, w->room, ROOM, &made);
    if (made > 0) return put_packed(w, (cpb_span){w->room, made});
  }
  return end_values(w);
}

/* --- The end ----------------------------------------------------------------------------------- */

static bool put_directory(cpb_samediff_writer *w, uint64_t at) {
  const cpb_buffer *directory = &w->zip.directory;
  w->out.size = 0;
  return cpb_buffer_append(&w->out, directory->data, directory->size) &&
         cpb_zip_write_end_record(at, directory->size, w->zip.count, comment_of(w), &w->out);
}

/* In place, this overwrites the end of the copied old directory, so that the file ends in the new one. */
static cpb_step end(cpb_samediff_writer *w) {
  uint64_t at = w->zip.at;
  bool good = put_directory(w, at);
  if (good && at + w->out.size < w->base_end) {
    at = w->base_end - w->out.size;
    good = put_directory(w, at);
  }
  w->stage = CPB_SD_WRITE_DONE;
  return good ? put_buffer(w, at) : no_memory(w);
}

cpb_step cpb_sd_write_files(cpb_samediff_writer *w) {
  if (w->stage == CPB_SD_WRITE_FIRST) return begin(w);
  if (w->stage == CPB_SD_WRITE_DONE) return CPB_STEP_DONE;
  w->needs_sync =
      w->options.in_place && (w->next_file == 0 || (w->stage == CPB_SD_WRITE_NEXT && w->next_file == w->num_files));
  w->out.size = 0;
  if (w->stage == CPB_SD_WRITE_VALUES) return put_values(w, w->files[w->next_file - 1].part);
  if (w->next_file == w->num_files) return end(w);
  const cpb_sd_new_file *file = &w->files[w->next_file++];
  return file->part ? begin_values(w, file) : put_whole(w, file);
}
