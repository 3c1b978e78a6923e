/* Writes a graph's variables, operations and own properties as JSON.
 *
 * Each function returns false if bytes are missing (flat->wait) or the error is set; the caller then discards what was
 * written. */
#ifndef CPB_MODEL_SAMEDIFF_ITEMS_H
#define CPB_MODEL_SAMEDIFF_ITEMS_H

#include "base/json_writer.h"
#include "model/samediff/graph.h"

typedef struct cpb_sd_writer {
  cpb_sd_graph *graph;
  cpb_json_writer *answer;
  cpb_buffer *scratch; /* for one text at a time */
} cpb_sd_writer;

bool cpb_sd_write_variable(const cpb_sd_writer *w, const cpb_sd_variable *variable);
/* "attributes", and the members of a node that only SameDiff has. */
bool cpb_sd_write_node(const cpb_sd_writer *w, const cpb_sd_node *node);
/* Writes the member "array" from the table at `at`; null for 0. */
bool cpb_sd_write_array(const cpb_sd_writer *w, const char *key, uint64_t at);

bool cpb_sd_write_configuration(const cpb_sd_writer *w);
/* Writes a list of texts from a vector of the table. */
bool cpb_sd_write_texts(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field);
/* Writes element `i` of the updater's state in the graph file. */
bool cpb_sd_write_updater(const cpb_sd_writer *w, uint32_t i);

#endif
