#include "proto/outline_state.h"

void cpb_outline_set_jumps(cpb_outline *o, const cpb_outline_jumps *jumps, void *context) {
  o->jumps = jumps;
  o->jumps_context = context;
}

static uint64_t message_end(const cpb_wire_scanner *s) {
  if (s->depth == 0) return s->size;
  return s->frames[s->depth - 1].field.type == CPB_WIRE_LEN ? s->frames[s->depth - 1].end : UINT64_MAX;
}

cpb_have cpb_outline_find_jump(cpb_outline *o, uint64_t *next) {
  const cpb_wire_scanner *s = &o->scanner;
  const cpb_outline_place place = {.input = &o->input,
                                   .error = &o->error,
                                   .is_damaged = o->damage.code != CPB_OK || o->num_gaps > 0,
                                   .depth = s->depth,
                                   .outermost = s->depth > 0 ? s->frames[0].field.number : 0,
                                   .number = s->field.number,
                                   .begin = s->field.begin,
                                   .message_end = message_end(s)};
  cpb_have have = o->jumps->find(o->jumps_context, &place, next);
  if (have == CPB_AT_END && o->losses) o->losses->note(o); /* the walk will reach the lost bytes as well */
  return have;
}
