/* cpb/cpp/merger_inl.hpp: the longer functions of cpb/cpp/merger.hpp, which includes it. */
#ifndef CPB_CPP_MERGER_INL_HPP
#define CPB_CPP_MERGER_INL_HPP

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <climits>
#include <set>
#include <vector>

#include "cpb/cpp/merger.hpp"

namespace cpb {

namespace wire {

/* A serialized message, read by ranges. */
class Source {
 public:
  virtual ~Source() = default;

  /* Bytes from `offset` on, at least one, valid until the next call. */
  virtual StatusOr<std::string_view> Peek(uint64_t offset, uint64_t length) = 0;
};

class FileSource : public Source {
 public:
  explicit FileSource(Message *message) : message_(message) {}
  StatusOr<std::string_view> Peek(uint64_t offset, uint64_t length) override { return message_->Peek(offset, length); }

 private:
  Message *message_;
};

/* The merged message of chunks in memory. */
class MergeSource : public Source {
 public:
  explicit MergeSource(cpb_merge *merge) : merge_(merge) {}

  StatusOr<std::string_view> Peek(uint64_t offset, uint64_t length) override {
    if (offset != next_) {
      left_ = {};
      cpb_merge_read(merge_, offset, UINT64_MAX);
      next_ = offset;
    }
    if (left_.empty()) {
      if (cpb_merge_step(merge_) != CPB_STEP_DATA) return Status(cpb_merge_error(merge_));
      size_t size;
      const uint8_t *data = cpb_merge_data(merge_, &size);
      left_ = std::string_view(reinterpret_cast<const char *>(data), size);
    }
    std::string_view some = left_.substr(0, static_cast<size_t>(std::min<uint64_t>(length, left_.size())));
    left_.remove_prefix(some.size());
    next_ += some.size();
    return some;
  }

 private:
  cpb_merge *merge_;
  uint64_t next_ = UINT64_MAX;
  std::string_view left_;
};

/* A range of a source, for libprotobuf to parse. */
class SourceStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  SourceStream(Source *source, uint64_t begin, uint64_t end) : source_(source), begin_(begin), at_(begin), end_(end) {}

  bool Next(const void **data, int *size) override {
    if (at_ == end_ || !status_.ok()) return false;
    if (rest_.empty()) {
      auto some = source_->Peek(at_, end_ - at_);
      if (!some.ok()) {
        status_ = some.status();
        return false;
      }
      rest_ = *some;
    }
    last_ = rest_;
    rest_ = {};
    at_ += last_.size();
    *data = last_.data();
    *size = static_cast<int>(last_.size());
    return true;
  }
  void BackUp(int count) override {
    rest_ = last_.substr(last_.size() - static_cast<size_t>(count));
    at_ -= rest_.size();
  }
  bool Skip(int count) override {
    const void *data;
    int size;
    while (count > 0 && Next(&data, &size)) {
      if (size > count) BackUp(size - count);
      count -= std::min(size, count);
    }
    return count == 0;
  }
  int64_t ByteCount() const override { return static_cast<int64_t>(at_ - begin_); }
  const Status &status() const { return status_; }

 private:
  Source *source_;
  uint64_t begin_, at_, end_;
  std::string_view rest_, last_;
  Status status_;
};

/* Parses a message of any size, by pieces that libprotobuf can take. */
class Parser {
 public:
  Parser(Source *source, const MergeOptions &options)
      : source_(source), most_(std::min<uint64_t>(options.max_parse, INT_MAX)) {}

  Status Parse(uint64_t begin, uint64_t end, google::protobuf::Message *message, int depth = 0) {
    if (depth > kMostDepth) return Status(CPB_E_LIMIT, "messages are nested deeper than 100 levels", begin);
    uint64_t pending = begin; // what precedes `at` is parsed, or from here on waits for it
    for (uint64_t at = begin; end - pending > most_;) {
      Header header;
      if (Status status = ReadHeader(at, end, &header); !status.ok()) return status;
      uint64_t value = at + header.size, next;
      if (Status status = FindEnd(at, end, header, &next); !status.ok()) return status;
      if (next - pending > most_) {
        if (Status status = ParsePiece(pending, at, message); !status.ok()) return status;
        pending = at;
      }
      if (next - pending > most_) {
        auto *inner = Enter(message, header);
        if (!inner && next - at > INT_MAX) return TooLarge(at, *message, header.number, next - value);
        Status status = inner ? Parse(value, next, inner, depth + 1) : ParsePiece(at, next, message);
        if (!status.ok()) return status;
        pending = next;
      }
      at = next;
    }
    return ParsePiece(pending, end, message);
  }

