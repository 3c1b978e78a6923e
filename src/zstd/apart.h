/* Of Zstd's encoders, the function for each length of a match is called at one place, and would become part of
 * one function for all. V8 compiles such a function of 19 KB for 80 ms, with 9 MB of memory: longer than it
 * takes to find out that many a chunk does not compress. */
#ifndef CPB_ZSTD_APART_H
#define CPB_ZSTD_APART_H

/* Declares a function, which has the type of the one that calls it. */
#define CPB_APART(caller, name) static __attribute__((noinline)) __typeof__(caller) name;

#endif
