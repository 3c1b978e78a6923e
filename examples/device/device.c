#include "device.h"

#include <string.h>

static const char cannot_read[] = "cannot read the file", cannot_write[] = "cannot write";

static uint32_t begin_step(const device_reader *d) {
  if (d->between) d->between();
  return d->now ? d->now() : 0;
}

static void end_step(device_reader *d, uint32_t begun) {
  uint32_t took = d->now ? d->now() - begun : 0;
  if (took > d->longest) d->longest = took;
  d->steps++;
}

/* What an engine needs of the file. */
static void give(const device_reader *d, cpb_input *input) {
  const device_source *source = &d->source;
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE || need.offset >= source->size) {
    cpb_input_end(input, source->size);
    return;
  }
  uint64_t left = source->size - need.offset;
  size_t length = need.length < d->window_size ? (size_t)need.length : d->window_size;
  if (length > left) length = (size_t)left;
  if (source->read(source->state, need.offset, d->window, length) == 0)
    cpb_input_supply(input, need.offset, d->window, length);
  else cpb_input_fail(input, CPB_E_READ, cannot_read);
}

/* Until there is nothing more to do. */
static const char *run_pager(device_reader *d, cpb_pager *pager) {
  for (;;) {
    uint32_t begun = begin_step(d);
    cpb_step step = cpb_pager_step(pager);
    end_step(d, begun);
    size_t length;
    const uint8_t *data;
    switch (step) {
      case CPB_STEP_NEED: give(d, cpb_pager_input(pager)); break;
      case CPB_STEP_DATA:
        data = cpb_pager_data(pager, &length);
        if (d->write(d->state, data, length) != 0) return cannot_write;
        break;
      case CPB_STEP_DONE: return NULL;
      default: return cpb_pager_error(pager)->message;
    }
  }
}

const char *device_chunk(device_reader *d, cpb_pager *pager, uint64_t chunk) {
  const char *problem = run_pager(d, pager); /* opens the file */
  if (problem) return problem;
  if (cpb_pager_read(pager, chunk, 0, UINT64_MAX) != CPB_OK) return "the file has no such chunk";
  return run_pager(d, pager);
}

const char *device_field(device_reader *d, cpb_field_reader *reader, const char *path) {
  cpb_field_reader_read(reader, path, strlen(path), 0, UINT64_MAX);
  for (;;) {
    uint32_t begun = begin_step(d);
    cpb_step step = cpb_field_reader_step(reader);
    end_step(d, begun);
    size_t length;
    const uint8_t *data;
    switch (step) {
      case CPB_STEP_NEED: give(d, cpb_field_reader_input(reader)); break;
      case CPB_STEP_DATA:
        data = cpb_field_reader_data(reader, &length);
        if (d->write(d->state, data, length) != 0) return cannot_write;
        break;
      case CPB_STEP_DONE: return NULL;
      default: return cpb_field_reader_error(reader)->message;
    }
  }
}

const char *device_file(device_reader *d, int (*add)(void *state, const uint8_t *data, size_t length), void *state) {
  const device_source *source = &d->source;
  for (uint64_t at = 0; at < source->size;) {
    uint64_t left = source->size - at;
    size_t length = left < d->window_size ? (size_t)left : d->window_size;
    if (source->read(source->state, at, d->window, length) != 0) return cannot_read;
    uint32_t begun = begin_step(d);
    int failed = add(state, d->window, length);
    end_step(d, begun);
    if (failed) return "cannot compute the hash of the file";
    at += length;
  }
  return NULL;
}
