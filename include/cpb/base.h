/* cpb/base.h: what every other libcpb header uses: errors, memory, limits and
 * the way an engine asks its host for input.
 *
 * libcpb never reads, writes or blocks. Each operation is an engine, a state
 * machine that the host drives:
 *
 *     for (;;) {
 *       switch (cpb_record_reader_step(reader)) {
 *         case CPB_STEP_NEED:   answer cpb_record_reader_input(reader); break;
 *         case CPB_STEP_RECORD: ...; break;
 *         case CPB_STEP_DATA:   ...; break;
 *         case CPB_STEP_DONE:   return 0;
 *         case CPB_STEP_ERROR:  print cpb_record_reader_error(reader)->message;
 *       }
 *     }
 *
 * The thin blocking drivers for files are in cpb/file.h.
 *
 * An object belongs to one thread at a time; different objects are independent
 * (the library has no global state). */
#ifndef CPB_BASE_H
#define CPB_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(CPB_SHARED)
#  ifdef CPB_BUILDING
#    define CPB_API __declspec(dllexport)
#  else
#    define CPB_API __declspec(dllimport)
#  endif
#elif defined(__GNUC__)
#  define CPB_API __attribute__((visibility("default")))
#else
#  define CPB_API
#endif

#define CPB_VERSION_MAJOR 0
#define CPB_VERSION_MINOR 1
#define CPB_VERSION_PATCH 0
#define CPB_VERSION_STRING "0.1.0"

/* The version of the library that is linked, "MAJOR.MINOR.PATCH". */
CPB_API const char *cpb_version(void);

/* --- Errors --------------------------------------------------------------- */

/* X(name, number, text). The numbers are stable. */
#define CPB_CODES(X)                                              \
  X(OK, 0, "no error")                                            \
  X(USAGE, 1, "an argument is wrong or a call came out of order") \
  X(MEMORY, 2, "out of memory")                                   \
  X(DAMAGED, 3, "the input is damaged")                           \
  X(TRUNCATED, 4, "the input ends too early")                     \
  X(FORMAT, 5, "the input is not of this kind")                   \
  X(UNSUPPORTED, 6, "this version of libcpb cannot read it")      \
  X(LIMIT, 7, "a limit was reached")                              \
  X(NOT_FOUND, 8, "no such chunk, record or field")               \
  X(READ, 9, "reading failed")                                    \
  X(WRITE, 10, "writing failed")                                  \
  X(CANCELLED, 11, "the host cancelled the operation")

typedef enum cpb_code {
  CPB_OK = 0,
#define CPB_CODE_ENUM(name, number, text) CPB_E_##name = number,
  CPB_CODES(CPB_CODE_ENUM)
#undef CPB_CODE_ENUM
} cpb_code;

/* The code's name, such as "DAMAGED", and its one-line meaning. Never NULL. */
CPB_API const char *cpb_code_name(cpb_code code);
CPB_API const char *cpb_code_text(cpb_code code);

#define CPB_NO_OFFSET UINT64_MAX

/* What went wrong, where, and what was expected there.
 *
 * A function that takes a `cpb_error *` clears it first (CPB_OK, CPB_NO_OFFSET
 * and ""), so the struct needs no initializer and afterwards tells how this call
 * ended. It may be NULL. On failure the function returns NULL or the error's
 * code, has freed what it made, and the arguments stay the caller's; its header
 * says where one does not.
 *
 * An engine keeps its error instead, to be had from cpb_<engine>_error(): once it
 * has failed, each step returns CPB_STEP_ERROR, and the error stays as it is. */
typedef struct cpb_error {
  cpb_code code;
  uint64_t offset;   /* byte offset in the input file, or CPB_NO_OFFSET */
  char message[256]; /* one line of UTF-8, without file name or newline */
} cpb_error;

/* --- Memory --------------------------------------------------------------- */

/* Where memory comes from. NULL for an allocator argument means malloc.
 * Any allocation may fail (return NULL): the operation then ends with
 * CPB_E_MEMORY and frees what it had. The struct is copied; `user` must
 * outlive every object made with it. */
typedef struct cpb_allocator {
  void *user;
  void *(*allocate)(void *user, size_t size); /* size > 0 */
  void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
  void (*release)(void *user, void *block); /* block != NULL */
} cpb_allocator;

/* --- Limits against hostile input ------------------------------------------ */

/* Each limit is checked before the memory is taken, and has an error text of
 * its own (code CPB_E_LIMIT). Zero means the default. */