 private:
  static constexpr int kMostDepth = 100; // libprotobuf's own limit

  Status ReadHeader(uint64_t at, uint64_t end, Header *header) {
    std::string bytes;
    uint64_t want = std::min<uint64_t>(kMostHeader, end - at);
    while (bytes.size() < want) {
      auto some = source_->Peek(at + bytes.size(), want - bytes.size());
      if (!some.ok()) return some.status();
      bytes += *some;
    }
    if (!GetHeader(bytes, header) || header->value > end - at - header->size)
      return Status(CPB_E_DAMAGED, "expected a field of a message", at);
    return {};
  }

  /* Where the field whose header stands at `at` ends. */
  Status FindEnd(uint64_t at, uint64_t end, const Header &header, uint64_t *next) {
    *next = at + header.size + header.value;
    if (header.type == kEndGroup) return WrongEnd(at, header);
    return header.type == kGroup ? SkipGroup(*next, end, header.number, next) : Status();
  }

  /* Where the group ends whose first field stands at `at`. */
  Status SkipGroup(uint64_t at, uint64_t end, uint32_t number, uint64_t *next) {
    std::vector<uint32_t> open = {number};
    while (!open.empty()) {
      Header header;
      if (Status status = ReadHeader(at, end, &header); !status.ok()) return status;
      if (header.type == kEndGroup) {
        if (header.number != open.back()) return WrongEnd(at, header);
        open.pop_back();
      } else if (header.type == kGroup) {
        if (open.size() == kMostDepth) return Status(CPB_E_LIMIT, "groups are nested deeper than 100 levels", at);
        open.push_back(header.number);
      }
      at += header.size + header.value;
    }
    *next = at;
    return {};
  }

  static Status WrongEnd(uint64_t at, const Header &header) {
    return Status(CPB_E_DAMAGED, "group " + std::to_string(header.number) + " ends, which is not open", at);
  }

  /* The message in a field, to be filled by itself. NULL if the field is not a message, or is a
   * map's entry. */
  static google::protobuf::Message *Enter(google::protobuf::Message *message, const Header &header) {
    const auto *field = header.number > INT_MAX ? nullptr : Find(*message, header.number);
    if (!field || header.type != 2 || field->type() != google::protobuf::FieldDescriptor::TYPE_MESSAGE ||
        field->is_map()) {
      return nullptr;
    }
    const auto *reflection = message->GetReflection();
    return field->is_repeated() ? reflection->AddMessage(message, field) : reflection->MutableMessage(message, field);
  }

  static const google::protobuf::FieldDescriptor *Find(const google::protobuf::Message &message, uint32_t number) {
    const auto *field = message.GetDescriptor()->FindFieldByNumber(static_cast<int>(number));
    return field ? field : message.GetReflection()->FindKnownExtensionByNumber(static_cast<int>(number));
  }

  static Status TooLarge(uint64_t at, const google::protobuf::Message &message, uint32_t number, uint64_t size) {
    const auto *field = number > INT_MAX ? nullptr : Find(message, number);
    return Status(CPB_E_LIMIT,
                  (field ? field->full_name() : "field " + std::to_string(number)) + " has " + std::to_string(size) +
                      " bytes; protobuf takes at most 2147483647 in one field",
                  at);
  }

  Status ParsePiece(uint64_t begin, uint64_t end, google::protobuf::Message *message) {
    if (begin == end) return {};
    SourceStream stream(source_, begin, end);
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(INT_MAX);
    bool parsed = message->MergePartialFromCodedStream(&coded) && coded.ConsumedEntireMessage();
    if (!stream.status().ok()) return stream.status();
    if (parsed && coded.CurrentPosition() == static_cast<int>(end - begin)) return {};
    return Status(CPB_E_DAMAGED,
                  "expected a " + message->GetDescriptor()->full_name() + "; libprotobuf cannot parse what begins here",
                  begin);
  }

