#include "base/status.h"
#include "model/coreml/model.h"
#include "model/questions/reader.h"

/* --- model ------------------------------------------------------------------------------------ */

static bool build(cpb_viewed_message *m) {
  return cpb_coreml_graphs_build(&m->viewed.view, &m->graph_problems, m->viewed.meter, m->viewed.error);
}

static const char *missing(cpb_span model) {
  cpb_span content;
  const uint32_t type = cpb_coreml_type_of(model, &content);
  switch (type) {
    case 0: return "the model itself is missing";
    case TYPE_PROGRAM: return "what follows in the program is missing";
    case TYPE_NETWORK:
    case TYPE_NETWORK_CLASSIFIER:
    case TYPE_NETWORK_REGRESSOR: return "the rest of the layers is missing";
    default: return "what follows is missing";
  }
}

static const char *lost_of(uint32_t field) {
  return field == MODEL_DESCRIPTION ? "the description" : field == TYPE_PROGRAM ? "the program" : "the model";
}

static const char *empty(const cpb_viewed *m) {
  cpb_span content;
  return cpb_coreml_type_of(m->view.part->message, &content) > 0 ? NULL : "the model has no type: only a description";
}

static const cpb_viewed_kind coreml = {.view = &cpb_coreml_view,
                                       .type = &cpb_view_coreml,
                                       .build = build,
                                       .write_overview = cpb_coreml_overview,
                                       .missing = missing,
                                       .lost_of = lost_of,
                                       .empty = empty};

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  (void)kind;
  return cpb_viewed_create(a, meter, &coreml, options);
}

const cpb_model_reader cpb_coreml_reader = {.create = create, CPB_VIEWED_READER};

/* --- messages --------------------------------------------------------------------------------- */

/* Numbers and names are those of coremltools' Model.proto and NeuralNetwork.proto. Both lists are searched by halves
 * and must stay sorted. A number that they lack is newer than this table; it is shown as itself. */

typedef struct named {
  uint16_t number;
  const char *name;
} named;

