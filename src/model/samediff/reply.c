#include "model/samediff/reply.h"

typedef cpb_sd_reply reply;

void cpb_sd_reply_init(reply *r, cpb_sd_model *model, const cpb_view_kind *view) {
  const cpb_allocator *a = &model->allocator;
  *r = (reply){.model = model, .own.reply = r};
  cpb_problems_init(&r->problems, a);
  cpb_viewed_init(&r->viewed, a, model->meter, view, NULL);
  r->viewed.view.own = &r->own;
  cpb_buffer_init(&r->head, a);
  cpb_buffer_init(&r->draft, a);
  cpb_buffer_init(&r->scratch, a);
}

void cpb_sd_reply_free(reply *r) {
  cpb_problems_free(&r->problems);
  cpb_viewed_forget(&r->viewed);
  cpb_buffer_free(&r->head);
  cpb_buffer_free(&r->draft);
  cpb_buffer_free(&r->scratch);
  cpb_release(&r->model->allocator, r->gaps);
  r->gaps = NULL;
}

void cpb_sd_reply_begin(reply *r, const cpb_question *question) {
  cpb_sd_model *model = r->model;
  const cpb_view_kind *view = r->viewed.view.kind;
  cpb_sd_reply_free(r);
  cpb_sd_reply_init(r, model, view);
  r->question = *question;
  r->by_lines = model->is_zip && (question->kind == CPB_ASK_TAG || question->kind == CPB_ASK_CONSTANTS);
}

/* --- The answer ------------------------------------------------------------------------ */

/* A draft has everything that the index knows, and takes note where details are missing. Filling then goes once
 * through the gaps in their order: the draft is copied up to a gap, and the details are written there. A gap whose
 * bytes are missing is cut off again and repeated later; everything before it stays. */

cpb_sd_writer cpb_sd_reply_writer(reply *r) {
  return (cpb_sd_writer){.graph = &r->model->graph, .answer = r->answer, .scratch = &r->scratch};
}

void cpb_sd_later(reply *r, cpb_sd_write *write, uint64_t i) {
  cpb_json_writer *a = r->answer;
  if (!CPB_RESERVE(&r->model->allocator, &r->gaps, &r->gaps_capacity, r->num_gaps + 1)) {
    a->failed = true;
    return;
  }
  r->gaps[r->num_gaps++] = (cpb_sd_gap){a->out.size, a->comma, write, i};
  a->comma = true;
}

/* Copies the draft up to `to`. */
static void paste(reply *r, size_t to) {
  if (to == r->pasted) return; /* the draft may be empty */
  cpb_json_writer_paste(r->answer, (cpb_span){r->draft.data + r->pasted, to - r->pasted});
  r->pasted = to;
}

cpb_have cpb_sd_reply_cut_short(const reply *r) {
  return r->model->error.code == CPB_OK && r->model->graph.flat.wait ? CPB_WAIT : CPB_FAILED;
}

/* Writes the content of the gap, or nothing of it. */
static cpb_have write_gap(reply *r, const cpb_sd_gap *gap) {
  cpb_json_writer *a = r->answer;
  cpb_flat *flat = &r->model->graph.flat;
  const size_t size = a->out.size;
  const uint64_t spent = flat->spent;
  flat->wait = false;
  a->comma = gap->comma;
  if (gap->write(r, gap->i)) {
    if (flat->pages) cpb_pages_turn(flat->pages);
    return CPB_HAVE;
  }
  a->out.size = size;
  flat->spent = spent;
  return cpb_sd_reply_cut_short(r);
}

void cpb_sd_reply_draft(reply *r) {
  cpb_json_writer *a = r->answer;
  r->draft = a->out;
  cpb_buffer_init(&a->out, &r->draft.allocator);
}

cpb_have cpb_sd_reply_fill(reply *r) {
  for (; r->filled < r->num_gaps && cpb_json_writer_ok(r->answer); r->filled++) {
    const cpb_sd_gap *gap = &r->gaps[r->filled];
    paste(r, gap->at);
    cpb_have have = write_gap(r, gap);
    if (have != CPB_HAVE) return have;
  }
  paste(r, r->draft.size);
  return CPB_HAVE;
}
