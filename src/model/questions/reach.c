/* All nodes that a node depends on, or that depend on it, ordered by distance; or the path to another node. */
#include "base/status.h"
#include "model/questions/questions.h"
#include "model/view/flow.h"

/* A point in the way that it is reached: from outside, or within a function that was entered by a call. A path within a
 * function may not leave through other calls: the call's own inputs and outputs are reached without going through the
 * function. */
typedef uint32_t state;

#define NO_STATE UINT32_MAX

static state state_of(uint32_t point, bool is_within) { return point * 2 + is_within; }
static uint32_t point_of(state s) { return s / 2; }
static bool is_within(state s) { return s % 2; }

typedef struct reach {
  cpb_viewed *model;
  cpb_flow flow;
  bool upstream;
  uint32_t *first; /* by point: index of its first edge in `edges`; one entry more, for the end */
  uint32_t *edges; /* numbers of the flow's edges, by the point that they start from */
  state *before;   /* the state that a state was reached from; itself: not reached yet */
  uint32_t *far;   /* distance of each point; UINT32_MAX: not reached */
  state *reached;  /* in the order of discovery */
  size_t num_reached;
  uint32_t *found; /* the points without passes, in the same order */
  size_t num_found;
} reach;

/* --- Edges by where they are followed from ------------------------------------------------- */

/* A counting sort: two passes over the edges, and `first` holds a point's edges without a list for each point. Going
 * backwards keeps the edges of a point in their order, and so the answer's. */

static uint32_t behind(const reach *r, const cpb_flow_edge *e) { return r->upstream ? e->to : e->from; }
static uint32_t ahead(const reach *r, const cpb_flow_edge *e) { return r->upstream ? e->from : e->to; }

static void sort_edges(reach *r) {
  const cpb_flow *f = &r->flow;
  for (size_t i = 0; i < f->num_edges; i++) r->first[behind(r, &f->edges[i]) + 1]++;
  for (size_t i = 0; i < f->num_points; i++) r->first[i + 1] += r->first[i];
  for (size_t i = f->num_edges; i > 0; i--) {
    const uint32_t point = behind(r, &f->edges[i - 1]);
    r->edges[--r->first[point + 1]] = (uint32_t)(i - 1);
  }
  /* each is now the start of the next point's edges: shift by one */
  for (size_t i = 0; i < f->num_points; i++) r->first[i] = r->first[i + 1];
  r->first[f->num_points] = (uint32_t)f->num_edges;
}

static bool begin(reach *r) {
  const cpb_allocator *a = &r->model->allocator;
  const cpb_flow *f = &r->flow;
  if (f->num_edges >= UINT32_MAX) return false;
  r->first = cpb_alloc_zeroed(a, (f->num_points + 2) * sizeof *r->first);
  r->edges = cpb_alloc(a, (f->num_edges + 1) * sizeof *r->edges);
  r->before = cpb_alloc(a, (2 * f->num_points + 1) * sizeof *r->before);
  r->reached = cpb_alloc(a, (2 * f->num_points + 1) * sizeof *r->reached);
  r->found = cpb_alloc(a, (f->num_points + 1) * sizeof *r->found);
  r->far = cpb_alloc(a, (f->num_points + 1) * sizeof *r->far);
  if (!r->first || !r->edges || !r->before || !r->reached || !r->found || !r->far) return false;
  for (state s = 0; s < 2 * f->num_points; s++) r->before[s] = s;
  for (size_t i = 0; i < f->num_points; i++) r->far[i] = UINT32_MAX;
  sort_edges(r);
  return true;
}

static void end(reach *r) {
  const cpb_allocator *a = &r->model->allocator;
  cpb_release(a, r->first);
  cpb_release(a, r->edges);
  cpb_release(a, r->before);
  cpb_release(a, r->reached);
  cpb_release(a, r->found);
  cpb_release(a, r->far);
  cpb_flow_free(&r->flow);
}

/* --- Following them ------------------------------------------------------------------------- */

/* Whether the edge enters a function, leaves it, or does neither; false if it cannot be followed. */
static bool follow(const reach *r, const cpb_flow_edge *e, bool *within) {
  const cpb_flow_way into = r->upstream ? CPB_FLOW_RETURN : CPB_FLOW_CALL;
  if (e->way == CPB_FLOW_PLAIN) return true;
  if (e->way != into) return !*within;
  *within = true;
  return true;
}

static bool is_pass(const reach *r, uint32_t point) { return r->flow.points[point].kind == CPB_POINT_PASS; }
static bool was_reached(const reach *r, state s) { return r->before[s] != s; }

static void add(reach *r, state s, state before, uint32_t distance) {
  const uint32_t point = point_of(s);
  r->reached[r->num_reached++] = s;
  r->before[s] = before;
  if (r->far[point] != UINT32_MAX) return;
  r->far[point] = distance;
  if (!is_pass(r, point)) r->found[r->num_found++] = point;
}

