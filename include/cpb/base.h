/* cpb/base.h: errors, memory, limits and input: what all other headers use.
 *
 * Every operation of libcpb is an engine: an object that a program, its host,
 * steps until it is done. An engine never reads, writes or blocks. When it lacks
 * bytes of its input, its step returns CPB_STEP_NEED. The host then fetches them
 * in whatever way it has, lends them to the engine, and steps again:
 *
 *     cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
 *     for (;;) {
 *       switch (cpb_record_reader_step(reader)) {
 *         case CPB_STEP_NEED: {
 *           cpb_input *input = cpb_record_reader_input(reader);
 *           cpb_need need;
 *           cpb_input_need(input, &need);
 *           ...fetch need.length bytes from need.offset on...
 *           cpb_input_supply(input, need.offset, data, need.length);
 *           break;
 *         }
 *         case CPB_STEP_RECORD: ...a record begins...; break;
 *         case CPB_STEP_DATA:   ...bytes of it...; break;
 *         case CPB_STEP_DONE:   return 0;
 *         default: fputs(cpb_record_reader_error(reader)->message, stderr); return 1;
 *       }
 *     }
 *
 * A program that may block leaves the fetching to cpb_file (cpb/file.h).
 *
 * All engines have the same functions:
 *   cpb_<engine>_new    NULL when memory is short
 *   cpb_<engine>_input  the input it waits for; ask again after each
 *                       CPB_STEP_NEED, as it may be another one. It is part of
 *                       the engine
 *   cpb_<engine>_step   runs until there is something to tell
 *   cpb_<engine>_error  why a step returned CPB_STEP_ERROR
 *   cpb_<engine>_free   NULL is allowed, as in free()
 *
 * Conventions of all headers:
 * - Offsets and sizes count bytes. Those of files and messages are uint64_t, on
 *   32-bit systems, too.
 * - Text is UTF-8. Where a length goes with it, no NUL is needed.
 * - The first member of an options struct is its size, which tells the library
 *   which members the caller knows. Any other member may be zero, which means its
 *   default. NULL for the struct means all defaults.
 * - NULL for an allocator means malloc; limits may be NULL as well.
 * - What a function returns a pointer to belongs to the object that was asked.
 * - An object is used by one thread at a time. Different objects are independent:
 *   the library has no global state. */
#ifndef CPB_BASE_H
#define CPB_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
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
  X(FORMAT, 5, "the input has another format")                    \
  X(UNSUPPORTED, 6, "this version of libcpb cannot read it")      \
  X(LIMIT, 7, "a limit was reached")                              \
  X(NOT_FOUND, 8, "no such file, chunk, record or field")         \
  X(READ, 9, "reading failed")                                    \
  X(WRITE, 10, "writing failed")                                  \
  X(CANCELLED, 11, "the host cancelled the operation")            \
  X(DENIED, 12, "the file may not be read")                       \
  X(UNAVAILABLE, 13, "the server cannot be reached, or not now")

/* CPB_OK, CPB_E_USAGE, CPB_E_MEMORY and so on. */
typedef enum cpb_code {
  CPB_OK = 0,
#define CPB_CODE_ENUM(name, number, text) CPB_E_##name = number,
  CPB_CODES(CPB_CODE_ENUM)
#undef CPB_CODE_ENUM
} cpb_code;

/* The code's name, such as "DAMAGED", and its text from the list above. For a
 * number that is none "UNKNOWN" and "unknown error code". */
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
 * has failed, each step returns CPB_STEP_ERROR, and the error stays as it is.
 * Before that its code is CPB_OK. */
typedef struct cpb_error {
  cpb_code code;

  /* The system's number (errno) and the status of the HTTP response that it is about; 0: none.
   * CPB_E_NOT_FOUND with one of them is about a file, without one about what is in a file. */
  int16_t system, status;

  /* The byte of the input that the error is about, or CPB_NO_OFFSET. */
  uint64_t offset;

  /* One line without a newline; it names no file. */
  char message[256];
} cpb_error;

/* --- Memory --------------------------------------------------------------- */

/* Where memory comes from. Any call may return NULL: the operation under way then
 * ends with CPB_E_MEMORY, and the object can still be freed. A host can so end what
 * takes long within one step: Brotli at level 11, which needs a minute for 32 MiB,
 * asks for each block of 256 KiB. The struct is copied into every object that is made
 * with it; `user` must outlive them all. */
typedef struct cpb_allocator {
  /* Passed to each of the functions. */
  void *user;

  /* A block of `size` bytes, aligned as by malloc. `size` is not 0. */
  void *(*allocate)(void *user, size_t size);

  /* As realloc: the block may move, and keeps its content up to the smaller of
   * the sizes. After a failure it is as it was. Neither size is 0. */
  void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);

  /* `block` is not NULL. */
  void (*release)(void *user, void *block);
} cpb_allocator;

/* --- Limits against hostile input ------------------------------------------ */

