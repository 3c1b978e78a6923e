#include "compress/zstd_double_fast.h"

#include "apart.h"

#define APART(name) CPB_APART(ZSTD_compressBlock_doubleFast, ZSTD_compressBlock_doubleFast_##name)

APART(noDict_4) APART(noDict_5) APART(noDict_6) APART(noDict_7)

#include "compress/zstd_double_fast.c"