typedef struct cpb_limits {
  size_t struct_size;         /* sizeof(cpb_limits) */
  uint64_t riegeli_chunk;     /* decoded bytes of a Riegeli chunk that must be
                                 held in memory (transposed chunks, record sizes);
                                 default 2 GiB (256 MiB where size_t has 32
                                 bits). What streams through has no limit */
  uint64_t window;            /* bytes of a decoder's window; default 128 MiB
                                 (8 MiB where size_t has 32 bits) */
  uint64_t chunks;            /* chunks in a ChunkMetadata; default 2^24 */
  uint64_t records_per_chunk; /* records in a Riegeli chunk; default 2^24 */
  uint32_t depth;             /* nested messages; default 100 */
} cpb_limits;

/* --- Input ---------------------------------------------------------------- */

/* What an engine's step answers. Each engine's header says which it uses. */
typedef enum cpb_step {
  CPB_STEP_ERROR = -1, /* see the engine's error; final */
  CPB_STEP_DONE = 0,
  CPB_STEP_NEED,    /* answer the engine's cpb_input, then step again */
  CPB_STEP_RECORD,  /* a record begins */
  CPB_STEP_DATA,    /* bytes of the record or message */
  CPB_STEP_SKIPPED, /* recovery: a region was skipped */
  CPB_STEP_OUTPUT   /* bytes to write */
} cpb_step;

/* The input that an engine asks for and the host lends.
 *
 * After CPB_STEP_NEED, cpb_input_need() says what is wanted; the host answers
 * with cpb_input_supply() or cpb_input_end() (or both) and steps again. */
typedef struct cpb_input cpb_input;

typedef enum cpb_need_kind {
  CPB_NEED_NONE = 0,
  CPB_NEED_RANGE, /* bytes from `offset` on */
  CPB_NEED_SIZE   /* the total size, by cpb_input_end(); the engine will then
                     want the last `length` bytes, or all if there are fewer: a
                     host may fetch them in the same request and lend them along
                     with the size, and is then not asked for them */
} cpb_need_kind;

/* What to fetch. `length` is what the engine reads now: it cannot go on without
 * the first of these bytes. `ahead` is a hint: all that it will ask for next, in
 * this order, if nothing comes between. A host whose requests are dear answers
 * with `ahead` bytes from one, or with as many of them as it likes to hold; then
 *  - an index takes two requests, the second only if it is larger than 64 KiB;
 *  - a chunk with a Riegeli chunk of its own takes one, of exactly its bytes;
 *  - a range of the merged message takes one for all chunks that lie together;
 *  - what is read on to the end of the input takes one: `ahead` goes to the end,
 *    or to 2^64 as long as the size is not known, and the host may lend a
 *    streaming response as it comes in.
 * Bytes that the host has kept from an earlier answer need not be fetched again:
 * `ahead` may reach over them. */
typedef struct cpb_need {
  cpb_need_kind kind;
  uint64_t offset; /* from the beginning of the input; 0 for CPB_NEED_SIZE */
  size_t length;   /* > 0; at most the engine's read_size, or a tail */
  uint64_t ahead;  /* >= length; no further than the end of the input, if that
                      was said */
} cpb_need;

/* Bytes [offset, offset + length) of an input. */
typedef struct cpb_range {
  uint64_t offset, length;
} cpb_range;

/* What the engine waits for; kind CPB_NEED_NONE when it waits for nothing. */
CPB_API void cpb_input_need(const cpb_input *input, cpb_need *need);

/* Lends the bytes [offset, offset + length) of the input. They must include
 * the byte at need.offset, and may begin before it and end anywhere after it
 * (fewer than asked for is fine: the engine asks again for the rest). The
 * engine reads them in place: they must stay valid and unchanged until a step
 * answers CPB_STEP_NEED, CPB_STEP_DONE or CPB_STEP_ERROR. */
CPB_API void cpb_input_supply(cpb_input *input, uint64_t offset, const void *data, size_t length);

/* Says that the input ends at `size`. Until this is said, bytes that are not
 * there have not arrived yet; afterwards they are missing. A growing input may
 * be given a larger size later: engines that were at its end then go on. */
CPB_API void cpb_input_end(cpb_input *input, uint64_t size);

/* Ends the operation with CPB_E_READ (or CPB_E_CANCELLED) at need.offset. */
CPB_API void cpb_input_fail(cpb_input *input, cpb_code code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