/* Fields of NeuralNetworkLayer, in the order of their numbers. */
static const named layers[] = {{100, "convolution"},
                               {120, "pooling"},
                               {130, "activation"},
                               {140, "innerProduct"},
                               {150, "embedding"},
                               {160, "batchnorm"},
                               {165, "mvn"},
                               {170, "l2normalize"},
                               {175, "softmax"},
                               {180, "lrn"},
                               {190, "crop"},
                               {200, "padding"},
                               {210, "upsample"},
                               {211, "resizeBilinear"},
                               {212, "cropResize"},
                               {220, "unary"},
                               {230, "add"},
                               {231, "multiply"},
                               {240, "average"},
                               {245, "scale"},
                               {250, "bias"},
                               {260, "max"},
                               {261, "min"},
                               {270, "dot"},
                               {280, "reduce"},
                               {290, "loadConstant"},
                               {300, "reshape"},
                               {301, "flatten"},
                               {310, "permute"},
                               {320, "concat"},
                               {330, "split"},
                               {340, "sequenceRepeat"},
                               {345, "reorganizeData"},
                               {350, "slice"},
                               {400, "simpleRecurrent"},
                               {410, "gru"},
                               {420, "uniDirectionalLSTM"},
                               {430, "biDirectionalLSTM"},
                               {500, "custom"},
                               {600, "copy"},
                               {605, "branch"},
                               {615, "loop"},
                               {620, "loopBreak"},
                               {625, "loopContinue"},
                               {635, "rangeStatic"},
                               {640, "rangeDynamic"},
                               {660, "clip"},
                               {665, "ceil"},
                               {670, "floor"},
                               {680, "sign"},
                               {685, "round"},
                               {700, "exp2"},
                               {710, "sin"},
                               {715, "cos"},
                               {720, "tan"},
                               {730, "asin"},
                               {735, "acos"},
                               {740, "atan"},
                               {750, "sinh"},
                               {755, "cosh"},
                               {760, "tanh"},
                               {770, "asinh"},
                               {775, "acosh"},
                               {780, "atanh"},
                               {790, "erf"},
                               {795, "gelu"},
                               {815, "equal"},
                               {820, "notEqual"},
                               {825, "lessThan"},
                               {827, "lessEqual"},
                               {830, "greaterThan"},
                               {832, "greaterEqual"},
                               {840, "logicalOr"},
                               {845, "logicalXor"},
                               {850, "logicalNot"},
                               {855, "logicalAnd"},
                               {865, "modBroadcastable"},
                               {870, "minBroadcastable"},
                               {875, "maxBroadcastable"},
                               {880, "addBroadcastable"},
                               {885, "powBroadcastable"},
                               {890, "divideBroadcastable"},
                               {895, "floorDivBroadcastable"},
                               {900, "multiplyBroadcastable"},
                               {905, "subtractBroadcastable"},
                               {920, "tile"},
                               {925, "stack"},
                               {930, "gather"},
                               {935, "scatter"},
                               {940, "gatherND"},
                               {945, "scatterND"},
                               {950, "softmaxND"},
                               {952, "gatherAlongAxis"},
                               {954, "scatterAlongAxis"},
                               {960, "reverse"},
                               {965, "reverseSeq"},
                               {975, "splitND"},
                               {980, "concatND"},
                               {985, "transpose"},
                               {995, "sliceStatic"},
                               {1000, "sliceDynamic"},
                               {1005, "slidingWindows"},
                               {1015, "topK"},
                               {1020, "argMin"},
                               {1025, "argMax"},
                               {1040, "embeddingND"},
                               {1045, "batchedMatmul"},
                               {1065, "getShape"},
                               {1070, "loadConstantND"},
                               {1080, "fillLike"},
                               {1085, "fillStatic"},
                               {1090, "fillDynamic"},
                               {1100, "broadcastToLike"},
                               {1105, "broadcastToStatic"},
                               {1110, "broadcastToDynamic"},
                               {1120, "squeeze"},
                               {1125, "expandDims"},
                               {1130, "flattenTo2D"},
                               {1135, "reshapeLike"},
                               {1140, "reshapeStatic"},
                               {1145, "reshapeDynamic"},
                               {1150, "rankPreservingReshape"},
                               {1155, "constantPad"},
                               {1170, "randomNormalLike"},
                               {1175, "randomNormalStatic"},
                               {1180, "randomNormalDynamic"},
                               {1190, "randomUniformLike"},
                               {1195, "randomUniformStatic"},
                               {1200, "randomUniformDynamic"},
                               {1210, "randomBernoulliLike"},
                               {1215, "randomBernoulliStatic"},
                               {1220, "randomBernoulliDynamic"},
                               {1230, "categoricalDistribution"},
                               {1250, "reduceL1"},
                               {1255, "reduceL2"},
                               {1260, "reduceMax"},
                               {1265, "reduceMin"},
                               {1270, "reduceSum"},
                               {1275, "reduceProd"},
                               {1280, "reduceMean"},
                               {1285, "reduceLogSum"},
                               {1290, "reduceSumSquare"},
                               {1295, "reduceLogSumExp"},
                               {1313, "whereNonZero"},
                               {1315, "matrixBandPart"},
                               {1320, "lowerTriangular"},
                               {1325, "upperTriangular"},
                               {1330, "whereBroadcastable"},
                               {1350, "layerNormalization"},
                               {1400, "NonMaximumSuppression"},
                               {1450, "oneHot"},
                               {1455, "cumSum"},
                               {1460, "clampedReLU"},
                               {1461, "argSort"},
                               {1465, "pooling3d"},
                               {1466, "globalPooling3d"},
                               {1470, "sliceBySize"},
                               {1471, "convolution3d"}};

/* Fields of Model. */
static const named types[] = {{200, "pipelineClassifier"},
                              {201, "pipelineRegressor"},
                              {202, "pipeline"},
                              {300, "glmRegressor"},
                              {301, "supportVectorRegressor"},
                              {302, "treeEnsembleRegressor"},
                              {303, "neuralNetworkRegressor"},
                              {304, "bayesianProbitRegressor"},
                              {400, "glmClassifier"},
                              {401, "supportVectorClassifier"},
                              {402, "treeEnsembleClassifier"},
                              {403, "neuralNetworkClassifier"},
                              {404, "kNearestNeighborsClassifier"},
                              {500, "neuralNetwork"},
                              {501, "itemSimilarityRecommender"},
                              {502, "mlProgram"},
                              {555, "customModel"},
                              {556, "linkedModel"},
                              {560, "classConfidenceThresholding"},
                              {600, "oneHotEncoder"},
                              {601, "imputer"},
                              {602, "featureVectorizer"},
                              {603, "dictVectorizer"},
                              {604, "scaler"},
                              {606, "categoricalMapping"},
                              {607, "normalizer"},
                              {609, "arrayFeatureExtractor"},
                              {610, "nonMaximumSuppression"},
                              {900, "identity"},
                              {2000, "textClassifier"},
                              {2001, "wordTagger"},
                              {2002, "visionFeaturePrint"},
                              {2003, "soundAnalysisPreprocessing"},
                              {2004, "gazetteer"},
                              {2005, "wordEmbedding"},
                              {2006, "audioFeaturePrint"},
                              {3000, "serializedModel"}};

