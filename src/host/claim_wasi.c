/* WASI preview 1 has no locks. */
#include <fcntl.h>

#include "host/claim.h"
#include "host/descriptor.h"

cpb_code cpb_claim_take(cpb_claim *claim, const char *path, unsigned wait, cpb_error *error) {
  (void)wait;
  *claim = (cpb_claim){.path = path, .fd = open(path, O_RDWR)};
  return claim->fd >= 0 ? CPB_OK : cpb_fail_errno(error, CPB_E_WRITE);
}

cpb_code cpb_claim_check(const cpb_claim *claim, bool written, cpb_error *error) {
  (void)claim, (void)written, (void)error;
  return CPB_OK;
}