/* X(NAME, name, unit): what is counted. */
#define CPB_WORKS(X)                                           \
  X(DECODED, decoded, "decoded bytes")                         \
  X(HELD, held, "bytes of memory")                             \
  X(WALKED, walked, "bytes of messages that are gone through") \
  X(ENTRIES, entries, "entries")                               \
  X(ANSWER, answer, "bytes of the answer")                     \
  X(INDEX, index, "bytes of the chunk index")

/* How much engines have done. It depends on nothing but the input and what was asked for, and
 * is therefore what tests of complexity compare, rather than time. */
typedef struct cpb_work {
  /* Bytes that were decompressed; those that were decoded again count again. */
  uint64_t decoded;

  /* The most bytes of memory that an engine held at once, decoders aside; of several engines, the
   * sum. */
  uint64_t held;

  /* Bytes of messages, tables and lists that were read through; those that were read again count
   * again. */
  uint64_t walked;

  /* What was made or compared one by one: records, fields of a plan, nodes, objects, names. */
  uint64_t entries;

  /* Bytes of the answers that were written. */
  uint64_t answer;

  /* Bytes of the chunk index, decoded. */
  uint64_t index;
} cpb_work;

/* What an input may claim, and what an engine may do for it, before it is refused with
 * CPB_E_LIMIT, by a message that names the limit, what it allows, and how much would be needed at
 * least. A limit is checked before the memory is taken or the work is done.
 *
 * From `decoded` on each limit is a pair: so much, and so much more for each byte of the input.
 * Where both are zero both have their defaults; where one is given, the other counts as it is.
 * They apply to each engine by itself, and begin anew with each request of the host: a seek, a
 * range of a chunk or of the merged message. */
typedef struct cpb_limits {
  /* sizeof(cpb_limits) */
  size_t struct_size;

  /* Decoded bytes that must be in memory at once: a transposed Riegeli chunk, the
   * sizes of the records in a simple one. What streams through has no limit.
   * Default 2 GiB; 256 MiB where size_t has 32 bits. */
  uint64_t riegeli_chunk;

  /* The window of a decoder, in bytes. Default 128 MiB; 8 MiB where size_t has 32
   * bits. */
  uint64_t window;

  /* Chunks in an index (ChunkMetadata). Default 2^24. */
  uint64_t chunks;

  /* Records in a Riegeli chunk. Default 2^24. */
  uint64_t records_per_chunk;

  /* How deep messages may be nested. Default 100. */
  uint32_t depth;

  /* Bytes that are decompressed. Default 160 MiB, and 32,768 for each byte of input, which is as
   * much as Zstd can make of a byte. */
  uint64_t decoded, decoded_per_byte;

  /* Bytes of memory at once for what an engine knows of its input, such as an index or a plan; not
   * decoders, for which `window`, `riegeli_chunk` and `decoded` count. Default 40 MiB, and 64 for
   * each byte of input. */
  uint64_t held, held_per_byte;

  /* Bytes that are read through. Default 128 MiB, and 1,024 for each byte of input. */
  uint64_t walked, walked_per_byte;

  /* Entries: see cpb_work. Default 2^22, and 8 for each byte of input. */
  uint64_t entries, entries_per_byte;

  /* Bytes of an answer. Default 48 MiB, and 16 for each byte of input. */
  uint64_t answer, answer_per_byte;

  /* Bytes of the index, decoded. Default 16 MiB, and 32 for each byte of input. */
  uint64_t index, index_per_byte;

  /* If not NULL, each engine adds to it what it has done when it is freed. It must outlive the
   * engines, and they must all be used by one thread. */
  cpb_work *work;
} cpb_limits;

/* --- Steps ---------------------------------------------------------------- */

/* What a step of an engine returns. The engine's header says which of these it
 * uses. */
typedef enum cpb_step {
  CPB_STEP_ERROR = -1, /* it failed: see cpb_<engine>_error() */
  CPB_STEP_DONE = 0,   /* nothing is left to do */
  CPB_STEP_NEED,       /* supply bytes to the engine's input, then step again */
  CPB_STEP_RECORD,     /* a record begins */
  CPB_STEP_DATA,       /* bytes of the record, chunk, message or array */
  CPB_STEP_SKIPPED,    /* a damaged region was left out (only on request) */
  CPB_STEP_OUTPUT,     /* bytes for the host to write */
  CPB_STEP_PART        /* a part begins that may be given (only on request) */
} cpb_step;

/* --- Input ---------------------------------------------------------------- */

/* The input of an engine: a file, or anything else whose bytes have offsets. */
typedef struct cpb_input cpb_input;

typedef enum cpb_need_kind {
  CPB_NEED_NONE = 0, /* the engine waits for nothing */

  /* Bytes from `offset` on. The host calls cpb_input_supply(), or cpb_input_end()
   * when the input ends at or before `offset`. */
  CPB_NEED_RANGE,

  /* The size of the input, by cpb_input_end(). After it the engine wants the last
   * `length` bytes (all of a smaller input): a host that gets them along with the
   * size, as from an HTTP request for a suffix, supplies them at once and is not
   * asked for them. */
  CPB_NEED_SIZE,

  /* Brotli's dictionary, which only the WebAssembly modules of the JavaScript package are
   * without: the host calls BrotliSetDictionaryData() with its 122,784 bytes, once for an
   * instance, and steps on. */
  CPB_NEED_DICTIONARY
} cpb_need_kind;

