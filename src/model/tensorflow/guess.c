#include "model/common/guess.h"
#include "model/common/kind.h"
#include "model/common/spans.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/graph.h"

enum { NODE_DEBUG_INFO = 6, NODE_TYPE = 7, GRAPH_DEBUG_INFO = 5, INFO_GRAPH_VERSION = 1, INFO_ANY = 3 };

/* Nearly all that are written are of these. */
static bool is_tag(cpb_span tag) {
  return cpb_span_is(tag, "serve") || cpb_span_is(tag, "train") || cpb_span_is(tag, "gpu") || cpb_span_is(tag, "tpu");
}

/* "2.14.0" */
static bool is_version(cpb_span text) {
  return text.size >= 3 && text.data[0] >= '0' && text.data[0] <= '9' && text.data[1] == '.';
}

/* AttrValue, of one field. */
CPB_EVIDENCE(value, CPB_EVIDENCE_BYTES(1), CPB_EVIDENCE_BYTES(2), CPB_EVIDENCE_NUMBER(3), CPB_EVIDENCE_FLOAT(4),
             CPB_EVIDENCE_NUMBER(5), CPB_EVIDENCE_NUMBER(6), CPB_EVIDENCE_BYTES(7), CPB_EVIDENCE_BYTES(8),
             CPB_EVIDENCE_BYTES(9), CPB_EVIDENCE_BYTES(10));
CPB_EVIDENCE(attr, CPB_EVIDENCE_BYTES(1), CPB_EVIDENCE_PROOF(2, value, 1));
CPB_EVIDENCE(node, CPB_EVIDENCE_BYTES(NODE_NAME), CPB_EVIDENCE_PROOF_BYTES(NODE_OP, cpb_is_tensorflow_op),
             CPB_EVIDENCE_BYTES(NODE_INPUT), CPB_EVIDENCE_BYTES(NODE_DEVICE), CPB_EVIDENCE_OF(NODE_ATTR, attr),
             CPB_EVIDENCE_BYTES(NODE_DEBUG_INFO), CPB_EVIDENCE_BYTES(NODE_TYPE));
CPB_EVIDENCE(op, CPB_EVIDENCE_PROOF_BYTES(1, cpb_is_tensorflow_op), CPB_EVIDENCE_BYTES(2), CPB_EVIDENCE_BYTES(3),
             CPB_EVIDENCE_BYTES(4), CPB_EVIDENCE_BYTES(5), CPB_EVIDENCE_BYTES(6), CPB_EVIDENCE_BYTES(8),
             CPB_EVIDENCE_NUMBER(16), CPB_EVIDENCE_NUMBER(17), CPB_EVIDENCE_NUMBER(18), CPB_EVIDENCE_NUMBER(19),
             CPB_EVIDENCE_BYTES(20));
CPB_EVIDENCE(ops, CPB_EVIDENCE_OF(1, op));
CPB_EVIDENCE(any, CPB_EVIDENCE_BYTES(1), CPB_EVIDENCE_BYTES(ANY_VALUE));
CPB_EVIDENCE(function, CPB_EVIDENCE_OF(FUNCTION_SIGNATURE, op), CPB_EVIDENCE_OF(FUNCTION_NODE, node),
             CPB_EVIDENCE_BYTES(FUNCTION_RETURN), CPB_EVIDENCE_BYTES(FUNCTION_ATTR),
             CPB_EVIDENCE_BYTES(FUNCTION_CONTROL_RETURN), CPB_EVIDENCE_BYTES(FUNCTION_ARG_ATTR), CPB_EVIDENCE_BYTES(8));
CPB_EVIDENCE(library, CPB_EVIDENCE_PROOF(LIBRARY_FUNCTION, function, 4), CPB_EVIDENCE_BYTES(LIBRARY_GRADIENT),
             CPB_EVIDENCE_BYTES(LIBRARY_REGISTERED));
