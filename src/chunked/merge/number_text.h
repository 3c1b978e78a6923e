/* Numbers that chunks store as text. */
#ifndef CPB_CHUNKED_MERGE_NUMBER_TEXT_H
#define CPB_CHUNKED_MERGE_NUMBER_TEXT_H

#include "base/bytes.h"
#include "base/decimal.h"
#include "cpb/message.h"

#define CPB_NUMBER_MAX 20
/* A longer text is not a number. */
#define CPB_NUMBER_TEXT_MAX CPB_DECIMAL_TEXT_MAX

/* Writes the field, including its tag, with the value that `text` represents. Returns its length, or 0 if the text is
 * not a valid value. */
size_t cpb_number_text_field(const cpb_field *field, cpb_span text, uint8_t out[CPB_NUMBER_MAX]);

#endif
