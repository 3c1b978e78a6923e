/* cpb/base.h: errors, memory, limits and input, which all other headers use.
 *
 * Every operation of libcpb is an engine: an object that a program, its host,
 * steps until it is done. An engine never reads, writes or blocks. When it lacks
 * bytes of its input, its step returns CPB_STEP_NEED. The host then fetches them
 * in its own way, lends them to the engine, and steps again:
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
 * - Offsets and sizes count bytes. Those of files and messages are uint64_t,
 *   also on 32-bit systems.
 * - Text is UTF-8. If a length is passed with it, no NUL is needed.
 * - The first member of an options struct is its size, which tells the library
 *   which members the caller knows. Any other member may be zero, which means its
 *   default. NULL for the struct means all defaults.
 * - NULL for an allocator means malloc; limits may be NULL as well.
 * - If a function returns a pointer, the object that was asked owns the memory.
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

/* The code's name, such as "DAMAGED", and its text from the list above. For any
 * other number "UNKNOWN" and "unknown error code". */
CPB_API const char *cpb_code_name(cpb_code code);
CPB_API const char *cpb_code_text(cpb_code code);

#define CPB_NO_OFFSET UINT64_MAX

/* An error: its kind, its place, and a message with the expectation.
 *
 * A function that takes a `cpb_error *` clears it first (CPB_OK, CPB_NO_OFFSET
 * and ""), so the struct needs no initializer, and afterwards says how this call
 * ended. It may be NULL. On failure the function returns NULL or the error's
 * code, has freed all that it allocated, and the arguments stay the caller's;
 * the header names the exceptions.
 *
 * An engine keeps its error instead, and cpb_<engine>_error() returns it. Once the engine has
 * failed, each step returns CPB_STEP_ERROR, and the error stays the same. Before that its code is
 * CPB_OK. */
typedef struct cpb_error {
  cpb_code code;

  /* The system's number (errno) and the status of the HTTP response; 0: unknown. CPB_E_NOT_FOUND
   * with one of them means a missing file, without them a missing part of a file. */
  int16_t system, status;

  /* The offset of the error in the input, or CPB_NO_OFFSET. */
  uint64_t offset;

  /* One line without a newline; it names no file. */
  char message[256];
} cpb_error;

/* --- Memory --------------------------------------------------------------- */

/* A source of memory. Any call may return NULL: the running operation then ends with CPB_E_MEMORY,
 * and the object can still be freed. A host can end a long step this way: Brotli at level 11, which
 * needs a minute for 32 MiB, allocates once per block of 256 KiB. Every object copies the struct;
 * `user` must outlive them all. */
typedef struct cpb_allocator {
  /* Passed to each of the functions. */
  void *user;

  /* A block of `size` bytes, aligned as by malloc. `size` is not 0. */
  void *(*allocate)(void *user, size_t size);

  /* As realloc: the block may move, and keeps its content up to the smaller of
   * the sizes. A failure leaves it unchanged. Neither size is 0. */
  void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);

  /* `block` is not NULL. */
  void (*release)(void *user, void *block);
} cpb_allocator;

/* --- Limits against hostile input ------------------------------------------ */

/* X(NAME, name, unit): the counters of work. */
#define CPB_WORKS(X)                                           \
  X(DECODED, decoded, "decoded bytes")                         \
  X(HELD, held, "bytes of memory")                             \
  X(WALKED, walked, "bytes of messages that are gone through") \
  X(ENTRIES, entries, "entries")                               \
  X(ANSWER, answer, "bytes of the answer")                     \
  X(INDEX, index, "bytes of the chunk index")

/* The work that engines have done. It depends only on the input and the requests. Therefore tests
 * of complexity compare it rather than time. */
typedef struct cpb_work {
  /* Decompressed bytes. Bytes that were decoded twice count twice. Also repeated values: see
   * cpb_limits. */
  uint64_t decoded;

  /* The most bytes of memory that an engine held at once, without decoders; for several engines,
   * the sum. */
  uint64_t held;

  /* Bytes of messages, tables and lists that were read through. Bytes that were read twice count
   * twice. */
  uint64_t walked;

  /* Items that were made or compared one by one: records, fields of a plan, nodes, objects, names. */
  uint64_t entries;

  /* Bytes of the answers that were written. */
  uint64_t answer;

  /* Bytes of the chunk index, decoded. */
  uint64_t index;
} cpb_work;

