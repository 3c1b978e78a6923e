/* What is read of Core ML's messages: types that have only the messages that are looked into and the
 * lists that are needed whole. Everything else is there when it is short, and omitted when not
 * (cpb/outline.h, keep_known). */
#ifndef CPB_MODEL_COREML_VIEWS_H
#define CPB_MODEL_COREML_VIEWS_H

#include "cpb/message.h"

/* A Model without what tensors hold. */
extern const cpb_message_type cpb_view_coreml;
/* A Value of a program alone. */
extern const cpb_message_type cpb_view_coreml_value;

#endif
