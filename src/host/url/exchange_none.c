/* Without libcurl. */
#ifndef CPB_WITH_CURL
#  include "base/status.h"
#  include "cpb/url.h"
#  include "host/url/exchange.h"

cpb_exchange *cpb_exchange_new(const cpb_allocator *allocator, cpb_error *error) {
  (void)allocator;
  cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
           "this build of libcpb opens no URLs: it was compiled without libcurl. Build it with "
           "-DCPB_WITH_CURL=ON (Debian: libcurl4-openssl-dev), or download the file first");
  return NULL;
}

void cpb_exchange_free(cpb_exchange *exchange) { (void)exchange; }

bool cpb_exchange_can_sign(const cpb_exchange *exchange) {
  (void)exchange;
  return false;
}

cpb_outcome cpb_exchange_run(cpb_exchange *exchange, const cpb_request *request, const cpb_receiver *receiver,
                             cpb_error *error) {
  (void)exchange, (void)request, (void)receiver;
  cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "no URLs");
  return CPB_REFUSED;
}

const char *cpb_exchange_variable(const char *name) {
  (void)name;
  return NULL;
}

int64_t cpb_exchange_now(void) { return 0; }
void cpb_exchange_pause(uint64_t milliseconds) { (void)milliseconds; }
uint64_t cpb_url_clock(void) { return 0; }
#endif