  Source *source_;
  uint64_t most_;
};

/* Parses all of it, or nothing. */
inline Status ParseWhole(Source *source, uint64_t size, const MergeOptions &options,
                         google::protobuf::Message *message) {
  Status status = Parser(source, options).Parse(0, size, message);
  if (status.ok() && !message->IsInitialized()) {
    status = Status(CPB_E_FORMAT, "a " + message->GetDescriptor()->full_name() +
                                      " lacks required fields: " + message->InitializationErrorString());
  }
  if (!status.ok()) message->Clear();
  return status;
}

/* The files that declare a type, those that others need first. */
inline void AddFiles(const google::protobuf::FileDescriptor *file, std::set<std::string> *known,
                     google::protobuf::FileDescriptorSet *files) {
  if (!known->insert(file->name()).second) return;
  for (int i = 0; i < file->dependency_count(); i++) AddFiles(file->dependency(i), known, files);
  file->CopyTo(files->add_file());
}

/* The type of a message, for the engine. */
inline StatusOr<Handle<cpb_schema>> SchemaOf(const google::protobuf::Message &message) {
  google::protobuf::FileDescriptorSet files;
  std::set<std::string> known;
  AddFiles(message.GetDescriptor()->file(), &known, &files);
  std::string bytes = files.SerializeAsString();
  cpb_error error;
  Handle<cpb_schema> schema(cpb_schema_new(nullptr, bytes.data(), bytes.size(), nullptr, &error));
  if (!schema) return Status(error).In(message.GetDescriptor()->full_name());
  return schema;
}

/* A chunk's bytes, and whether these are a message's. */
inline bool BytesOf(const std::unique_ptr<google::protobuf::Message> &chunk, std::string *bytes) {
  *bytes = chunk->SerializePartialAsString();
  return true;
}
inline bool BytesOf(const MessageBytes &chunk, std::string *bytes) {
  if (const auto *text = std::get_if<std::string>(&chunk)) {
    *bytes = *text;
    return false;
  }
  const auto *shared = std::get_if<std::shared_ptr<google::protobuf::Message>>(&chunk);
  *bytes = (shared ? shared->get() : std::get<google::protobuf::Message *>(chunk))->SerializePartialAsString();
  return true;
}

} // namespace wire

template <typename Chunks>
Status Merger::Merge(const Chunks &chunks, const std::string &chunked_message,
                     google::protobuf::Message *merged_message) {
  std::vector<std::string> kept(chunks.size()); // outlive the merge
  std::vector<cpb_chunk_bytes> bytes;
  for (size_t i = 0; i < kept.size(); i++) {
    bool is_message = wire::BytesOf(chunks[i], &kept[i]);
    bytes.push_back({kept[i].data(), kept[i].size(), is_message ? CPB_CHUNK_MESSAGE : CPB_CHUNK_BYTES});
  }
  auto schema = wire::SchemaOf(*merged_message);
  if (!schema.ok()) return schema.status();
  cpb_error error;
  Handle<cpb_index> index(
      cpb_index_from_message(nullptr, nullptr, chunked_message.data(), chunked_message.size(), &error));
  if (!index) return Status(error);
  auto how = Options<cpb_merge_options>();
  how.type = cpb_schema_find_message(schema->get(), merged_message->GetDescriptor()->full_name().c_str());
  Handle<cpb_merge> merge(cpb_merge_from_chunks(nullptr, index.get(), bytes.data(), bytes.size(), &how));
  if (!merge) return Status(CPB_E_MEMORY, cpb_code_text(CPB_E_MEMORY));
  if (cpb_merge_step(merge.get()) != CPB_STEP_DONE) return Status(cpb_merge_error(merge.get()));
  wire::MergeSource source(merge.get());
  return wire::ParseWhole(&source, cpb_merge_size(merge.get()), MergeOptions(), merged_message);
}

inline Status Merger::Read(std::string prefix, google::protobuf::Message *merged_message, const MergeOptions &options) {
  auto schema = wire::SchemaOf(*merged_message);
  if (!schema.ok()) return schema.status();
  auto message = Message::Open(
      prefix, cpb_schema_find_message(schema->get(), merged_message->GetDescriptor()->full_name().c_str()));
  if (!message.ok()) return message.status();
  wire::FileSource source(&*message);
  return wire::ParseWhole(&source, message->size(), options, merged_message).In(message->path());
}

} // namespace cpb

#endif