static const char *find(const named *list, size_t count, uint32_t number) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low < count && list[low].number == number ? list[low].name : NULL;
}

static cpb_span name_of(const char *name, const char *what, uint32_t number, char *spare) {
  if (name || number == 0) return name ? cpb_span_of(name) : (cpb_span){NULL, 0};
  return (cpb_span){(const uint8_t *)spare, cpb_format(spare, CPB_COREML_SPARE, "%s %u", what, (unsigned)number)};
}

cpb_span cpb_coreml_layer_name(uint32_t field, char *spare) {
  return name_of(find(layers, sizeof layers / sizeof *layers, field), "layer", field, spare);
}

uint32_t cpb_coreml_type_of(cpb_span model, cpb_span *content) {
  uint32_t found = 0;
  cpb_cursor c = cpb_cursor_of(model);
  *content = (cpb_span){NULL, 0};
  while (cpb_cursor_next(&c)) {
    if (c.number < MODEL_TYPES || c.type != CPB_WIRE_LEN) continue;
    found = c.number;
    *content = c.bytes;
  }
  return found;
}

cpb_span cpb_coreml_type_name(uint32_t type, char *spare) {
  return name_of(find(types, sizeof types / sizeof *types, type), "type", type, spare);
}

/* --- Models and programs ---------------------------------------------------------------------- */

cpb_coreml_form cpb_coreml_form_of(uint32_t type, cpb_span *content) {
  switch (type) {
    case TYPE_PROGRAM: return CPB_COREML_BLOCK;
    case TYPE_NETWORK:
    case TYPE_NETWORK_CLASSIFIER:
    case TYPE_NETWORK_REGRESSOR: return CPB_COREML_NETWORK;
    case TYPE_PIPELINE_CLASSIFIER:
    case TYPE_PIPELINE_REGRESSOR: *content = cpb_get_bytes(*content, PIPELINE_OF); return CPB_COREML_PIPELINE;
    case TYPE_PIPELINE: return CPB_COREML_PIPELINE;
    default: return CPB_COREML_OTHER;
  }
}

cpb_span cpb_coreml_block_of(cpb_span function) {
  cpb_span entry = cpb_get_entry(function, FUNCTION_BLOCK, cpb_get_bytes(function, FUNCTION_OPSET));
  cpb_cursor c = cpb_cursor_of(function);
  if (!entry.data && cpb_cursor_find(&c, FUNCTION_BLOCK, CPB_WIRE_LEN)) entry = c.bytes;
  return cpb_get_bytes(entry, MAP_VALUE);
}

/* --- Layers and names --------------------------------------------------------------------------- */

cpb_span cpb_coreml_text_of(cpb_span value) {
  cpb_span tensor = cpb_get_bytes(cpb_get_bytes(value, VALUE_IMMEDIATE), IMMEDIATE_TENSOR);
  return cpb_get_bytes(cpb_get_bytes(tensor, VALUES_STRINGS), 1);
}

uint32_t cpb_coreml_layer_of(cpb_span layer, cpb_span *parameters) {
  uint32_t found = 0;
  cpb_cursor c = cpb_cursor_of(layer);
  while (cpb_cursor_next(&c)) {
    if (c.number < LAYER_KINDS || c.type != CPB_WIRE_LEN) continue;
    found = c.number;
    *parameters = c.bytes;
  }
  return found;
}

size_t cpb_coreml_networks_of(cpb_span layer, cpb_coreml_network networks[2]) {
  static const struct {
    uint32_t layer, field;
    const char *name;
  } fields[] = {{LAYER_BRANCH, BRANCH_IF, "ifBranch"},
                {LAYER_BRANCH, BRANCH_ELSE, "elseBranch"},
                {LAYER_LOOP, LOOP_CONDITION, "conditionNetwork"},
                {LAYER_LOOP, LOOP_BODY, "bodyNetwork"}};
  size_t count = 0;
  cpb_span parameters = {NULL, 0};
  const uint32_t type = cpb_coreml_layer_of(layer, &parameters);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (type != fields[i].layer) continue;
    const cpb_span message = cpb_get_bytes(parameters, fields[i].field);
    if (message.data) networks[count++] = (cpb_coreml_network){cpb_span_of(fields[i].name), message};
  }
  return count;
}
