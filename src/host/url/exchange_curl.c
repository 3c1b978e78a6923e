/* Requests by libcurl, which is loaded on demand: programs that open no URL neither link it nor wait for it. */
#ifdef CPB_WITH_CURL
#  define _POSIX_C_SOURCE 200809L
#  define _GNU_SOURCE /* RTLD_DEEPBIND */
#  define CURL_DISABLE_TYPECHECK
#  define CURL_NO_OLDIES
#  include <curl/curl.h>
#  include <dlfcn.h>
#  include <errno.h>
#  include <fcntl.h>
#  include <stdlib.h>
#  include <string.h>
#  include <time.h>
#  include <unistd.h>

#  include "base/alloc.h"
#  include "base/checked.h"
#  include "base/status.h"
#  include "host/url/address.h"
#  include "host/url/exchange.h"

#  define REDIRECTS 10
#  define REDIRECT_BODY ((size_t)64 << 10) /* of a response that is skipped */
#  define HEADER_MOST ((size_t)256 << 10)  /* of one response; libcurl accepts lines of up to 100 KB */
#  define ENOUGH ((size_t)1 << 20)         /* more memory than libcurl needs for a header */
#  define WAIT 1000                        /* milliseconds between looks at the clock */
#  define SHORT_WAIT 100                   /* the same where the host may cancel */
#  define SIGNING 0x075700                 /* 7.87 signs x-amz- headers */

/* libcurl's own TLS library must precede symbols with the same names that a program exports, such as TensorFlow's.
 * Sanitizers reject this. */
#  ifdef __has_feature
#    if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#      define SANITIZED
#    endif
#  endif
#  if defined RTLD_DEEPBIND && !defined __SANITIZE_ADDRESS__ && !defined SANITIZED
#    define OWN_SYMBOLS RTLD_DEEPBIND
#  else
#    define OWN_SYMBOLS 0
#  endif

/* Options by number, because the loaded libcurl may be newer than the header used here. */
#  define OPTION_PROTOCOLS ((CURLoption)(CURLOPTTYPE_LONG + 181))
#  define OPTION_AWS_SIGV4 ((CURLoption)(CURLOPTTYPE_OBJECTPOINT + 305))
#  define TOO_LARGE ((CURLcode)100)

/* --- The library ---------------------------------------------------------------------- */

/* Its functions, named without curl_. */
#  define FUNCTIONS(F)                                                                                           \
    F(CURLcode, global_init, (long flags))                                                                       \
    F(curl_version_info_data *, version_info, (CURLversion age))                                                 \
    F(CURL *, easy_init, (void))                                                                                 \
    F(void, easy_cleanup, (CURL * easy))                                                                         \
    F(void, easy_reset, (CURL * easy))                                                                           \
    F(CURLcode, easy_setopt, (CURL * easy, CURLoption option, ...))                                              \
    F(CURLcode, easy_getinfo, (CURL * easy, CURLINFO info, ...))                                                 \
    F(const char *, easy_strerror, (CURLcode code))                                                              \
    F(CURLM *, multi_init, (void))                                                                               \
    F(CURLMcode, multi_cleanup, (CURLM * multi))                                                                 \
    F(CURLMcode, multi_add_handle, (CURLM * multi, CURL * easy))                                                 \
    F(CURLMcode, multi_remove_handle, (CURLM * multi, CURL * easy))                                              \
    F(CURLMcode, multi_perform, (CURLM * multi, int *running))                                                   \
    F(CURLMcode, multi_poll, (CURLM * multi, struct curl_waitfd * fds, unsigned count, int timeout, int *ready)) \
    F(CURLMsg *, multi_info_read, (CURLM * multi, int *left))                                                    \
    F(struct curl_slist *, slist_append, (struct curl_slist * list, const char *text))                           \
    F(void, slist_free_all, (struct curl_slist * list))

typedef struct library {
  void *handle;
#  define MEMBER(type, name, arguments) type(*name) arguments;
  FUNCTIONS(MEMBER)
#  undef MEMBER
} library;