/* Bounds for the claims of an input, and for the work that an engine does for it. An input beyond
 * them is refused with CPB_E_LIMIT; the message names the limit, its value, and how much is needed
 * at least. A limit is checked before the memory is allocated or the work is done.
 *
 * From `decoded` on each limit is a pair: a fixed amount, and an additional amount for each byte of
 * the input. If both are zero, both have their defaults; if one is given, the other counts as it
 * is. The limits apply to each engine by itself. Counting starts again with each request of the
 * host: a seek, a range of a chunk or of the merged message. */
typedef struct cpb_limits {
  /* sizeof(cpb_limits) */
  size_t struct_size;

  /* Decoded bytes that must be in memory at once: a transposed Riegeli chunk, the sizes of the
   * records in a simple one. Streamed data has no such limit. Default 2 GiB; 256 MiB if size_t has
   * 32 bits. */
  uint64_t riegeli_chunk;

  /* The window of a decoder, in bytes. Default 128 MiB; 8 MiB if size_t has 32 bits. */
  uint64_t window;

  /* Chunks in an index (ChunkMetadata). Default 2^24. */
  uint64_t chunks;

  /* Records in a Riegeli chunk. Default 2^24. */
  uint64_t records_per_chunk;

  /* How deep messages may be nested. Default 100. */
  uint32_t depth;

  /* Decompressed bytes, and bytes of values that a tensor does not have because they are equal to
   * its last one. Default 160 MiB, and 32,768 for each byte of input, which is Zstd's highest
   * ratio. */
  uint64_t decoded, decoded_per_byte;

  /* Bytes of memory at once for an engine's data about its input, such as an index or a plan.
   * Decoders do not count here; their limits are `window`, `riegeli_chunk` and `decoded`. Default
   * 40 MiB, and 64 for each byte of input. */
  uint64_t held, held_per_byte;

  /* Bytes that are read through. Default 128 MiB, and 1,024 for each byte of input. */
  uint64_t walked, walked_per_byte;

  /* Entries: see cpb_work. Default 2^22, and 8 for each byte of input. */
  uint64_t entries, entries_per_byte;

  /* Bytes of an answer. Default 48 MiB, and 16 for each byte of input. */
  uint64_t answer, answer_per_byte;

  /* Bytes of the index, decoded. Default 16 MiB, and 32 for each byte of input. */
  uint64_t index, index_per_byte;

  /* If not NULL, each engine adds its work to it when it is freed. It must outlive the engines, and
   * one thread must use them all. */
  cpb_work *work;
} cpb_limits;

/* --- Steps ---------------------------------------------------------------- */

/* The result of an engine's step. The engine's header says which of these it
 * uses. */
typedef enum cpb_step {
  CPB_STEP_ERROR = -1, /* the engine failed: see cpb_<engine>_error() */
  CPB_STEP_DONE = 0,   /* nothing is left to do */
  CPB_STEP_NEED,       /* supply bytes to the engine's input, then step again */
  CPB_STEP_RECORD,     /* a record begins */
  CPB_STEP_DATA,       /* bytes of the record, chunk, message or array */
  CPB_STEP_SKIPPED,    /* a damaged region was left out (only on request) */
  CPB_STEP_OUTPUT,     /* bytes for the host to write */
  CPB_STEP_PART        /* an optional part begins (only on request) */
} cpb_step;

/* --- Input ---------------------------------------------------------------- */

/* The input of an engine: a file, or anything else whose bytes have offsets. */
typedef struct cpb_input cpb_input;

typedef enum cpb_need_kind {
  CPB_NEED_NONE = 0, /* the engine waits for nothing */

  /* Bytes from `offset` on. The host calls cpb_input_supply(), or cpb_input_end()
   * when the input ends at or before `offset`. */
  CPB_NEED_RANGE,

  /* The size of the input, by cpb_input_end(). After it the engine wants the last `length` bytes
   * (all of a smaller input). A host that gets these bytes along with the size, as from an HTTP
   * request for a suffix, supplies them at once, and is not asked for them again. */
  CPB_NEED_SIZE,

  /* Brotli's dictionary, which only the WebAssembly modules of the JavaScript package lack. The
   * host calls BrotliSetDictionaryData() with its 122,784 bytes, once for an instance, and steps
   * again. */
  CPB_NEED_DICTIONARY
} cpb_need_kind;

