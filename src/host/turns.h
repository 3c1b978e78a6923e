/* An output that must be written in order, in parts that several threads make at the same time. The part whose turn it
 * is is written as it comes; later ones are held in memory, as far as there is room. */
#ifndef CPB_HOST_TURNS_H
#define CPB_HOST_TURNS_H

#include "host/transfer.h"

typedef struct cpb_turns cpb_turns;

/* At most `ahead` parts are begun and not yet written, and about `room` bytes are held. NULL if memory is short. */
cpb_turns *cpb_turns_new(const cpb_allocator *a, cpb_output *out, size_t ahead, size_t room);
void cpb_turns_free(cpb_turns *turns);

/* These may wait. They return false when the output failed, or after cpb_turns_stop.
 * Parts are begun in order; each is then one thread's until it is finished. */
bool cpb_turns_begin(cpb_turns *turns, size_t part);
bool cpb_turns_put(cpb_turns *turns, size_t part, const uint8_t *data, size_t length);
bool cpb_turns_finish(cpb_turns *turns, size_t part);

void cpb_turns_stop(cpb_turns *turns);

/* Bytes that the output was given. */
uint64_t cpb_turns_written(cpb_turns *turns);

#endif