static bool find(void *handle, const char *name, void *function) {
  void *found = dlsym(handle, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

static bool find_all(library *l) {
  bool found = true;
#  define FIND(type, name, arguments) found &= find(l->handle, "curl_" #name, &l->name);
  FUNCTIONS(FIND)
#  undef FIND
  return found;
}

static bool load(library *l, cpb_error *error) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib", "libcurl.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names && !l->handle; i++)
    l->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | OWN_SYMBOLS);
  if (!l->handle) {
    cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
             "opening URLs takes libcurl, which was not found: install it (Debian: libcurl4)");
  } else if (!find_all(l)) {
    cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "this libcurl is too old; expected 7.66 or newer");
  } else if (l->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "libcurl cannot be set up");
  }
  return error->code == CPB_OK;
}

struct cpb_exchange {
  cpb_allocator allocator;
  library curl;
  cpb_exchange *home; /* owns the data that all its siblings share */
  CURLM *multi;
  CURL *easy;
  /* of the current request */
  const cpb_request *request;
  const cpb_receiver *receiver;
  struct curl_slist *headers;
  char *led_to; /* the target of redirects */
  cpb_response response;
  bool added, ended; /* `ended`: with this code */
  CURLcode code;
  bool begun, stopped, moved; /* `moved`: there is a Location */
  size_t header;              /* bytes of it so far */
  size_t skipped;             /* bytes of a redirect's body */
  uint64_t last;              /* time of the last bytes */
  char trouble[CURL_ERROR_SIZE];
};

cpb_exchange *cpb_exchange_new(const cpb_allocator *allocator, cpb_error *error) {
  cpb_exchange *x = cpb_alloc_zeroed(allocator, sizeof *x);
  if (!x) return cpb_fail_memory(error), NULL;
  x->allocator = *allocator;
  x->home = x;
  if (load(&x->curl, error)) {
    x->multi = x->curl.multi_init();
    x->easy = x->curl.easy_init();
    if (x->multi && x->easy) return x;
    cpb_fail_memory(error);
  }
  cpb_exchange_free(x);
  return NULL;
}

cpb_exchange *cpb_exchange_beside(cpb_exchange *home) {
  cpb_exchange *x = cpb_alloc_zeroed(&home->allocator, sizeof *x);
  if (!x) return NULL;
  x->allocator = home->allocator;
  x->curl = home->curl;
  x->home = home->home;
  x->multi = home->multi;
  x->easy = x->curl.easy_init();
  if (x->easy) return x;
  cpb_exchange_free(x);
  return NULL;
}

void cpb_exchange_free(cpb_exchange *x) {
  if (!x) return;
  cpb_exchange_cancel(x);
  cpb_release(&x->allocator, x->led_to);
  if (x->easy) x->curl.easy_cleanup(x->easy);
  if (x->multi && x->home == x) x->curl.multi_cleanup(x->multi);
  if (x->curl.handle && x->home == x) dlclose(x->curl.handle);
  cpb_allocator allocator = x->allocator;
  cpb_release(&allocator, x);
}

bool cpb_exchange_can_sign(const cpb_exchange *x) {
  return x->curl.version_info(CURLVERSION_NOW)->version_num >= SIGNING;
}

/* --- The environment --------------------------------------------------------------------- */

static const char *variable(const char *name) { return getenv(name); }

static int read_file(const char *path, cpb_buffer *out) {
  char piece[4096];
  int failed = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  for (ssize_t n = 1; n > 0 && !failed;) {
    n = read(fd, piece, sizeof piece);
    if (n < 0) failed = errno;
    else if (out->size + (size_t)n > CPB_PROFILE_MOST) failed = EFBIG;
    else if (!cpb_buffer_append(out, piece, (size_t)n)) failed = ENOMEM;
  }
  close(fd);
  return failed;
}

const cpb_environment cpb_exchange_environment = {variable, read_file};

/* --- Time ------------------------------------------------------------------------------- */

uint64_t cpb_url_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int64_t cpb_exchange_now(void) { return (int64_t)time(NULL); }

