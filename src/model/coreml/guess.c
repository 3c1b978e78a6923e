#include "model/common/guess.h"
#include "base/checked.h"
#include "model/common/cursor.h"
#include "model/common/kind.h"
#include "model/coreml/fields.h"

CPB_EVIDENCE(feature, CPB_EVIDENCE_TEXT(FEATURE_NAME), CPB_EVIDENCE_TEXT(FEATURE_TEXT),
             CPB_EVIDENCE_BYTES(FEATURE_TYPE));
CPB_EVIDENCE(entry, CPB_EVIDENCE_TEXT(MAP_KEY), CPB_EVIDENCE_BYTES(MAP_VALUE));
CPB_EVIDENCE(metadata, CPB_EVIDENCE_BYTES(METADATA_TEXT), CPB_EVIDENCE_BYTES(METADATA_VERSION),
             CPB_EVIDENCE_BYTES(METADATA_AUTHOR), CPB_EVIDENCE_BYTES(METADATA_LICENSE),
             CPB_EVIDENCE_OF(METADATA_USER, entry));
CPB_EVIDENCE(description, CPB_EVIDENCE_PROOF(DESCRIPTION_INPUT, feature, 2),
             CPB_EVIDENCE_PROOF(DESCRIPTION_OUTPUT, feature, 2), CPB_EVIDENCE_TEXT(DESCRIPTION_PREDICTED),
             CPB_EVIDENCE_TEXT(DESCRIPTION_PROBABILITIES), CPB_EVIDENCE_OF(DESCRIPTION_STATE, feature),
             CPB_EVIDENCE_BYTES(DESCRIPTION_FUNCTION), CPB_EVIDENCE_TEXT(DESCRIPTION_DEFAULT_FUNCTION),
             CPB_EVIDENCE_OF(DESCRIPTION_TRAINING_INPUT, feature), CPB_EVIDENCE_OF(DESCRIPTION_METADATA, metadata));
CPB_EVIDENCE(model, CPB_EVIDENCE_NUMBER(MODEL_VERSION), CPB_EVIDENCE_OF(MODEL_DESCRIPTION, description),
             CPB_EVIDENCE_NUMBER(MODEL_UPDATABLE));

/* Far beyond any existing one: versions count Apple's yearly systems. */
#define VERSION_MOST 1000
#define NO_TYPES 3001 /* above the last type */

/* The place of the field with the model itself: after the description, which may be all that is available. */
static cpb_span before_type(cpb_span begin, bool *has_type) {
  const uint8_t *at = begin.data, *end = begin.data + begin.size;
  uint64_t tag, size;
  *has_type = false;
  while (at < end) {
    const uint8_t *value = cpb_varint_read(at, end, &tag);
    if (!value) break;
    *has_type = (tag & 7) == CPB_WIRE_LEN && tag >> 3 >= MODEL_TYPES && tag >> 3 < NO_TYPES;
    if (*has_type) return (cpb_span){begin.data, (size_t)(at - begin.data)};
    value = cpb_varint_read(value, end, &size);
    if (!value || ((tag & 7) != CPB_WIRE_VARINT && (tag & 7) != CPB_WIRE_LEN)) break;
    at = value + ((tag & 7) == CPB_WIRE_LEN ? cpb_min_u64(size, (uint64_t)(end - value)) : 0);
  }
  return begin;
}

/* The version first, a description or a type of model, and nothing that a model does not have. */
int cpb_coreml_guess(const cpb_file_ends *ends, bool is_named) {
  const cpb_span begin = cpb_ends_begin(ends);
  bool has_type;
  cpb_cursor first = cpb_cursor_of(begin);
  if (!cpb_cursor_next(&first) || first.number != MODEL_VERSION || first.type != CPB_WIRE_VARINT) return 0;
  if (first.value == 0 || first.value > VERSION_MOST) return 0;
  const cpb_span before = before_type(begin, &has_type);
  const int score = cpb_evidence_score(&model, before, is_named || has_type);
  return score > 0 && has_type ? score + 1 : score;
}
