/* What is not public of cpb_message_file. */
#ifndef CPB_HOST_MESSAGE_FILE_H
#define CPB_HOST_MESSAGE_FILE_H

#include "cpb/open.h"
#include "host/url/response.h"

/* What the server says of the state of a message's file; NULL if that is no URL. */
const cpb_validators *cpb_message_file_validators(const cpb_message_file *message);

#endif