void cpb_exchange_pause(uint64_t milliseconds) {
  struct timespec left = {.tv_sec = (time_t)(milliseconds / 1000), .tv_nsec = (long)(milliseconds % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

/* --- What comes ------------------------------------------------------------------------- */

static bool is_redirect(const cpb_response *r) {
  return r->status == 301 || r->status == 302 || r->status == 303 || r->status == 307 || r->status == 308;
}

static bool is_location(const char *line, size_t length) {
  static const char name[] = "location:";
  for (size_t i = 0; name[i]; i++)
    if (i == length || (line[i] | 0x20) != (name[i] | 0x20)) return false;
  return true;
}

static size_t take_header(char *line, size_t one, size_t length, void *user) {
  cpb_exchange *x = user;
  x->last = cpb_url_clock();
  x->header += length;
  if (x->header > HEADER_MOST) return 0;
  if (!x->begun) cpb_response_line(&x->response, line, length);
  bool ends = length > 0 && (line[0] == '\r' || line[0] == '\n');
  x->moved = x->moved || is_location(line, length);
  bool leads_on = x->moved && is_redirect(&x->response);
  if (!ends || x->begun || x->response.status < 200 || leads_on) return one * length;
  x->begun = true;
  x->stopped = !x->receiver->begin(x->receiver->user, &x->response);
  return x->stopped ? 0 : length;
}

static size_t take_body(char *data, size_t one, size_t length, void *user) {
  cpb_exchange *x = user;
  x->last = cpb_url_clock();
  if (!x->begun) {
    x->skipped += length;
    return x->skipped <= REDIRECT_BODY ? one * length : 0;
  }
  x->stopped = x->stopped || !x->receiver->take(x->receiver->user, (const uint8_t *)data, length);
  return x->stopped ? 0 : length;
}

/* --- One request ------------------------------------------------------------------------ */

/* The headers to send, or NULL if memory is short. */
static struct curl_slist *headers_for(cpb_exchange *x, bool at_home) {
  const cpb_request *r = x->request;
  const char *const *lists[] = {at_home ? r->headers : NULL, at_home && r->keys ? r->signed_headers : NULL};
  struct curl_slist *list = x->curl.slist_append(NULL, "Accept-Encoding: identity"), *longer = list;
  if (longer && r->condition) longer = x->curl.slist_append(list, r->condition);
  if (longer && at_home && r->token) longer = x->curl.slist_append(list, r->token);
  for (size_t i = 0; i < 2; i++)
    for (const char *const *header = lists[i]; longer && header && *header; header++)
      longer = x->curl.slist_append(list, *header);
  if (!longer) x->curl.slist_free_all(list);
  return longer;
}

/* Applies variables that libcurl's command supports and the library does not. */
static void set_certificates(cpb_exchange *x) {
  const char *bundle = getenv("CURL_CA_BUNDLE"), *file = getenv("SSL_CERT_FILE"), *folder = getenv("SSL_CERT_DIR");
  if (!bundle || !*bundle) bundle = file;
  if (bundle && *bundle) x->curl.easy_setopt(x->easy, CURLOPT_CAINFO, bundle);
  if (folder && *folder) x->curl.easy_setopt(x->easy, CURLOPT_CAPATH, folder);
}

static bool has_default(const cpb_buffer *netrc) {
  static const char word[] = "default";
  size_t length = sizeof word - 1, same = 0;
  for (size_t i = 0; i + length <= netrc->size && same < length; i++)
    for (same = 0; same < length && (netrc->data[i + same] | 0x20) == word[same];) same++;
  return same == length;
}

/* Where to look for a password: in ~/.netrc. A request that was redirected to another machine may use that machine's
 * entry, but not the "default" entry; libcurl cannot distinguish them. */
static void set_netrc(cpb_exchange *x, bool at_home) {
  char path[4096];
  cpb_buffer netrc;
  const char *home = getenv("HOME");
  bool looks = at_home;
  cpb_buffer_init(&netrc, &x->allocator);
  if (!at_home && home && strlen(home) + sizeof "/.netrc" <= sizeof path) {
    cpb_format(path, sizeof path, "%s/.netrc", home);
    looks = read_file(path, &netrc) == 0 && !has_default(&netrc);
    if (looks) x->curl.easy_setopt(x->easy, CURLOPT_NETRC_FILE, path);
  }
  if (looks) x->curl.easy_setopt(x->easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
  cpb_buffer_free(&netrc);
}

static void set_up(cpb_exchange *x, const char *url, bool at_home) {
  const cpb_request *r = x->request;
  CURLcode (*set)(CURL *, CURLoption, ...) = x->curl.easy_setopt;
  CURL *easy = x->easy;
  x->curl.easy_reset(easy);
  set(easy, CURLOPT_URL, url);
  set(easy, OPTION_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_USERAGENT, "cpb/" CPB_VERSION_STRING);
  set(easy, CURLOPT_RANGE, r->range);
  set(easy, CURLOPT_HTTPHEADER, x->headers);
  set(easy, CURLOPT_PRIVATE, (void *)x);
  set(easy, CURLOPT_HEADERFUNCTION, take_header);
  set(easy, CURLOPT_HEADERDATA, x);
  set(easy, CURLOPT_WRITEFUNCTION, take_body);
  set(easy, CURLOPT_WRITEDATA, x);
  set(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  set(easy, CURLOPT_ERRORBUFFER, x->trouble);
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!r->signature) set_netrc(x, at_home);
  if (r->signature) set(easy, CURLOPT_PATH_AS_IS, 1L);
  if (at_home && r->keys) {
    set(easy, OPTION_AWS_SIGV4, r->signature);
    set(easy, CURLOPT_USERPWD, r->keys);
  }
  set_certificates(x);
}

/* Longest time to wait, in milliseconds; 0 once the request has failed, with the error set. */
static uint64_t time_left(const cpb_exchange *x, cpb_outcome *outcome, cpb_error *error) {
  const cpb_request *r = x->request;
  uint64_t now = cpb_url_clock(), end = x->last + r->idle_time;
  if (r->cancelled && r->cancelled(r->user)) {
    cpb_fail(error, CPB_E_CANCELLED, CPB_NO_OFFSET, "%s", cpb_code_text(CPB_E_CANCELLED));
    *outcome = CPB_REFUSED;
    return 0;
  }
  if (r->deadline > 0 && now >= r->deadline) {
    cpb_fail(error, CPB_E_UNAVAILABLE, CPB_NO_OFFSET, "the time for reading is over");
    *outcome = CPB_REFUSED;
    return 0;
  }
  if (now >= end) {
    cpb_fail(error, CPB_E_UNAVAILABLE, CPB_NO_OFFSET, "no bytes from the server for %llu ms",
             (unsigned long long)r->idle_time);
    *outcome = CPB_INTERRUPTED;
    return 0;
  }
  if (r->deadline > 0) end = cpb_min_u64(end, r->deadline);
  return cpb_min_u64(end - now, r->cancelled ? SHORT_WAIT : WAIT);
}

/* Whether a new attempt may succeed. */
static bool may_pass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_AGAIN:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return true;
    default: return false;
  }
}

/* Whether a server sent a header, or a line of one, without an end: libcurl reports such a line as lack of memory. */
static bool is_header_too_long(const cpb_exchange *x, CURLcode code) {
  long sent = 0;
  if (x->header > HEADER_MOST) return true;
  x->curl.easy_getinfo(x->easy, CURLINFO_REQUEST_SIZE, &sent);
  if (code == TOO_LARGE) return sent > 0;
  void *memory = code == CURLE_OUT_OF_MEMORY && sent > 0 && !x->begun ? cpb_alloc(&x->allocator, ENOUGH) : NULL;
  cpb_release(&x->allocator, memory);
  return memory != NULL;
}

static cpb_outcome fail_with(cpb_exchange *x, CURLcode code, cpb_error *error) {
  char text[160];
  const char *said = *x->trouble ? x->trouble : x->curl.easy_strerror(code);
  if (is_header_too_long(x, code)) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET,
             "the server's header is too long; expected lines of up to 100,000 bytes, and up to %zu in all",
             HEADER_MOST);
    return CPB_REFUSED;
  }
  if (code == CURLE_OUT_OF_MEMORY) return cpb_fail_memory(error), CPB_REFUSED;
  const bool passes = may_pass(code), is_other = code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY;
  cpb_fail(error, passes ? CPB_E_UNAVAILABLE : CPB_E_READ, CPB_NO_OFFSET, "%s (%s)",
           x->begun   ? "the response broke off"
           : is_other ? "the response is not HTTP"
                      : "no response",
           cpb_quote(text, sizeof text, said, strlen(said)));
  long number = 0;
  if (x->curl.easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK) error->system = (int16_t)number;
  return passes ? CPB_INTERRUPTED : CPB_REFUSED;
}

