/* cpb/opened.h: a message, chunked or not, as one engine.
 *
 * A message may be a file of its own or chunked (cpb/chunked.h). Whoever reads one has to determine
 * which, read the index, plan the merge, and then read ranges of it. cpb_opened does this. Its host
 * only fetches bytes of the file:
 *
 *     cpb_opened *message = cpb_opened_new(NULL, NULL);
 *     while ((step = cpb_opened_step(message)) == CPB_STEP_NEED) // opens it
 *       cpb_file_supply(file, cpb_opened_input(message));
 *     cpb_opened_read(message, 0, UINT64_MAX);
 *     while ((step = cpb_opened_step(message)) > CPB_STEP_DONE)
 *       if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_opened_input(message));
 *       else ...cpb_opened_data(message, &length)...
 *
 * It also supplies any engine that reads messages, such as cpb_find, cpb_outline or cpb_model
 * (cpb_opened_answer).
 *
 * The steps do what was requested last. Opening comes first. A failed opening is final. After any
 * other failure the next request starts anew: if one chunk is damaged, the others can still be read.
 *
 * A program that may block finds all of this on files in cpb/open.h. */
#ifndef CPB_OPENED_H
#define CPB_OPENED_H

#include "cpb/base.h"
#include "cpb/chunked.h"
#include "cpb/find.h"
#include "cpb/message.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_opened cpb_opened;

typedef enum cpb_opened_form {
  /* Chunked if the file begins like a Riegeli file and its last record is an index. Any other file
   * is the message itself: a message may begin with the bytes of a Riegeli file. */
  CPB_OPENED_AS_IT_BEGINS = 0,
  CPB_OPENED_CHUNKED,
  CPB_OPENED_PLAIN
} cpb_opened_form;

typedef struct cpb_opened_options {
  /* sizeof(cpb_opened_options) */
  size_t struct_size;

  cpb_opened_form form;

  /* Copied. */
  const cpb_limits *limits;

  /* The message's type, as in cpb_merge_options, or NULL. */
  const cpb_message_type *type;

  /* Non-zero: chunks may be damaged (cpb_merge_keep_damaged), and engines that are supplied lose
   * unreadable bytes (cpb_input_lose). The index must be intact. */
  int keep_damaged;

  /* Non-zero: opening a chunked message only reads the index. cpb_opened_find() then plans the merge
   * for one field; any other request before that plans all. Not with keep_damaged. */
  int plan_late;

  /* Not NULL: only this field is read, of a message of the type `field_type`. From an index in pages,
   * perhaps only the pages that it needs are read (cpb_index_want). */
  const cpb_path *field;
  const cpb_message_type *field_type;
} cpb_opened_options;

/* The types and the path of the options must outlive the cpb_opened. NULL when memory is
 * short or `form` is none of the above. */
CPB_API cpb_opened *cpb_opened_new(const cpb_allocator *allocator, const cpb_opened_options *options);

/* The same for chunks in memory, as in cpb_merge_from_chunks(). Takes over `index`, even on failure. */
CPB_API cpb_opened *cpb_opened_from_chunks(const cpb_allocator *allocator, cpb_index *index,
                                           const cpb_chunk_bytes *chunks, size_t num_chunks,
                                           const cpb_opened_options *options);
CPB_API void cpb_opened_free(cpb_opened *message);

/* Valid until the next step. */
CPB_API cpb_input *cpb_opened_input(cpb_opened *message);

/* CPB_STEP_NEED; CPB_STEP_DATA after cpb_opened_read() and cpb_opened_view(); CPB_STEP_DONE: the
 * message is open, or the request is answered; CPB_STEP_ERROR. */
CPB_API cpb_step cpb_opened_step(cpb_opened *message);

/* The error of the opening or of the last request. The offset is in the file. A failure to read a plain message
 * keeps the code that cpb_file_supply() has for it. */
CPB_API const cpb_error *cpb_opened_error(const cpb_opened *message);

/* --- What was opened -------------------------------------------------------- */

/* The index of a chunked message; NULL if the file is the message itself. */
CPB_API const cpb_index *cpb_opened_index(const cpb_opened *message);

/* With options.field: the path to the field in the opened message, which may be smaller than the
 * message of the file (cpb_index_wanted); NULL without. */
CPB_API const cpb_path *cpb_opened_field(const cpb_opened *message);

/* The size of the merged message, once it is planned. CPB_NO_OFFSET before, and if the file is the
 * message itself. */
CPB_API uint64_t cpb_opened_size(const cpb_opened *message);

/* With keep_damaged: why, and where in the file, a chunk that others are merged into could not be
 * read, so that the message lacks some of them (cpb_merge_damage). NULL if all such chunks are
 * intact. */
CPB_API const char *cpb_opened_damage(const cpb_opened *message);

/* --- Requests ----------------------------------------------------------------- */

/* Each begins a request, which the next steps carry out, and ends one that is in progress. The result
 * is that of opening if this has failed, CPB_E_USAGE if it is not complete, and otherwise CPB_OK. */

/* Plans the merge of a chunked message, unless it is planned. */
CPB_API cpb_code cpb_opened_plan(cpb_opened *message);

/* Reads the bytes [offset, offset + length) of the message, without those past its end. After
 * CPB_STEP_DATA cpb_opened_data() has the next of them. */
CPB_API cpb_code cpb_opened_read(cpb_opened *message, uint64_t offset, uint64_t length);

/* Reads some of the bytes from `offset` on, up to `length`, in one CPB_STEP_DATA: of a chunked message
 * at most 256 KiB, and none of other chunks. They stay in memory, so requests that are close together
 * cost little. No CPB_STEP_DATA: the message ends there. */
CPB_API cpb_code cpb_opened_view(cpb_opened *message, uint64_t offset, uint64_t length);

/* After CPB_STEP_DATA: bytes of the message, valid until the next step or request. */
CPB_API const uint8_t *cpb_opened_data(const cpb_opened *message, size_t *length);

/* Supplies an engine whose step has returned CPB_STEP_NEED, and which reads this message. The bytes
 * that it is lent stay valid until the next step or request. If this fails, the engine's next step
 * fails as after cpb_input_fail_with(). */
CPB_API cpb_code cpb_opened_answer(cpb_opened *message, cpb_input *engine);

/* Finds a field. `type` is that of the message, or NULL; it and `path` must outlive the result. If the
 * message was opened with plan_late, and is not planned, the merge is only planned for this field
 * (cpb_merge_plan_for): then only the found ranges may be read, and other fields cannot be looked for.
 * If this plan fails because of the file's content, all is planned. */
CPB_API cpb_code cpb_opened_find(cpb_opened *message, const cpb_message_type *type, const cpb_path *path);

/* The finished search, which the caller frees; NULL if there is none. */
CPB_API cpb_find *cpb_opened_take_found(cpb_opened *message);

#ifdef __cplusplus
}
#endif
#endif
