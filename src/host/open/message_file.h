/* Functions of cpb_message_file for the library itself. */
#ifndef CPB_HOST_MESSAGE_FILE_H
#define CPB_HOST_MESSAGE_FILE_H

#include "cpb/open.h"
#include "host/url/response.h"

/* The server's validators for the state of a message's file; NULL if that is not a URL. */
const cpb_validators *cpb_message_file_validators(const cpb_message_file *message);

#endif
