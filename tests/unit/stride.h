/* Tests that try large numbers of cases try only a part. Under sanitizers, where each case takes
 * twenty times as long, this is each `stride`th case; otherwise about three times as many. With
 * CPB_TEST_ALL in the environment these tests try all cases. */
#ifndef STRIDE_H
#define STRIDE_H

#include <stdlib.h>

#if defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define CPB_TEST_SANITIZED 1
#  endif
#endif

static inline unsigned sanitized_stride(unsigned stride) {
  if (getenv("CPB_TEST_ALL")) return 1;
#ifdef CPB_TEST_SANITIZED
  return stride;
#else
  return (stride + 2) / 3 | 1; /* seeds that are all even make less */
#endif
}

#endif
