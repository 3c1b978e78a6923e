/* Zstd's encoders have a function for each length of a match. Each is called in one place, so compilers would inline
 * them all into one function of 19 KB. V8 takes 80 ms and 9 MB of memory to compile that: longer than it takes to find
 * out that many a chunk does not compress. */
#ifndef CPB_ZSTD_APART_H
#define CPB_ZSTD_APART_H

/* Declares a function, which has the type of the one that calls it. */
#define CPB_APART(caller, name) static __attribute__((noinline)) __typeof__(caller) name;

#endif
