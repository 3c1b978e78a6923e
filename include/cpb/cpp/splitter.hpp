/* cpb/cpp/splitter.hpp: messages of libprotobuf's, split into chunks. Part of cpb/cpb.hpp.
 *
 * A splitter is a class that decides which parts of a message become chunks. It moves these parts
 * out of the message, and so changes it:
 *
 *     class ModelSplitter : public cpb::ComposableSplitter {
 *      public:
 *       using ComposableSplitter::ComposableSplitter;
 *
 *       cpb::Status BuildChunks() override {
 *         auto *model = static_cast<Model *>(message());
 *         if (cpb::Status status = SetMessageAsBaseChunk(); !status.ok()) return status;
 *         for (int i = 0; i < model->layers_size(); i++) {
 *           std::string weights = std::move(*model->mutable_layers(i)->mutable_weights());
 *           model->mutable_layers(i)->clear_weights();
 *           std::vector<cpb::FieldType> fields = {"layers", i, "weights"};
 *           cpb::Status status = AddChunk(std::make_unique<cpb::MessageBytes>(std::move(weights)), &fields);
 *           if (!status.ok()) return status;
 *         }
 *         return cpb::Status();
 *       }
 *     };
 *
 *     ModelSplitter splitter(&model);
 *     cpb::Status status = splitter.Write("model"); // model.cpb, or model.pb if nothing was moved
 *
 * (the API of TensorFlow's proto_splitter, as its design document "Unbound SavedModel" gives it) */
#ifndef CPB_CPP_SPLITTER_HPP
#define CPB_CPP_SPLITTER_HPP

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/message.h>

#include <climits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cpb/cpp/handle.hpp"
#include "cpb/cpp/status.hpp"
#include "cpb/cpp/wire.hpp"

namespace cpb {

/* A chunk: a message that the splitter has made, one that belongs to the caller, or the value of a
 * bytes or string field. */
using MessageBytes = std::variant<std::shared_ptr<google::protobuf::Message>, google::protobuf::Message *, std::string>;

/* An element of a path to a field: the field's name or number, then, of a repeated field, the number of an
 * element, or of a map, a key. */
using FieldType = std::variant<std::string, int, bool, int64_t, uint64_t>;

/* The same as stored in a file: FieldIndex in chunk.proto. */
struct FieldIndex {
  cpb_tag_kind kind;
  uint64_t value;   // field number, index, or a key that is a number, sign-extended
  std::string text; // a key that is a string
};

struct ChunkedField;

/* Where chunks belong in a message: ChunkedMessage in chunk.proto, which it can be serialized as. */
struct ChunkedMessage {
  std::optional<uint64_t> chunk_index;
  std::vector<ChunkedField> chunked_fields;

  std::string SerializeAsString() const;

  /* In protobuf's text format, as a generated class has it. */
  std::string DebugString() const { return DebugString(""); }

 private:
  std::string DebugString(const std::string &indent) const;
};

struct ChunkedField {
  std::vector<FieldIndex> field_tag;
  ChunkedMessage message;
};

struct VersionDef {
  int splitter_version = 1;       // of the splitter; for information
  int join_version = 0;           // the oldest merger that can read what it writes
  std::vector<int> bad_consumers; // mergers that must not
};

/* How Write() writes. */
struct WriteOptions {
  cpb_record_writer_options records = Options<cpb_record_writer_options>();
  bool replace = true; // an existing file
};

/* Splits a message, and writes it. */
class Splitter {
 public:
  virtual ~Splitter() = default;

  /* The chunks, and where they belong. Both are the splitter's, and are made once. */
  virtual StatusOr<std::pair<std::vector<MessageBytes> *, ChunkedMessage *>> Split() = 0;

  /* Writes `file_prefix` + ".cpb"; or ".pb" if the message was not split. The file appears when it is
   * complete. */
  virtual Status Write(std::string file_prefix) = 0;

  virtual VersionDef Version() { return {}; }
};

/* A splitter that can be part of another one: a child adds its chunks to its parent. */
class ComposableSplitter : public Splitter {
 public:
  /* The message must outlive the splitter. */
  explicit ComposableSplitter(google::protobuf::Message *message) : message_(message) {}

