/* Interprets responses and their bodies. */
#ifndef CPB_HOST_URL_RECEIVE_H
#define CPB_HOST_URL_RECEIVE_H

#include "host/url/remote_state.h"

/* Callbacks for the exchange, whose user is the cpb_remote: they classify a response, and take its body. */
bool cpb_remote_begin(void *user, const cpb_response *response);
bool cpb_remote_take(void *user, const uint8_t *data, size_t length);

/* Adds the response's validators to the known ones. False with the error set: the file has changed. */
bool cpb_remote_agree(cpb_remote *r, uint64_t size);

#endif
