/* libcpb @VERSION@ in one file, with what it needs of nanopb and yyjson:
 *
 *     cc -O2 -c cpb.c
 *
 * It includes the headers of zstd, brotli and zlib, and is linked with their libraries.
 * What its users include is cpb.h. Macros leave parts out:
 *
 *     CPB_NO_MODELS   what a model holds (cpb/model.h, values.h, checkpoint.h, samediff.h); no zlib
 *     CPB_NO_WRITING  what writes .cpb files, Riegeli files and SameDiff zips
 *     CPB_NO_BROTLI   reading and writing Brotli; no brotli
 *     CPB_NO_FILES    cpb/file.h: input and output
 *     CPB_NO_THREADS  merging by several threads; no pthread
 *
 * What is left out is declared all the same, and not there to be linked.
 *
 * Made of the sources of libcpb by tools/amalgamate.py: change those. */

#ifndef CPB_NO_FILES
#  define _POSIX_C_SOURCE 200809L
#  define _DARWIN_C_SOURCE
#  define _FILE_OFFSET_BITS 64
#endif
#if !defined(CPB_NO_THREADS) && \
    (defined(__wasi__) || (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)))
#  define CPB_NO_THREADS
#endif
#ifdef __wasi__ /* has no longjmp: brotli must be compiled with BROTLI_ENCODER_CLEANUP_ON_OOM */
#  define CPB_BROTLI_CLEANS_UP
#endif
#define CPB_BUILDING
#define CPB_YYJSON_WITHIN
#define yyjson_api static
#define ZSTD_STATIC_LINKING_ONLY

#ifdef CPB_AMALGAMATION_TEST /* the tests of libcpb call what is not public */
#  define CPB_INTERNAL
#  define CPB_INTERNAL_DATA extern
#else
#  define CPB_INTERNAL static
#  define CPB_INTERNAL_DATA static
#endif

#ifdef __GNUC__
#  define CPB_HIDDEN __attribute__((visibility("hidden")))
#  pragma GCC diagnostic ignored "-Wunused-function" /* where something is left out */
#  pragma GCC diagnostic ignored "-Wunused-const-variable"
#  pragma GCC diagnostic ignored "-Woverlength-strings" /* lists of names */
#else
#  define CPB_HIDDEN
#endif
#ifdef __wasi__
#  pragma GCC diagnostic ignored "-Wgnu-statement-expression" /* SEEK_SET */
#endif

#include "cpb.h"
