#include "model/onnx/brief.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/onnx/fields.h"
#include "model/onnx/tail.h"

/* Less is read as fast as passed over. */
#define WORTH ((uint64_t)1 << 20)

/* How many of the last bytes are looked at, until the row begins within them. */
#define FIRST ((size_t)64 << 10)
#define LAST ((size_t)4 << 20)

/* What follows the graph is mostly short, and comes with its end. */
#define BEHIND 4096

static bool is_worth(const cpb_outline_place *place) {
  bool is_of_graph = place->depth == 1 && place->outermost == MODEL_GRAPH && place->message_end != UINT64_MAX;
  return is_of_graph && place->number == GRAPH_INITIALIZER && place->message_end - place->begin >= WORTH;
}

/* Nothing is guessed of a model that is damaged, or of which it is not known. */
static bool is_sound(const cpb_outline_place *place) {
  const uint64_t size = place->input->size;
  return !place->is_damaged && size != CPB_NO_OFFSET && size >= place->message_end;
}

/* The window is as large as it is to be. */
static cpb_have gather(cpb_onnx_brief *b, const cpb_outline_place *place) {
  const uint64_t end = place->message_end;
  const size_t size = b->size + (size_t)cpb_min_u64(BEHIND, place->input->size - end);
  if (!cpb_buffer_reserve(&b->window, size)) {
    cpb_fail_memory(place->error);
    return CPB_FAILED;
  }
  cpb_have have = cpb_input_gather(place->input, end - b->size, size, b->window.data, &b->have);
  return have == CPB_FAILED ? CPB_AT_END : have; /* what is wrong is met again */
}

static cpb_have look(cpb_onnx_brief *b, const cpb_outline_place *place, size_t *begin) {
  cpb_have have = gather(b, place);
  if (have != CPB_HAVE) return have;
  if (!cpb_meter_charge(b->meter, CPB_WORK_WALKED, b->size, place->begin, place->error)) return CPB_FAILED;
  if (!cpb_onnx_tail_find(&b->allocator, (cpb_span){b->window.data, b->size}, begin)) {
    cpb_fail_memory(place->error);
    return CPB_FAILED;
  }
  b->have = 0;
  return CPB_HAVE;
}

/* Looks at more and more of the end. */
static cpb_have find_tail(cpb_onnx_brief *b, const cpb_outline_place *place, uint64_t *next) {
  for (; b->size <= LAST && b->size <= place->message_end - place->begin; b->size *= 4) {
    size_t begin;
    cpb_have have = look(b, place, &begin);
    if (have != CPB_HAVE) return have;
    if (begin == CPB_NO_TAIL) continue;
    *next = place->message_end - b->size + begin;
    return CPB_HAVE;
  }
  return CPB_AT_END;
}

static cpb_have find(void *context, const cpb_outline_place *place, uint64_t *next) {
  cpb_onnx_brief *b = context;
  if (b->tried || !is_worth(place)) return CPB_AT_END;
  cpb_have have = is_sound(place) ? find_tail(b, place, next) : CPB_AT_END;
  if (have == CPB_WAIT || have == CPB_FAILED) return have;
  if (have == CPB_HAVE) b->unread = (cpb_range){place->begin, *next - place->begin};
  b->tried = true;
  cpb_buffer_free(&b->window);
  return have;
}

void cpb_onnx_brief_init(cpb_onnx_brief *b, const cpb_allocator *a, cpb_meter *meter) {
  *b = (cpb_onnx_brief){.allocator = *a, .meter = meter, .size = FIRST};
  cpb_buffer_init(&b->window, &b->allocator);
}

void cpb_onnx_brief_free(cpb_onnx_brief *b) {
  const cpb_allocator a = b->allocator;
  cpb_buffer_free(&b->window);
  cpb_onnx_brief_init(b, &a, b->meter);
}

const cpb_outline_jumps cpb_onnx_brief_jumps = {find};
