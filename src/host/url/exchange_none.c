/* Without libcurl. */
#ifndef CPB_WITH_CURL
#  include <errno.h>

#  include "base/status.h"
#  include "cpb/url.h"
#  include "host/url/exchange.h"

#  ifdef __wasi__
#    define ADVICE                                                                           \
      "WASI has no sockets here, so URLs are not opened: use cpb-http.wasm, or a host that " \
      "reads ranges (cpb-component.wasm), or download the file first"
#  else
#    define ADVICE                                                                          \
      "this build of libcpb opens no URLs: it was compiled without libcurl. Build it with " \
      "-DCPB_WITH_CURL=ON (Debian: libcurl4-openssl-dev), or download the file first"
#  endif

cpb_exchange *cpb_exchange_new(const cpb_allocator *allocator, cpb_error *error) {
  (void)allocator;
  return cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, ADVICE), NULL;
}

cpb_exchange *cpb_exchange_beside(cpb_exchange *exchange) {
  (void)exchange;
  return NULL;
}

void cpb_exchange_free(cpb_exchange *exchange) { (void)exchange; }

bool cpb_exchange_can_sign(const cpb_exchange *exchange) {
  (void)exchange;
  return false;
}

void cpb_exchange_start(cpb_exchange *exchange, const cpb_request *request, const cpb_receiver *receiver) {
  (void)exchange, (void)request, (void)receiver;
}

void cpb_exchange_cancel(cpb_exchange *exchange) { (void)exchange; }

cpb_outcome cpb_exchange_finish(cpb_exchange *exchange, cpb_error *error) {
  (void)exchange;
  cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "no URLs");
  return CPB_REFUSED;
}

const char *cpb_exchange_led_to(const cpb_exchange *exchange) {
  (void)exchange;
  return NULL;
}

static const char *variable(const char *name) {
  (void)name;
  return NULL;
}

static int read_file(const char *path, cpb_buffer *out) {
  (void)path, (void)out;
  return ENOENT;
}

const cpb_environment cpb_exchange_environment = {variable, read_file};

int64_t cpb_exchange_now(void) { return 0; }
void cpb_exchange_pause(uint64_t milliseconds) { (void)milliseconds; }
uint64_t cpb_url_clock(void) { return 0; }
#endif