/* The bytes or the size that an engine waits for. */
typedef struct cpb_need {
  cpb_need_kind kind;

  /* The file of the bytes. 0: the input itself. Otherwise another file, which cpb_input_other()
   * names; the host answers with cpb_input_supply_other(), cpb_input_end_other() or
   * cpb_input_fail(). For another file, cpb_input_supply() and cpb_input_end() make the engine fail
   * with CPB_E_UNSUPPORTED, so a host that does not support other files can ignore this member. */
  uint32_t file;

  /* From the beginning of the input; 0 for CPB_NEED_SIZE. */
  uint64_t offset;

  /* The number of bytes that the engine reads now, at least 1 and at most its
   * `read_size`. It cannot continue without the first byte; the host may supply
   * fewer or more. For CPB_NEED_SIZE the length of the tail, possibly 0. */
  size_t length;

  /* A hint, at least `length`: how many bytes from `offset` on the engine will request in this
   * order, unless a seek or another read comes between. If requests are expensive, fetch up to
   * `ahead` bytes with one. Then
   *  - opening an index takes one request, or two if it exceeds 64 KiB;
   *  - reading a chunk that is alone in its Riegeli chunk takes one, for exactly
   *    its stored bytes;
   *  - reading a range of the merged message takes one for all chunks of it that
   *    are neighbours in the file;
   *  - reading on to the end of the input takes one. `ahead` goes to the end, or to 2^64 while the
   *    size is unknown, and the host can supply a response that streams in as it arrives.
   * The range may include bytes that the host has kept from before, and need not fetch again. */
  uint64_t ahead;
} cpb_need;

/* Bytes [offset, offset + length) of an input. */
typedef struct cpb_range {
  uint64_t offset, length;
} cpb_range;

/* Tells the host what the engine waits for. */
CPB_API void cpb_input_need(const cpb_input *input, cpb_need *need);

/* Lends the engine the bytes [offset, offset + length) of the input. They must include the byte at
 * need.offset; they may begin before it and end anywhere behind it (the engine asks again for
 * missing bytes). The bytes are not copied: they must stay unchanged until a step returns
 * CPB_STEP_NEED, CPB_STEP_DONE or CPB_STEP_ERROR. If the byte at need.offset is missing, the error
 * is CPB_E_READ when it is needed again, so a host without bytes never loops. */
CPB_API void cpb_input_supply(cpb_input *input, uint64_t offset, const void *data, size_t length);

/* Tells the engine that the input is `size` bytes long. Before this call, bytes that were not
 * supplied have not arrived yet; after it, bytes past the end do not exist, which may be
 * CPB_E_TRUNCATED. A growing input may get a larger size later: an engine that was done with it
 * then continues. 2^64 - 1 is CPB_E_READ. CPB_E_READ is also the result if the only answer to a
 * need of bytes before the end is the same size again. */
CPB_API void cpb_input_end(cpb_input *input, uint64_t size);

/* Another file, which has parts of the input. */
typedef struct cpb_other_file {
  const char *name; /* relative to the input's folder, or a URL; no NUL at its end, */
  size_t length;    /* and none in it, nor other control characters */
  uint64_t size;    /* that it must have; CPB_NO_OFFSET: nobody says */
} cpb_other_file;

/* The file of need.file; all zero if that is 0. The name is valid until the input's object and the
 * index that it comes from are freed.
 *
 * The input's writer chose the name, and may be hostile: only open files in the input's folder, or
 * below its URL's folder, unless the input is trusted (docs/security.md). */
CPB_API void cpb_input_other(const cpb_input *input, cpb_other_file *other);

/* The same for the other file: these functions answer a need of its bytes. Calls for a file that is
 * not needed are ignored. */
CPB_API void cpb_input_supply_other(cpb_input *input, uint32_t file, uint64_t offset, const void *data, size_t length);
CPB_API void cpb_input_end_other(cpb_input *input, uint32_t file, uint64_t size);

/* Tells the engine that the bytes cannot be read. The next step ends the operation with this
 * message and with `code`, if it is CPB_E_NOT_FOUND (the file does not exist: errno is then
 * ENOENT), CPB_E_DENIED, CPB_E_UNAVAILABLE, CPB_E_CANCELLED or CPB_E_MEMORY; otherwise with
 * CPB_E_READ. */
CPB_API void cpb_input_fail(cpb_input *input, cpb_code code, const char *message);

/* The same with the error of another call, whose numbers are kept. */
CPB_API void cpb_input_fail_with(cpb_input *input, const cpb_error *error);

/* Tells the engine that the `length` bytes from need.offset on are lost, because their source is
 * damaged, as `message` says. The next step ends the operation with this message and CPB_E_DAMAGED,
 * unless the engine can do without these bytes: cpb_outline after cpb_outline_keep_lost()
 * (cpb/outline.h). `whole` is non-zero if the lost bytes are whole fields of one message, or the
 * value of one field: the bytes that follow are then read even if no length says how the message
 * continues. */
CPB_API void cpb_input_lose(cpb_input *input, uint64_t length, int whole, const char *message);

#ifdef __cplusplus
}
#endif
#endif
