/* CONSUMERS: which operations take a variable, or what an operation makes, and as which of their inputs. */
#ifndef CPB_MODEL_SAMEDIFF_CONSUMERS_H
#define CPB_MODEL_SAMEDIFF_CONSUMERS_H

#include "model/samediff/reply.h"

/* For a plan: finds the variable, and the operations that take it. */
bool cpb_sd_prepare_consumers(cpb_sd_reply *reply);
bool cpb_sd_prepare_node(cpb_sd_reply *reply); /* NODE, which has them, too: of an operation */
bool cpb_sd_write_consumed(cpb_sd_reply *reply, uint64_t i);
bool cpb_sd_write_consumer(cpb_sd_reply *reply, uint64_t i);

#endif
