#include "host/url/remote.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"

#define IDLE_TIME 30000u             /* milliseconds */
#define TAIL ((size_t)68 << 10)      /* enough for the bytes searched for an index, and some more */
#define MIN_SPEED 100u               /* bytes a second */
#define ATTEMPTS 4u                  /* for one range */
#define PATIENCE 15000u              /* milliseconds without a response from a server that has answered before */
#define PAUSE 250u                   /* milliseconds, at most, after the first failure */
#define LOOK 100u                    /* milliseconds between checks whether to stop, during a pause */
#define LONGEST_PAUSE 30000u         /* even if the server asks for a longer one */
#define TAIL_LEAST ((size_t)4 << 10) /* for fewer bytes, the beginning is requested instead */
#define MAX_WHOLE ((uint64_t)1 << 20)
#define PROGRESS ((size_t)1 << 20)  /* failures are counted again after so many bytes */
#define CRUMBS 4u                   /* number of consecutive responses that may be too short */
#define SHOWN 1024                  /* of a URL */
#define URL_PIECE ((size_t)2 << 20) /* size of ranges that are requested in parallel */
#define URL_SHARED_LANES 1          /* of a shared one */

static char *copy_of(const cpb_allocator *a, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = cpb_alloc(a, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

/* --- One request ------------------------------------------------------------------------------ */

/* Warns once, before the second request, if the file may change without being noticed. */
static void tell_unmarked(cpb_remote *r) {
  char name[SHOWN];
  if (r->told || !r->pinned.known || *r->pinned.etag || *r->pinned.last_modified) return;
  r->told = true;
  if (r->options.unmarked) r->options.unmarked(r->options.user, cpb_url_name(r->url, name, sizeof name));
}

static cpb_remote *home_of(cpb_remote *r) { return r->home ? r->home : r; }

/* The caller's headers take precedence over the environment. */
static bool has_authorization(const char *const *headers) {
  static const char name[] = "authorization:";
  for (; headers && *headers; headers++) {
    size_t i = 0;
    while (name[i] && ((*headers)[i] | 0x20) == (name[i] | 0x20)) i++;
    if (!name[i]) return true;
  }
  return false;
}

static void set_request(cpb_remote *r) {
  cpb_remote *of = home_of(r);
  tell_unmarked(of);
  char *range = r->range;
  if (r->is_suffix) cpb_format(range, sizeof r->range, "-%llu", (unsigned long long)r->end);
  else cpb_format(range, sizeof r->range, "%llu-%llu", (unsigned long long)r->begin, (unsigned long long)r->end - 1);
  r->led_by = of->target ? of->num_targets : 0;
  bool known = cpb_validators_condition(&r->pinned, !of->no_dates, r->condition, sizeof r->condition);
  r->query = (cpb_request){.url = of->is_s3        ? of->s3.url
                                  : of->served.url ? of->served.url
                                                   : of->url,
                           .target = of->target,
                           .range = r->sink ? NULL : range,
                           .condition = known ? r->condition : NULL,
                           .headers = of->options.headers,
                           .token = has_authorization(of->options.headers) ? NULL : of->served.token,
                           .signed_headers = of->s3.headers,
                           .keys = of->s3.keys,
                           .signature = of->s3.signature,
                           .idle_time = of->options.idle_time,
                           .deadline = of->options.deadline,
                           .cancelled = of->options.cancelled,
                           .user = of->options.user};
}

static cpb_outcome refuse(cpb_remote *r) {
  char why[120] = "", wait[64] = "";
  int status = r->response.status;
  uint64_t wanted = cpb_response_retry_after(&r->response, cpb_exchange_now());
  if (wanted > 0)
    cpb_format(wait, sizeof wait, "; it asks to wait %llu s (Retry-After)", (unsigned long long)(wanted + 999) / 1000);
  bool explains = status == 400 || status == 401 || status == 403 || status == 301 || (status == 404 && r->is_s3);
  if (explains) cpb_response_explain(r->said, why, sizeof why);
  cpb_fail(r->error, cpb_status_code(status), CPB_NO_OFFSET, "the server answered %d%s%s%s%s%s", status,
           cpb_status_meaning(status, why), *why ? " (" : "", why, *why ? ")" : "", wait);
  r->error->status = (int16_t)status;
  return cpb_status_is_temporary(status) ? CPB_INTERRUPTED : CPB_REFUSED;
}

static cpb_outcome cut_off(cpb_remote *r) {
  cpb_fail(r->error, CPB_E_READ, CPB_NO_OFFSET, "the server sent %llu of the %llu bytes that it announced",
           (unsigned long long)r->got, (unsigned long long)r->expected);
  return CPB_INTERRUPTED;
}

/* The response has ended. */
static cpb_outcome settle(cpb_remote *r) {
  switch (r->body) {
    case CPB_BODY_REFUSAL: return refuse(r);
    case CPB_BODY_RANGE: return r->got < r->expected ? cut_off(r) : CPB_RECEIVED;
    case CPB_BODY_STREAM:
    case CPB_BODY_WHOLE:
      if (r->expected != UINT64_MAX && r->got < r->expected) return cut_off(r);
      if (!cpb_remote_agree(r, r->got)) return CPB_REFUSED;
      if (r->body == CPB_BODY_STREAM) return CPB_RECEIVED;
      r->has_whole = true;
      cpb_windows_clear(&r->windows);
      return CPB_RECEIVED;
    default: return r->error->code == CPB_OK ? CPB_RECEIVED : CPB_REFUSED;
  }
}

/* Begins the request for the current range. */
static void start(cpb_remote *r, cpb_error *error) {
  r->error = error;
  r->body = CPB_BODY_UNKNOWN;
  r->window = NULL;
  r->got = 0;
  r->ignores_ranges = r->was_undated = false;
  r->pace = (cpb_pace){0};
  *r->said = 0;
  r->response = (cpb_response){0};
  set_request(r);
  r->receiver = (cpb_receiver){cpb_remote_begin, cpb_remote_take, r};
  cpb_exchange_start(r->exchange, &r->query, &r->receiver);
}

/* --- Where redirects lead --- */

static void forget_target(cpb_remote *of) {
  if (!of->target_served) of->asks_anew = true;
  cpb_release(&of->allocator, of->target);
  of->target = NULL;
}

/* Call it after a valid response. Signatures in a target may be valid for some time, or for a single request. */
static void keep_target(cpb_remote *r) {
  cpb_remote *of = home_of(r);
  const char *led_to = cpb_exchange_led_to(r->exchange);
  if (of->target && r->led_by == of->num_targets) of->target_served = true;
  if (!led_to || of->asks_anew) return;
  char *target = copy_of(&of->allocator, led_to);
  if (!target) return;
  cpb_release(&of->allocator, of->target);
  of->target = target;
  of->target_served = false;
  of->num_targets++;
}

/* After a failure, which the target may have caused: drops the target. Returns whether the URL itself may have a
 * different result. */
static bool was_led_astray(cpb_remote *r) {
  cpb_remote *of = home_of(r);
  int status = r->response.status;
  if (r->led_by == 0) return false;
  if (of->target && r->led_by == of->num_targets) forget_target(of);
  return r->body == CPB_BODY_REFUSAL && status >= 400 && status < 500 && !cpb_status_is_temporary(status);
}

static cpb_outcome finish(cpb_remote *r) {
  r->pace = (cpb_pace){.since = cpb_url_clock()};
  cpb_outcome outcome = cpb_exchange_finish(r->exchange, r->error);
  if (r->body == CPB_BODY_WRONG) return r->pace.is_slow ? CPB_INTERRUPTED : CPB_REFUSED;
  if (outcome == CPB_RECEIVED) outcome = settle(r);
  if (outcome == CPB_RECEIVED) keep_target(r);
  return outcome;
}

static void set_range(cpb_remote *r, uint64_t begin, uint64_t end, bool is_suffix) {
  r->begin = begin;
  r->end = end;
  r->is_suffix = is_suffix;
}

/* --- Several ranges at once ------------------------------------------------------------------------ */

/* Makes a lane, whose requests run in parallel with those of `r`. NULL if memory is short. */
static cpb_remote *new_lane(cpb_remote *r) {
  cpb_remote *lane = cpb_alloc_zeroed(&r->allocator, sizeof *lane);
  if (!lane) return NULL;
  lane->allocator = r->allocator;
  lane->home = r;
  lane->options = r->options;
  cpb_windows_init(&lane->windows, &r->allocator);
  cpb_buffer_init(&lane->whole, &r->allocator);
  lane->exchange = cpb_exchange_beside(r->exchange);
  if (lane->exchange) return lane;
  cpb_remote_free(lane);
  return NULL;
}

/* The lane that is reading the byte at `offset`. */
static cpb_remote *lane_of(const cpb_remote *r, uint64_t offset) {
  for (unsigned i = 0; i < r->most_lanes; i++) {
    cpb_remote *lane = r->lanes[i];
    if (lane && lane->is_busy && offset >= lane->begin && offset < lane->end) return lane;
  }
  return NULL;
}

/* The part of [offset, end) before the ranges of the lanes. */
static uint64_t before_lanes(const cpb_remote *r, uint64_t offset, uint64_t end) {
  for (unsigned i = 0; i < r->most_lanes; i++) {
    const cpb_remote *lane = r->lanes[i];
    if (lane && lane->is_busy && lane->begin > offset) end = cpb_min_u64(end, lane->begin);
  }
  return end;
}

/* Frees a lane, and drops its bytes. */
static void empty(cpb_remote *lane) {
  cpb_exchange_cancel(lane->exchange);
  lane->home->bytes_read += lane->bytes_read;
  lane->bytes_read = 0;
  lane->is_busy = lane->has_whole = false;
  cpb_windows_free(&lane->windows);
  cpb_windows_init(&lane->windows, &lane->allocator);
  cpb_buffer_reset(&lane->whole, 0);
}

static void give_up_lanes(cpb_remote *r) {
  for (unsigned i = 0; i < r->most_lanes; i++)
    if (r->lanes[i]) empty(r->lanes[i]);
  r->most_lanes = 0;
}

/* Waits for a lane's bytes. If they fail, lanes are no longer used: the range is requested again, alone, which reports
 * the problem. */
static void take_lane(cpb_remote *r, cpb_remote *lane) {
  bool came = finish(lane) == CPB_RECEIVED && lane->body == CPB_BODY_RANGE && lane->got > 0;
  if (came) {
    cpb_window *window = cpb_windows_add(&r->windows, lane->begin);
    cpb_buffer before = window->bytes;
    window->bytes = lane->window->bytes;
    lane->window->bytes = before;
  }
  bool astray = !came && (was_led_astray(lane) || lane->was_undated);
  empty(lane);
  if (!came && !astray) give_up_lanes(r);
}

/* Requests pieces of [begin, end) that are neither available nor requested, as far as there are lanes; frees lanes
 * whose ranges are elsewhere. */
static void look_ahead(cpb_remote *r, uint64_t begin, uint64_t end) {
  uint64_t last = begin + (URL_LANES + 1) * (uint64_t)URL_PIECE;
  end = cpb_min_u64(cpb_min_u64(end, r->pinned.size), last);
  for (unsigned i = 0; i < r->most_lanes; i++) {
    cpb_remote *lane = r->lanes[i];
    if (lane && lane->is_busy && (lane->end <= begin || lane->begin >= last)) empty(lane);
  }
  for (unsigned i = 0; i < r->most_lanes && begin < end; i++) {
    size_t there;
    for (cpb_remote *other; begin < end; begin = other ? other->end : begin + there) {
      other = lane_of(r, begin);
      if (!other && !cpb_windows_find(&r->windows, begin, &there)) break;
    }
    cpb_remote *lane = r->lanes[i];
    if (begin >= end || (lane && lane->is_busy)) continue;
    if (!lane && !(lane = r->lanes[i] = new_lane(r))) {
      give_up_lanes(r);
      return;
    }
    lane->pinned = r->pinned;
    set_range(lane, begin, cpb_min_u64(begin + URL_PIECE, end), false);
    cpb_error_begin(&lane->trouble, NULL);
    start(lane, &lane->trouble);
    lane->is_busy = true;
  }
}

/* --- Again and again --------------------------------------------------------------------------- */

/* A random time up to `most`, so that many clients do not return at once. */
static uint64_t jitter(cpb_remote *r, uint64_t most) {
  r->random ^= r->random << 13;
  r->random ^= r->random >> 7;
  r->random ^= r->random << 17;
  return r->random % (most + 1);
}

/* False if the host wants to stop before the time has passed. */
static bool pause_for(const cpb_url_options *options, uint64_t milliseconds, cpb_error *error) {
  while (milliseconds > 0) {
    uint64_t part = options->cancelled ? cpb_min_u64(milliseconds, LOOK) : milliseconds;
    cpb_exchange_pause(part);
    milliseconds -= part;
    if (!options->cancelled || !options->cancelled(options->user)) continue;
    cpb_error_begin(error, NULL);
    return CPB_FAILS(error, CPB_E_CANCELLED, CPB_NO_OFFSET, "%s", cpb_code_text(CPB_E_CANCELLED));
  }
  return true;
}

/* Waits before the next attempt; false if there is to be none. `since` is the time of the last progress. */
static bool pause_after(cpb_remote *r, unsigned failures, uint64_t since, cpb_error *error) {
  uint64_t wanted = cpb_response_retry_after(&r->response, cpb_exchange_now());
  uint64_t most = cpb_min_u64((uint64_t)PAUSE << cpb_min_u64(failures - 1, 20), LONGEST_PAUSE);
  bool is_gone = r->pinned.known && r->response.status == 0 && r->options.attempts > 1;
  bool is_patient = is_gone && cpb_url_clock() - since < PATIENCE;
  if ((failures >= r->options.attempts && !is_patient) || wanted > LONGEST_PAUSE) return false;
  wanted = cpb_max_u64(cpb_max_u64(wanted, jitter(r, most)), is_patient ? PAUSE : 0);
  if (r->options.deadline > 0 && cpb_url_clock() + wanted >= r->options.deadline) return false;
  return pause_for(&r->options, wanted, error);
}

/* Requests the current range until it is complete, and in parallel the bytes after it up to `ahead`. Bytes from before
 * an interruption are kept. */
static bool fetch(cpb_remote *r, uint64_t ahead, cpb_error *error) {
  uint64_t since = cpb_url_clock();
  for (unsigned failures = 0;;) {
    start(r, error);
    if (ahead > r->end) look_ahead(r, r->end, ahead);
    cpb_outcome outcome = finish(r);
    if (r->was_undated) {
      cpb_error_begin(error, NULL);
      continue;
    }
    if (outcome == CPB_RECEIVED) return true;
    bool astray = was_led_astray(r);
    if (!astray) give_up_lanes(r);
    if (r->window && r->got > 0 && outcome == CPB_INTERRUPTED && !r->is_suffix) {
      if (r->got >= PROGRESS) failures = 0;
      r->begin += r->got;
    }
    if (failures == 0 || r->response.status != 0) since = cpb_url_clock();
    if (!astray && (outcome == CPB_REFUSED || !pause_after(r, ++failures, since, error))) return false;
    cpb_error_begin(error, NULL);
  }
}

/* Learns the size, by requesting the last bytes, or else the first. */
static bool make_known(cpb_remote *r, size_t tail, cpb_error *error) {
  if (r->pinned.known) return true;
  if (tail > 0 && !r->no_suffix) {
    set_range(r, 0, tail, true);
    if (!fetch(r, 0, error)) return false;
    if (r->pinned.known) return true;
  }
  set_range(r, 0, cpb_windows_plan(&r->windows, 0, 0, UINT64_MAX), false);
  return fetch(r, 0, error);
}

/* Whether too many responses were much shorter than requested. */
static bool is_crumbs(cpb_remote *r, uint64_t wanted, cpb_error *error) {
  bool crumb = r->body == CPB_BODY_RANGE && r->got < wanted && r->got < CPB_WINDOW_LEAST;
  r->crumbs = crumb ? r->crumbs + 1 : 0;
  if (r->crumbs <= CRUMBS) return false;
  cpb_fail(error, CPB_E_READ, r->begin, "the server keeps sending less than was asked for");
  return true;
}

/* --- What it is for ------------------------------------------------------------------------------ */

bool cpb_remote_size(cpb_remote *r, size_t tail, uint64_t *size, cpb_error *error) {
  if (tail < TAIL_LEAST) tail = r->first_is_tail ? TAIL : 0;
  if (!make_known(r, cpb_min_size(tail, CPB_WINDOW_MOST), error)) return false;
  *size = r->pinned.size;
  return true;
}

static const uint8_t *find(cpb_remote *r, uint64_t offset, size_t *length) {
  if (!r->has_whole) return cpb_windows_find(&r->windows, offset, length);
  *length = offset < r->whole.size ? r->whole.size - (size_t)offset : 0;
  return *length > 0 ? r->whole.data + offset : NULL;
}

const uint8_t *cpb_remote_read(cpb_remote *r, uint64_t offset, uint64_t wanted, size_t *length, cpb_error *error) {
  if (!make_known(r, r->first_is_tail && offset > 0 ? TAIL : 0, error)) return NULL;
  uint64_t wanted_end = wanted < UINT64_MAX - offset ? offset + wanted : UINT64_MAX;
  bool is_long = wanted > URL_PIECE && !r->has_whole;
  for (;;) {
    const uint8_t *data = find(r, offset, length);
    if (data && is_long && wanted > *length) look_ahead(r, offset + *length, wanted_end);
    if (data) return data;
    if (offset >= r->pinned.size) return (const uint8_t *)"";
    cpb_remote *lane = lane_of(r, offset);
    if (lane) {
      take_lane(r, lane);
      continue;
    }
    uint64_t end = offset + cpb_windows_plan(&r->windows, offset, wanted, r->pinned.size);
    if (is_long && r->most_lanes > 0) end = cpb_min_u64(end, offset + URL_PIECE);
    end = before_lanes(r, offset, end);
    set_range(r, offset, end, false);
    if (!fetch(r, is_long ? wanted_end : 0, error) || is_crumbs(r, end - r->begin, error)) return NULL;
  }
}

const uint8_t *cpb_remote_look(cpb_remote *r, size_t most, size_t *length, cpb_error *error) {
  r->options.max_whole = most;
  set_range(r, 0, most, false);
  if (!fetch(r, 0, error)) return NULL;
  const uint8_t *data = find(r, 0, length);
  return data ? data : (const uint8_t *)"";
}

bool cpb_remote_wants_download(const cpb_remote *r) {
  return r->ignores_ranges && r->options.max_download > 0 && r->options.spool;
}

int cpb_remote_spool(const cpb_remote *r) { return r->options.spool(r->options.user); }

bool cpb_remote_download(cpb_remote *r, const cpb_remote_sink *sink, uint64_t *size, cpb_error *error) {
  give_up_lanes(r);
  set_range(r, 0, 0, false);
  r->sink = sink;
  bool done = fetch(r, 0, error);
  r->sink = NULL;
  *size = r->got;
  return done;
}

void cpb_remote_request_least(cpb_remote *r, size_t bytes) { r->windows.least = bytes; }

const cpb_validators *cpb_remote_validators(const cpb_remote *r) { return &r->pinned; }

uint64_t cpb_remote_bytes_read(const cpb_remote *r) { return r->bytes_read; }

bool cpb_remote_is_absent(const cpb_remote *r) {
  int status = r->response.status;
  return r->body == CPB_BODY_REFUSAL && (status == 404 || status == 410 || status == 403);
}

/* --- From beginning to end -------------------------------------------------------------------------- */

static bool set_url(cpb_remote *r, const char *url, cpb_error *error) {
  cpb_address address;
  if (!cpb_address_check(url, &address, error)) return false;
  r->exchange = cpb_exchange_new(&r->allocator, error);
  if (!r->exchange) return false;
  r->is_s3 = cpb_address_has_scheme(&address, "s3");
  r->first_is_tail = cpb_path_ends_with(url, ".cpb") || cpb_path_ends_with(url, ".zip");
  r->url = copy_of(&r->allocator, url);
  if (!r->url) return cpb_fail_memory(error) == CPB_OK;
  if (!r->is_s3) return cpb_served_resolve(&r->served, &r->allocator, url, &cpb_exchange_environment, error);
  if (!cpb_s3_resolve(&r->s3, &r->allocator, &address, &cpb_exchange_environment, error)) return false;
  if (!r->s3.keys || cpb_exchange_can_sign(r->exchange)) return true;
  return CPB_FAILS(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                   "this libcurl is too old to sign for S3; expected 7.87 or newer");
}

static void set_options(cpb_remote *r, const cpb_url_options *options) {
  cpb_url_options *o = &r->options;
  cpb_options_copy(o, sizeof *o, options);
  if (o->idle_time == 0) o->idle_time = IDLE_TIME;
  if (o->min_speed == 0) o->min_speed = MIN_SPEED;
  if (o->attempts == 0) o->attempts = ATTEMPTS;
  if (o->max_whole == 0) o->max_whole = MAX_WHOLE;
}

cpb_remote *cpb_remote_new(const cpb_allocator *given, const char *url, const cpb_url_options *options,
                           cpb_error *error) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_remote *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return cpb_fail_memory(error), NULL;
  r->allocator = a;
  r->most_lanes = URL_LANES;
  r->random = cpb_url_clock() ^ (uint64_t)(uintptr_t)r ^ 0x9e3779b97f4a7c15;
  cpb_windows_init(&r->windows, &a);
  cpb_buffer_init(&r->whole, &a);
  set_options(r, options);
  if (set_url(r, url, error)) return r;
  cpb_remote_free(r);
  return NULL;
}

cpb_remote *cpb_remote_share(const cpb_remote *r) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (!r->pinned.known || r->has_whole) return NULL;
  cpb_remote *other = cpb_remote_new(&r->allocator, r->url, &r->options, &error);
  if (!other) return NULL;
  other->pinned = r->pinned;
  other->told = true;
  other->target = r->target ? copy_of(&r->allocator, r->target) : NULL;
  other->num_targets = other->target != NULL;
  other->target_served = r->target_served;
  other->asks_anew = r->asks_anew;
  other->no_dates = r->no_dates;
  other->most_lanes = URL_SHARED_LANES;
  return other;
}

void cpb_remote_free(cpb_remote *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  for (unsigned i = 0; i < URL_LANES; i++) cpb_remote_free(r->lanes[i]);
  cpb_exchange_free(r->exchange);
  cpb_windows_free(&r->windows);
  cpb_buffer_free(&r->whole);
  cpb_s3_free(&r->s3, &a);
  cpb_served_free(&r->served, &a);
  cpb_release(&a, r->url);
  cpb_release(&a, r->target);
  cpb_release(&a, r);
}