/* What an engine waits for. */
typedef struct cpb_need {
  cpb_need_kind kind;

  /* What file the bytes are in. 0: the input itself. Else another one, which
   * cpb_input_other() names; the host answers by cpb_input_supply_other(),
   * cpb_input_end_other() or cpb_input_fail(). cpb_input_supply() and cpb_input_end()
   * answer with CPB_E_UNSUPPORTED then: a host that knows nothing of other files
   * need not look at this. */
  uint32_t file;

  /* From the beginning of the input; 0 for CPB_NEED_SIZE. */
  uint64_t offset;

  /* How many bytes the engine reads now, at least 1 and at most its `read_size`.
   * It cannot go on without the first; the host may supply fewer or more. For
   * CPB_NEED_SIZE the length of the tail, possibly 0. */
  size_t length;

  /* A hint, at least `length`: how many bytes from `offset` on it will ask for in
   * this order, unless something comes between. Where a request costs much, fetch
   * up to `ahead` bytes with one. Then
   *  - opening an index takes one request, or two if it exceeds 64 KiB;
   *  - reading a chunk that is alone in its Riegeli chunk takes one, for exactly
   *    its stored bytes;
   *  - reading a range of the merged message takes one for all chunks of it that
   *    are neighbours in the file;
   *  - reading on to the end of the input takes one. `ahead` goes to the end, or
   *    to 2^64 while the size is unknown, and the host can supply a response
   *    that streams in as it arrives.
   * It may reach over bytes that the host has kept from before: those need not be
   * fetched again. */
  uint64_t ahead;
} cpb_need;

/* Bytes [offset, offset + length) of an input. */
typedef struct cpb_range {
  uint64_t offset, length;
} cpb_range;

/* What the engine waits for. */
CPB_API void cpb_input_need(const cpb_input *input, cpb_need *need);

/* Lends the engine the bytes [offset, offset + length) of the input. They include
 * the byte at need.offset; they may begin before it and end anywhere behind it
 * (the engine asks again for what is missing). Nothing is copied: they must stay
 * as they are until a step returns CPB_STEP_NEED, CPB_STEP_DONE or
 * CPB_STEP_ERROR. Bytes without that one, or none at all, are CPB_E_READ when it
 * is needed again: so a host that has nothing to give never loops. */
CPB_API void cpb_input_supply(cpb_input *input, uint64_t offset, const void *data, size_t length);

/* Tells that the input is `size` bytes long. Until then bytes that were not
 * supplied have not arrived yet; from then on those past the end do not exist,
 * which may be CPB_E_TRUNCATED. An input that grows may be given a larger size
 * later: an engine that was done with it then goes on. 2^64 - 1 is CPB_E_READ. So is the
 * same size again in answer to a need of bytes before it, unless those are supplied, too. */
CPB_API void cpb_input_end(cpb_input *input, uint64_t size);

/* Another file, of which the input has parts. */
typedef struct cpb_other_file {
  const char *name; /* relative to the input's folder, or a URL; no NUL at its end, */
  size_t length;    /* and none in it, nor other control characters */
  uint64_t size;    /* that it must have; CPB_NO_OFFSET: nobody says */
} cpb_other_file;

/* That of need.file; all zero if that is 0. The name stays where it is until the object
 * that the input is of is freed, and the index that it is from.
 *
 * The input's writer chose the name, and may mean harm: open nothing but what lies in the
 * input's folder, or in that of its URL, unless it is trusted (docs/security.md). */
CPB_API void cpb_input_other(const cpb_input *input, cpb_other_file *other);

/* The same for the other file: a need of it is answered by these. What is told of a file
 * that is not needed is ignored. */
CPB_API void cpb_input_supply_other(cpb_input *input, uint32_t file, uint64_t offset, const void *data, size_t length);
CPB_API void cpb_input_end_other(cpb_input *input, uint32_t file, uint64_t size);

/* Tells that the bytes cannot be had. The next step ends the operation with this message and the
 * code, if that is CPB_E_NOT_FOUND (no such file: errno is ENOENT then), CPB_E_DENIED,
 * CPB_E_UNAVAILABLE or CPB_E_CANCELLED; else with CPB_E_READ. */
CPB_API void cpb_input_fail(cpb_input *input, cpb_code code, const char *message);

/* The same with an error as another call gave it, whose numbers are kept. */
CPB_API void cpb_input_fail_with(cpb_input *input, const cpb_error *error);

/* Tells that the `length` bytes from need.offset on are lost, because what they are read from is
 * damaged, as `message` says. The next step ends the operation with it and CPB_E_DAMAGED, unless the
 * engine can do without: cpb_outline after cpb_outline_keep_lost() (cpb/outline.h). `whole` is non-zero if the
 * lost bytes are whole fields of one message, or the value of one field: what follows them is then
 * read even where no length says how it goes on. */
CPB_API void cpb_input_lose(cpb_input *input, uint64_t length, int whole, const char *message);

#ifdef __cplusplus
}
#endif
#endif