/* Notes which of the concurrent requests have ended. */
static void note_ended(cpb_exchange *x) {
  int left;
  for (CURLMsg *message; (message = x->curl.multi_info_read(x->multi, &left));) {
    char *user = NULL;
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result;
    x->curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
    cpb_exchange *other = (cpb_exchange *)(void *)user;
    other->ended = true;
    other->code = code;
  }
}

/* Runs the request to its end, while the others continue. */
static cpb_outcome drive(cpb_exchange *x, cpb_error *error) {
  cpb_outcome outcome = CPB_RECEIVED;
  int running;
  x->last = cpb_url_clock();
  while (x->added && !x->ended && x->curl.multi_perform(x->multi, &running) == CURLM_OK) {
    note_ended(x);
    if (x->ended) break;
    uint64_t wait = time_left(x, &outcome, error);
    if (wait == 0) break;
    x->curl.multi_poll(x->multi, NULL, 0, (int)wait, NULL);
  }
  CURLcode code = x->ended ? x->code : CURLE_OUT_OF_MEMORY;
  bool unwanted = x->stopped || x->skipped > REDIRECT_BODY;
  if (error->code != CPB_OK || unwanted || code == CURLE_OK) return outcome;
  return fail_with(x, code, error);
}

void cpb_exchange_cancel(cpb_exchange *x) {
  if (x->added) x->curl.multi_remove_handle(x->multi, x->easy);
  if (x->headers) x->curl.slist_free_all(x->headers);
  x->added = x->ended = false;
  x->headers = NULL;
}

