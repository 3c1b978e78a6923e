/* Time and the environment, by WASI 0.2. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/url.h"
#include "host/url/exchange.h"
#include "server.h"
#include "system.h"

uint64_t cpb_url_clock(void) { return clock_now() / SYSTEM_NANOSECONDS; }

int64_t cpb_exchange_now(void) {
  wall_datetime_t now;
  wall_now(&now);
  return (int64_t)now.seconds;
}

void cpb_exchange_pause(uint64_t milliseconds) {
  poll_own_pollable_t timer = clock_subscribe_duration(milliseconds * SYSTEM_NANOSECONDS);
  poll_method_pollable_block(poll_borrow_pollable(timer));
  poll_pollable_drop_own(timer);
}

bool system_wait(poll_own_pollable_t ready, uint64_t milliseconds) {
  poll_own_pollable_t timer = clock_subscribe_duration(milliseconds * SYSTEM_NANOSECONDS);
  poll_borrow_pollable_t both[] = {poll_borrow_pollable(ready), poll_borrow_pollable(timer)};
  poll_list_borrow_pollable_t list = {both, 2};
  server_list_u32_t found;
  poll_poll(&list, &found);
  bool came = found.len > 0 && found.ptr[0] == 0;
  server_list_u32_free(&found);
  poll_pollable_drop_own(timer);
  poll_pollable_drop_own(ready);
  return came;
}

/* Kept as long as the instance lives; each ends with NUL. */
static server_list_tuple2_string_string_t variables;
static bool has_variables;

/* The pointer of an empty text is not valid memory. */
static bool end_by_nul(server_string_t *text) {
  uint8_t *longer = realloc(text->len > 0 ? text->ptr : NULL, text->len + 1);
  if (!longer) return false;
  text->ptr = longer;
  text->ptr[text->len] = 0;
  return true;
}

static bool load(void) {
  if (has_variables) return true;
  environment_get_environment(&variables);
  for (size_t i = 0; i < variables.len; i++) {
    if (end_by_nul(&variables.ptr[i].f0) && end_by_nul(&variables.ptr[i].f1)) continue;
    server_list_tuple2_string_string_free(&variables);
    return false;
  }
  has_variables = true;
  return true;
}

static const char *variable(const char *name) {
  if (!load()) return NULL;
  for (size_t i = 0; i < variables.len; i++)
    if (strcmp((const char *)variables.ptr[i].f0.ptr, name) == 0) return (const char *)variables.ptr[i].f1.ptr;
  return NULL;
}

static int read_file(const char *path, cpb_buffer *out) {
  (void)path, (void)out;
  return ENOENT;
}

const cpb_environment cpb_exchange_environment = {variable, read_file};