/* Continues to passes, or to all other points. */
static void go_on_from(reach *r, state s, uint32_t distance, bool to_passes) {
  const uint32_t point = point_of(s);
  for (uint32_t i = r->first[point]; i < r->first[point + 1]; i++) {
    const cpb_flow_edge *e = &r->flow.edges[r->edges[i]];
    const uint32_t next = ahead(r, e);
    bool within = is_within(s);
    if (is_pass(r, next) != to_passes || !follow(r, e, &within)) continue;
    /* a point reached from outside can do all that it can do within a call, so it is not visited again */
    if (was_reached(r, state_of(next, false)) || was_reached(r, state_of(next, within))) continue;
    add(r, state_of(next, within), s, distance);
  }
}

/* Visits points by increasing distance. A pass does not count as a step. */
/* Passes are taken up in the same round as the points before them: they have no distance of their own. `reached`
 * grows during the first loop, which therefore follows a pass behind a pass as well. */
static void walk(reach *r, uint32_t start, uint64_t most) {
  size_t from = 0;
  add(r, state_of(start, false), NO_STATE, 0);
  for (uint32_t distance = 1; from < r->num_reached && (most == 0 || distance <= most); distance++) {
    for (size_t i = from; i < r->num_reached; i++) go_on_from(r, r->reached[i], distance, true);
    for (const size_t until = r->num_reached; from < until; from++) go_on_from(r, r->reached[from], distance, false);
  }
}

/* --- The answer ------------------------------------------------------------------------------- */

static void write_op(const reach *r, uint32_t point) {
  const cpb_point *p = &r->flow.points[point];
  if (p->kind == CPB_POINT_NODE) cpb_json_writer_span(r->model->answer, "op", p->op);
  else cpb_json_writer_null(r->model->answer, "op");
}

static void write_point(const reach *r, uint32_t point) {
  static const char *const is[] = {"node", "argument", "tensor"};
  const cpb_point *p = &r->flow.points[point];
  cpb_json_writer *a = r->model->answer;
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_text(a, "is", is[p->kind]);
  cpb_json_writer_span(a, "name", p->name);
  cpb_viewed_write_graph_name(r->model, "function", p->graph);
  write_op(r, point);
  cpb_json_writer_unsigned(a, "distance", r->far[point]);
  cpb_json_writer_close(a, '}');
}

static void write_found(const reach *r) {
  cpb_page page = cpb_viewed_page(r->model, "found");
  for (size_t i = 1; i < r->num_found; i++)
    if (cpb_page_has(&page)) write_point(r, r->found[i]);
  cpb_page_close(r->model->answer, &page);
}

/* A shortest path from the start to the point; empty if the point cannot be reached. */
static void write_path(reach *r, uint32_t to) {
  size_t count = 0;
  const bool outside = was_reached(r, state_of(to, false));
  cpb_page page = cpb_viewed_page(r->model, "found");
  state s = r->far[to] == UINT32_MAX ? NO_STATE : state_of(to, !outside);
  for (; s != NO_STATE; s = r->before[s])
    if (!is_pass(r, point_of(s))) r->found[count++] = point_of(s);
  for (; count > 0; count--)
    if (cpb_page_has(&page)) write_point(r, r->found[count - 1]);
  cpb_page_close(r->model->answer, &page);
}

/* False with the error set. */
static bool find(const reach *r, uint32_t graph, cpb_span name, uint32_t *point) {
  *point = cpb_flow_find(&r->flow, graph, name);
  return *point != CPB_NO_POINT || cpb_viewed_not_found(r->model, "node or value", name);
}

static void write_answer(reach *r, uint32_t graph) {
  cpb_viewed *m = r->model;
  uint32_t start, to = CPB_NO_POINT;
  if (!find(r, graph, cpb_viewed_name(m), &start) || (m->question.to && !find(r, graph, cpb_viewed_to(m), &to))) return;
  if (!begin(r)) {
    cpb_viewed_fail_memory(m);
    return;
  }
  cpb_viewed_write_graph_name(m, "function", graph);
  cpb_json_writer_span(m->answer, "node", r->flow.points[start].name);
  write_op(r, start);
  walk(r, start, m->question.distance);
  if (to == CPB_NO_POINT) write_found(r);
  else write_path(r, to);
}

static void answer(cpb_viewed *m, bool upstream) {
  uint32_t graph;
  reach r = {.model = m, .upstream = upstream};
  if (!cpb_viewed_graph(m, cpb_viewed_scope(m), &graph)) return;
  if (cpb_flow_build(&r.flow, &m->allocator, &m->view, m->meter, m->error)) write_answer(&r, graph);
  end(&r);
}

void cpb_question_upstream(cpb_viewed *m) { answer(m, true); }
void cpb_question_downstream(cpb_viewed *m) { answer(m, false); }
