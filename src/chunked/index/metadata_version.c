/* Which versions of the format are read: all that a pager takes of the metadata. */
#include "base/status.h"
#include "chunked/index/metadata.h"

bool cpb_metadata_accept_join(int32_t version, cpb_error *error) {
  if (version <= CPB_JOIN_VERSION) return true;
  return CPB_FAILS(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                   "join_version is %d; libcpb " CPB_VERSION_STRING " supports versions up to %d", (int)version,
                   CPB_JOIN_VERSION);
}

bool cpb_metadata_accept_consumer(int32_t bad, cpb_error *error) {
  if (bad < 0 || bad > CPB_JOIN_VERSION) return true;
  return CPB_FAILS(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                   "bad_consumers lists join version %d, one that libcpb " CPB_VERSION_STRING " supports", (int)bad);
}
