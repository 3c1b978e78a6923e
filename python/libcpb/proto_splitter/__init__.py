"""Splitting protobuf messages into chunks, and merging them: the modules, classes and functions of
TensorFlow's `tensorflow.tools.proto_splitter`, so that code written against it runs once its import
is changed. TensorFlow need not be installed.

A splitter takes a message apart:

    splitter = SavedModelSplitter(message)      # takes the message apart: make a copy to keep it
    splitter.write("model/saved_model")         # model/saved_model.cpb, or .pb if it is small

    merged = saved_model_pb2.SavedModel()
    Merger.read("model/saved_model", merged)    # also beyond 2 GB
"""

try:
    import google.protobuf as _protobuf
except ImportError as error:
    raise ImportError("libcpb.proto_splitter needs protobuf 4.22 or newer: install libcpb[messages]") from error
del _protobuf