  /* A child, for a message within that of `parent_splitter`; `fields_in_parent` lead from the one to the
   * other, and must outlive the child. */
  explicit ComposableSplitter(google::protobuf::Message *message, ComposableSplitter *parent_splitter,
                              std::vector<FieldType> *fields_in_parent)
      : message_(message), parent_(parent_splitter), fields_in_parent_(fields_in_parent) {}

  /* If the message was not split, it is the only chunk. CPB_E_UNSUPPORTED for a child. */
  StatusOr<std::pair<std::vector<MessageBytes> *, ChunkedMessage *>> Split() override {
    if (parent_) return Status(CPB_E_UNSUPPORTED, "a child has no chunks of its own: call Split() of its parent");
    if (!built_) {
      if (Status status = BuildChunks(); !status.ok()) return status;
      built_ = true;
    }
    if (chunks_.empty()) {
      if (Status status = SetMessageAsBaseChunk(); !status.ok()) return status;
    }
    Renumber();
    return std::make_pair(&chunks_, &chunked_message_);
  }

  Status Write(std::string file_prefix) override { return Write(std::move(file_prefix), WriteOptions()); }
  Status Write(std::string file_prefix, const WriteOptions &options);

  /* To be overridden: adds the chunks. Not to be called for a root, whose Split() does that. */
  virtual Status BuildChunks() = 0;

 protected:
  google::protobuf::Message *message() const { return message_; }
  std::vector<FieldType> *fields_in_parent() const { return fields_in_parent_; }

  /* Makes the message itself, without the parts that will be moved out of it, the first chunk. */
  Status SetMessageAsBaseChunk() {
    if (!chunks_.empty()) return Status(CPB_E_USAGE, "the message must be the first chunk; there are chunks already");
    order_.push_back(0);
    chunks_.push_back(message_);
    chunked_message_.chunk_index = 0;
    return {};
  }

  /* Adds a chunk, at the end or at `index`. `fields` lead from this splitter's message to where the chunk
   * belongs; none: it holds further fields of the message itself. CPB_E_NOT_FOUND: a message on the way has
   * no such field; CPB_E_USAGE: a key or index is missing or of the wrong type. */
  Status AddChunk(std::unique_ptr<MessageBytes> chunk, std::vector<FieldType> *fields, int *index = nullptr) {
    if (!chunk || !fields) return Status(CPB_E_USAGE, "a chunk and its fields must not be null");
    if (parent_) {
      std::vector<FieldType> all = *fields_in_parent_;
      all.insert(all.end(), fields->begin(), fields->end());
      return parent_->AddChunk(std::move(chunk), &all, index);
    }
    size_t at = chunks_.size();
    if (index && (*index < 0 || static_cast<size_t>(*index) > at)) {
      return Status(CPB_E_USAGE, "a chunk cannot be inserted at " + std::to_string(*index) + "; there are " +
                                     std::to_string(at) + " chunks");
    }
    if (index) at = static_cast<size_t>(*index);
    ChunkedField field;
    if (Status status = FindTags(*fields, &field.field_tag); !status.ok()) return status;
    field.message.chunk_index = chunks_.size(); // until Renumber()
    chunked_message_.chunked_fields.push_back(std::move(field));
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(at), chunks_.size());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(at), std::move(*chunk));
    return {};
  }

 private:
  Status FindTags(const std::vector<FieldType> &fields, std::vector<FieldIndex> *tags) const;

  /* Chunks are first numbered in the order in which they were added. */
  void Renumber() {
    std::vector<uint64_t> now(order_.size());
    for (size_t i = 0; i < order_.size(); i++) now[order_[i]] = i;
    if (chunked_message_.chunk_index) chunked_message_.chunk_index = now[*chunked_message_.chunk_index];
    for (ChunkedField &field : chunked_message_.chunked_fields)
      field.message.chunk_index = now[*field.message.chunk_index];
    for (size_t i = 0; i < order_.size(); i++) order_[i] = i;
  }

  bool built_ = false;
  google::protobuf::Message *message_;
  ComposableSplitter *parent_ = nullptr;
  std::vector<FieldType> *fields_in_parent_ = nullptr;
  std::vector<MessageBytes> chunks_;
  std::vector<uint64_t> order_; // of each chunk: the number that the ChunkedMessage has for it
  ChunkedMessage chunked_message_;
};

} // namespace cpb

#include "cpb/cpp/splitter_inl.hpp"

#endif
