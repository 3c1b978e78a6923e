#include "riegeli/transpose/encoder_state.h"

bool cpb_transpose_no_memory(const cpb_transpose_encoder *e) {
  cpb_codec_fail(e->error, CPB_E_MEMORY, "out of memory");
  return false;
}

bool cpb_transpose_too_much(const cpb_transpose_encoder *e, const char *what) {
  cpb_codec_fail(e->error, CPB_E_LIMIT, what);
  return false;
}