/* Begins a request for `drive`, unless memory is short. */
static void begin(cpb_exchange *x, const char *url) {
  int running;
  bool at_home = cpb_address_same_origin(x->request->url, url);
  cpb_exchange_cancel(x);
  x->headers = headers_for(x, at_home);
  x->begun = x->stopped = x->moved = false;
  x->header = x->skipped = 0;
  x->response = (cpb_response){0};
  *x->trouble = 0;
  if (!x->headers) return;
  set_up(x, url, at_home);
  x->added = x->curl.multi_add_handle(x->multi, x->easy) == CURLM_OK;
  if (x->added) x->curl.multi_perform(x->multi, &running);
}

/* --- Redirects --------------------------------------------------------------------------- */

/* A copy of the target of a redirect; NULL with the error set. */
static char *next_url(cpb_exchange *x, cpb_error *error) {
  cpb_address before, after;
  char *from = NULL, *to = NULL;
  x->curl.easy_getinfo(x->easy, CURLINFO_EFFECTIVE_URL, &from);
  x->curl.easy_getinfo(x->easy, CURLINFO_REDIRECT_URL, &to);
  bool good =
      from && to && cpb_address_parse(from, &before) && cpb_address_parse(to, &after) && cpb_address_is_http(&after);
  if (!good) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the server answered %d, which leads to no http or https URL",
             x->response.status);
    return NULL;
  }
  if (cpb_address_has_scheme(&before, "https") && !cpb_address_has_scheme(&after, "https")) {
    cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the server answered %d, which leads from https to http",
             x->response.status);
    return NULL;
  }
  size_t size = strlen(to) + 1;
  char *copy = cpb_alloc(&x->allocator, size);
  if (copy) memcpy(copy, to, size);
  else cpb_fail_memory(error);
  return copy;
}

void cpb_exchange_start(cpb_exchange *x, const cpb_request *request, const cpb_receiver *receiver) {
  x->request = request;
  x->receiver = receiver;
  cpb_release(&x->allocator, x->led_to);
  x->led_to = NULL;
  begin(x, request->target ? request->target : request->url);
}

cpb_outcome cpb_exchange_finish(cpb_exchange *x, cpb_error *error) {
  cpb_outcome outcome = drive(x, error);
  for (int left = REDIRECTS; outcome == CPB_RECEIVED && !x->begun; left--) {
    char *next = left > 0 ? next_url(x, error) : NULL;
    cpb_release(&x->allocator, x->led_to);
    x->led_to = next;
    if (left == 0) cpb_fail(error, CPB_E_READ, CPB_NO_OFFSET, "the server redirects more than %d times", REDIRECTS);
    if (next) begin(x, next);
    outcome = next ? drive(x, error) : CPB_REFUSED;
  }
  cpb_exchange_cancel(x);
  return outcome;
}

const char *cpb_exchange_led_to(const cpb_exchange *x) { return x->led_to; }
#endif
