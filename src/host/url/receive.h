/* What to make of a response, and of its body. */
#ifndef CPB_HOST_URL_RECEIVE_H
#define CPB_HOST_URL_RECEIVE_H

#include "host/url/remote_state.h"

/* For the exchange, whose user is the cpb_remote: which decides what a response is, and takes its body. */
bool cpb_remote_begin(void *user, const cpb_response *response);
bool cpb_remote_take(void *user, const uint8_t *data, size_t length);

/* Adds what the response says of the file to what is known. False with the error set: that has changed. */
bool cpb_remote_agree(cpb_remote *r, uint64_t size);

#endif