CPB_EVIDENCE(versions, CPB_EVIDENCE_NUMBER(1), CPB_EVIDENCE_NUMBER(2), CPB_EVIDENCE_BYTES(3));
CPB_EVIDENCE(graph, CPB_EVIDENCE_OF(GRAPH_NODE, node), CPB_EVIDENCE_OF(GRAPH_LIBRARY, library),
             CPB_EVIDENCE_NUMBER(GRAPH_VERSION), CPB_EVIDENCE_PROOF(GRAPH_VERSIONS, versions, 1),
             CPB_EVIDENCE_BYTES(GRAPH_DEBUG_INFO));
CPB_EVIDENCE(info, CPB_EVIDENCE_BYTES(INFO_GRAPH_VERSION), CPB_EVIDENCE_OF(META_INFO_OPS, ops),
             CPB_EVIDENCE_OF(INFO_ANY, any), CPB_EVIDENCE_PROOF_BYTES(META_INFO_TAGS, is_tag),
             CPB_EVIDENCE_PROOF_BYTES(META_INFO_VERSION, is_version), CPB_EVIDENCE_BYTES(META_INFO_GIT_VERSION),
             CPB_EVIDENCE_NUMBER(META_INFO_STRIPPED_DEFAULTS), CPB_EVIDENCE_BYTES(META_INFO_ALIASES));
/* SavedObjectGraph: objects with children, which have a number and a name, and what kind of object each is. */
CPB_EVIDENCE(child, CPB_EVIDENCE_NUMBER(1), CPB_EVIDENCE_TEXT(2));
CPB_EVIDENCE(slot, CPB_EVIDENCE_NUMBER(1), CPB_EVIDENCE_TEXT(2), CPB_EVIDENCE_NUMBER(3));
CPB_EVIDENCE(object, CPB_EVIDENCE_OF(1, child), CPB_EVIDENCE_OF(3, slot), CPB_EVIDENCE_BYTES(4), CPB_EVIDENCE_BYTES(5),
             CPB_EVIDENCE_BYTES(6), CPB_EVIDENCE_BYTES(7), CPB_EVIDENCE_BYTES(8), CPB_EVIDENCE_BYTES(9),
             CPB_EVIDENCE_BYTES(10), CPB_EVIDENCE_BYTES(11), CPB_EVIDENCE_BYTES(12), CPB_EVIDENCE_TEXT(13),
             CPB_EVIDENCE_BYTES(14), CPB_EVIDENCE_OF(15, child), CPB_EVIDENCE_BYTES(16));
CPB_EVIDENCE(objects, CPB_EVIDENCE_OF(1, object), CPB_EVIDENCE_BYTES(2));
CPB_EVIDENCE(meta_graph, CPB_EVIDENCE_OF(META_GRAPH_INFO, info), CPB_EVIDENCE_OF(META_GRAPH_GRAPH, graph),
             CPB_EVIDENCE_BYTES(META_GRAPH_SAVER), CPB_EVIDENCE_BYTES(META_GRAPH_COLLECTION),
             CPB_EVIDENCE_BYTES(META_GRAPH_SIGNATURE), CPB_EVIDENCE_BYTES(META_GRAPH_ASSET),
             CPB_EVIDENCE_PROOF(META_GRAPH_OBJECTS, objects, 3));
CPB_EVIDENCE(saved_model, CPB_EVIDENCE_NUMBER(SAVED_MODEL_VERSION),
             CPB_EVIDENCE_OF(SAVED_MODEL_META_GRAPHS, meta_graph));

int cpb_saved_model_guess(const cpb_file_ends *ends, bool is_named) {
  return cpb_evidence_score(&saved_model, cpb_ends_begin(ends), is_named);
}

int cpb_meta_graph_guess(const cpb_file_ends *ends, bool is_named) {
  return cpb_evidence_score(&meta_graph, cpb_ends_begin(ends), is_named);
}

int cpb_graph_def_guess(const cpb_file_ends *ends, bool is_named) {
  return cpb_evidence_score(&graph, cpb_ends_begin(ends), is_named);
}
