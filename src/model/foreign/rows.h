/* Files that are mistaken for models, and advice: X(NAME, name, what it is, what to do). In a text, @ is a detail, such
 * as a name in the file; text in braces is left out without a detail. If the advice is "", the sentence ends with the
 * kinds of models that can be opened. */
#ifndef CPB_MODEL_FOREIGN_ROWS_H
#define CPB_MODEL_FOREIGN_ROWS_H

#include "base/bytes.h"

#define CPB_FOREIGN_KINDS(X)                                                                                           \
  /* What came in place of a model, or became of it */                                                                 \
  X(EMPTY, empty, "an empty file", "get it again: its download or copy broke off")                                     \
  X(ZEROS, zeros, "a file of zeros", "get it again: its download or copy broke off")                                   \
  X(GIT_LFS, git_lfs, "a Git LFS pointer{ to a file of @ bytes}", "fetch the file itself with \"git lfs pull\"")       \
  X(GIT_ANNEX, git_annex, "a git-annex pointer", "fetch the file itself with \"git annex get\"")                       \
  X(DVC, dvc, "a DVC pointer", "fetch the file itself with \"dvc pull\"")                                              \
  X(WEB_PAGE, web_page, "a web page{, \"@\"}",                                                                         \
    "the server answered with it in place of the file: look at its address, or sign in")                               \
  X(SERVER_XML, server_xml, "a server's error message{, @}", "look at the address and at who may read the file")       \
  X(SERVER_JSON, server_json, "a server's error message{, \"@\"}", "look at the address and at who may read the file") \
  X(LINE_ENDS, line_ends, "a model (@) whose line ends were converted (CRLF), as Git does on Windows",                 \
    "get it again, as a binary file")                                                                                  \
  X(UTF8, utf8, "a binary file that was converted to UTF-8, which destroys it", "get it again, as a binary file")      \
  X(UTF16, utf16, "text in UTF-16, as PowerShell's > writes it",                                                       \
    "get it again with a program that does not convert it")                                                            \
  /* Packed */                                                                                                         \
  X(TAR_GZIP, tar_gzip, "a packed tar archive", "unpack it with \"tar xzf\", and open the model in it")                \
  X(GZIP, gzip, "a file packed with gzip{, of @}", "unpack it with \"gunzip\"")                                        \
  X(PACKED, packed, "a file packed with @", "unpack it")                                                               \
  X(TAR_MODEL, tar_model, "a tar archive with a model, @", "unpack it with \"tar xf\", and open that")                 \
  X(TAR, tar, "a tar archive", "unpack it with \"tar xf\", and open the model in it")                                  \
  X(ZIP_MODEL, zip_model, "a zip archive with a model, @", "unpack it, and open that")                                 \
  X(ZIP, zip, "a zip archive{ with @}", "unpack it, and open the model in it")                                         \
  /* Files of frameworks whose models are opened */                                                                    \
  X(CHECKPOINT, checkpoint, "the list of a folder's checkpoints{, the last @}",                                        \
    "open the .index or .meta file of one")                                                                            \
  X(CHECKPOINT_DATA, checkpoint_data, "a data file of a checkpoint", "open the .index or the model beside it")         \
  X(TFRECORD, tfrecord, "a TFRecord file", "read it with tf.data.TFRecordDataset: it has data, no model")              \
  X(EVENTS, events, "an event file of TensorBoard", "open it with TensorBoard")                                        \
  X(EXAMPLE, example, "a tf.train.Example", "it has data, no model")                                                   \
  X(TF_TENSOR, tf_tensor, "a tensor of TensorFlow (TensorProto)", "it has values, no model")                           \
  X(TFLITE, tflite, "a TensorFlow Lite model", "open the model that it was converted from")                            \
  X(TFJS, tfjs, "a TensorFlow.js model", "open the model that it was converted from")                                  \
  X(KERAS, keras, "a Keras model (.keras)", "load it in Keras, and write a SavedModel with model.export()")            \
  X(HDF5, hdf5, "an HDF5 file, such as Keras's .h5", "load it in Keras, and write a SavedModel with model.export()")   \
  X(KERAS_JSON, keras_json, "the configuration of a Keras model",                                                      \
    "write a SavedModel of the model with model.export()")                                                             \
  X(ONNX_TEXT, onnx_text, "an ONNX model as text", "convert it with onnx.load and onnx.save")                          \
  X(ONNX_TENSOR, onnx_tensor, "a tensor of ONNX (TensorProto)", "it has values, no model")                             \
  X(ORT, ort, "a model in ONNX Runtime's own format (.ort)", "open the ONNX model that it was made from")              \
  X(COREML_MANIFEST, coreml_manifest, "the manifest of a Core ML package", "open the folder, .mlpackage")              \
  X(COREML_WEIGHTS, coreml_weights, "the weights of a Core ML model", "open the model, .mlpackage")                    \
  X(COREML_COMPILED, coreml_compiled, "a part of a compiled Core ML model (.mlmodelc)",                                \
    "open the model that it was compiled from")                                                                        \
  X(DL4J, dl4j, "a network of Deeplearning4j, which is no SameDiff model", "")                                         \
  X(SDNB, sdnb, "a SameDiff model in a newer format of ND4J (.sdnb, .sdz)",                                            \
    "save it with SameDiff.save of 1.0.0-M2.1")                                                                        \
  X(RIEGELI, riegeli, "a Riegeli file @", "list its records with \"cpb records\"")                                     \
  X(DESCRIPTORS, descriptors, "a set of protobuf descriptors (FileDescriptorSet)", "it has types, no model")           \
  /* Of others */                                                                                                      \
  X(PYTORCH, pytorch, "a PyTorch file", "export the model with torch.onnx.export")                                     \
  X(TORCHSCRIPT, torchscript, "a TorchScript model", "export the model with torch.onnx.export")                        \
  X(EXECUTORCH, executorch, "an ExecuTorch program", "export the model with torch.onnx.export")                        \
  X(SAFETENSORS, safetensors, "a safetensors file", "it has weights, no graph: export the model to ONNX")              \
  X(WEIGHT_MAP, weight_map, "the index of weights in several files", "export the model to ONNX")                       \
  X(TRANSFORMERS, transformers, "the configuration of a Transformers model", "export the model to ONNX")               \
  X(GGUF, gguf, "a GGUF model", "export the model that it was converted from to ONNX")                                 \
  X(GGML, ggml, "a GGML model", "export the model that it was converted from to ONNX")                                 \
  X(PICKLE, pickle, "a Python pickle{ of @}", "export the model to ONNX")                                              \
  X(NPY, npy, "a NumPy array", "it has values, no model")                                                              \
  X(NPZ, npz, "NumPy arrays (.npz)", "it has values, no model")                                                        \
  X(OPENVINO, openvino, "an OpenVINO model", "open the model that it was converted from")                              \
  X(TENSORRT, tensorrt, "a TensorRT engine", "open the ONNX model that it was built from")                             \
  X(PADDLE, paddle, "a Paddle model", "convert it to ONNX with paddle2onnx")                                           \
  X(CAFFE, caffe, "a Caffe model", "convert it to ONNX")                                                               \
  X(CNTK, cntk, "a CNTK model", "convert it to ONNX with its save(format=ONNX)")                                       \
  X(MXNET, mxnet, "an MXNet model", "convert it to ONNX")                                                              \
  X(TVM, tvm, "a graph compiled by TVM", "open the model that it was compiled from")                                   \
  X(DARKNET, darknet, "a Darknet network", "convert it to ONNX")                                                       \
  X(NCNN, ncnn, "an ncnn model", "open the model that it was converted from")                                          \
  X(MNN, mnn, "an MNN model", "open the model that it was converted from")                                             \
  X(RKNN, rknn, "an RKNN model", "open the model that it was converted from")                                          \
  X(MINDSPORE, mindspore, "a MindSpore Lite model", "open the model that it was converted from")                       \
  X(MLIR, mlir, "an MLIR module", "open the model that it was made from")                                              \
  X(FLATBUFFER, flatbuffer, "a FlatBuffer with the identifier \"@\"", "")                                              \
  X(PMML, pmml, "a PMML model", "")                                                                                    \
  X(XGBOOST, xgboost, "an XGBoost model", "convert it to ONNX with onnxmltools")                                       \
  X(LIGHTGBM, lightgbm, "a LightGBM model", "convert it to ONNX with onnxmltools")                                     \
  X(CATBOOST, catboost, "a CatBoost model", "save it with format=\"onnx\"")                                            \
  X(TRITON, triton, "a model's configuration for Triton", "open the model in the folder of a version beside it")       \
  X(DATA, data, "a data file (@)", "")                                                                                 \
  X(PROGRAM, program, "a program or library (@)", "")                                                                  \
  X(MEDIA, media, "a picture, sound or film (@)", "")                                                                  \
  X(DOCUMENT, document, "a document (@)", "")                                                                          \
  X(JSON, json, "JSON that is no model", "")                                                                           \
  X(XML, xml, "XML that is no model", "")                                                                              \
  X(TEXT, text, "text{ that begins \"@\"}", "")

typedef enum cpb_foreign_kind {
  CPB_FOREIGN_UNKNOWN,
#define CPB_FOREIGN_ENUM(NAME, name, what, advice) CPB_FOREIGN_##NAME,
  CPB_FOREIGN_KINDS(CPB_FOREIGN_ENUM)
#undef CPB_FOREIGN_ENUM
} cpb_foreign_kind;

typedef struct cpb_foreign {
  cpb_foreign_kind kind;
  cpb_span detail; /* for its sentence: bytes of the file, such as the name of an archive's entry, or a constant */
} cpb_foreign;

#endif
