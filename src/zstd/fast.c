#include "compress/zstd_fast.h"

#include "apart.h"

#define APART(name) CPB_APART(ZSTD_compressBlock_fast, ZSTD_compressBlock_fast_##name)

APART(noDict_4_0)
APART(noDict_5_0)
APART(noDict_6_0) APART(noDict_7_0) APART(noDict_4_1) APART(noDict_5_1) APART(noDict_6_1) APART(noDict_7_1)

#include "compress/zstd_fast.c"
