/* Tests that try large numbers of cases try only a part: about three in `stride` cases. Under sanitizers,
 * where each case takes twenty times as long, they try one in four times `stride`, or one in two if `stride` is 2.
 * With CPB_TEST_ALL in the environment these tests try all cases. */
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
  return stride > 2 ? 4 * stride | 1 : stride; /* seeds that are all even make less */
#else
  return (stride + 2) / 3 | 1;
#endif
}

#endif
