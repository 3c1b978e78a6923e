/* Under sanitizers, where each step takes twenty times as long, what is tried in large
 * numbers is tried in part: each `stride`th. With CPB_TEST_ALL in the environment all are. */
#ifndef STRIDE_H
#define STRIDE_H

#include <stdlib.h>

#if defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define CPB_TEST_SANITIZED 1
#  endif
#endif

static inline unsigned sanitized_stride(unsigned stride) {
#ifdef CPB_TEST_SANITIZED
  return getenv("CPB_TEST_ALL") ? 1 : stride;
#else
  (void)stride;
  return 1;
#endif
}

#endif
