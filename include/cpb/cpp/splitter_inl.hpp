/* cpb/cpp/splitter_inl.hpp: the longer functions of cpb/cpp/splitter.hpp, which includes it. */
#ifndef CPB_CPP_SPLITTER_INL_HPP
#define CPB_CPP_SPLITTER_INL_HPP

#include "cpb/cpp/records.hpp"
#include "cpb/cpp/splitter.hpp"

namespace cpb {

namespace wire {

inline std::string FieldIndexBytes(const FieldIndex &tag) {
  std::string bytes, key;
  switch (tag.kind) {
    case CPB_TAG_FIELD: PutNumber(&bytes, 1, tag.value); return bytes;
    case CPB_TAG_INDEX: PutNumber(&bytes, 3, tag.value); return bytes;
    case CPB_TAG_KEY_STRING: PutBytes(&key, 1, tag.text); break;
    case CPB_TAG_KEY_BOOL: PutNumber(&key, 2, tag.value); break;
    case CPB_TAG_KEY_UINT32: PutNumber(&key, 3, tag.value); break;
    case CPB_TAG_KEY_UINT64: PutNumber(&key, 4, tag.value); break;
    case CPB_TAG_KEY_INT32: PutNumber(&key, 5, tag.value); break;
    case CPB_TAG_KEY_INT64: PutNumber(&key, 6, tag.value); break;
  }
  PutBytes(&bytes, 2, key);
  return bytes;
}

inline std::string VersionBytes(const VersionDef &version) {
  auto signed_bytes = [](int value) { return static_cast<uint64_t>(static_cast<int64_t>(value)); };
  std::string bytes;
  if (version.splitter_version) PutNumber(&bytes, 1, signed_bytes(version.splitter_version));
  if (version.join_version) PutNumber(&bytes, 2, signed_bytes(version.join_version));
  std::string packed;
  for (int consumer : version.bad_consumers) PutVarint(&packed, signed_bytes(consumer));
  if (!packed.empty()) PutBytes(&bytes, 3, packed);
  return bytes;
}

/* A stream for libprotobuf that writes into a record. */
class RecordStream : public google::protobuf::io::ZeroCopyOutputStream {
 public:
  explicit RecordStream(RecordWriter *writer) : writer_(writer), buffer_(1 << 16, '\0') {}

  bool Next(void **data, int *size) override {
    if (!Flush().ok()) return false;
    *data = buffer_.data();
    *size = static_cast<int>(used_ = buffer_.size());
    return true;
  }
  void BackUp(int count) override { used_ -= static_cast<size_t>(count); }
  int64_t ByteCount() const override { return static_cast<int64_t>(written_ + used_); }

  Status Flush() {
    if (status_.ok() && used_ > 0) status_ = writer_->Append(std::string_view(buffer_).substr(0, used_));
    written_ += used_;
    used_ = 0;
    return status_;
  }

 private:
  RecordWriter *writer_;
  std::string buffer_;
  size_t used_ = 0;
  uint64_t written_ = 0;
  Status status_;
};

} // namespace wire

inline std::string ChunkedMessage::SerializeAsString() const {
  std::string bytes;
  if (chunk_index) wire::PutNumber(&bytes, 1, *chunk_index);
  for (const ChunkedField &field : chunked_fields) {
    std::string inner;
    for (const FieldIndex &tag : field.field_tag) wire::PutBytes(&inner, 1, wire::FieldIndexBytes(tag));
    wire::PutBytes(&inner, 3, field.message.SerializeAsString());
    wire::PutBytes(&bytes, 2, inner);
  }
  return bytes;
}

namespace wire {

/* Octal escapes for all but printable ASCII, as protobuf's text format has them. */
inline std::string Escaped(std::string_view text) {
  static constexpr std::string_view named = "\n\r\t\"'\\", names = "nrt\"'\\";
  std::string out;
  for (char c : text) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (size_t i = named.find(c); i != named.npos) {
      (out += '\\') += names[i];
    } else if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += '\\';
      for (unsigned shift : {6u, 3u, 0u}) out += static_cast<char>('0' + (byte >> shift & 7));
    }
  }
  return out;
}

inline std::string FieldIndexText(const FieldIndex &tag) {
  const std::string number = std::to_string(tag.value), negative = std::to_string(static_cast<int64_t>(tag.value));
  switch (tag.kind) {
    case CPB_TAG_FIELD: return "field: " + number;
    case CPB_TAG_INDEX: return "index: " + number;
    case CPB_TAG_KEY_STRING: return "s: \"" + Escaped(tag.text) + "\"";
    case CPB_TAG_KEY_BOOL: return tag.value ? "boolean: true" : "boolean: false";
    case CPB_TAG_KEY_UINT32: return "ui32: " + number;
    case CPB_TAG_KEY_UINT64: return "ui64: " + number;
    case CPB_TAG_KEY_INT32: return "i32: " + negative;
    case CPB_TAG_KEY_INT64: return "i64: " + negative;
  }
  return {};
}

} // namespace wire

inline std::string ChunkedMessage::DebugString(const std::string &indent) const {
  std::string text;
  if (chunk_index) text += indent + "chunk_index: " + std::to_string(*chunk_index) + "\n";
  for (const ChunkedField &field : chunked_fields) {
    text += indent + "chunked_fields {\n";
    for (const FieldIndex &tag : field.field_tag) {
      const bool key = tag.kind != CPB_TAG_FIELD && tag.kind != CPB_TAG_INDEX;
      text += indent + "  field_tag {\n";
      if (key) text += indent + "    map_key {\n";
      text += indent + (key ? "      " : "    ") + wire::FieldIndexText(tag) + "\n";
      if (key) text += indent + "    }\n";
      text += indent + "  }\n";
    }
    text += indent + "  message {\n" + field.message.DebugString(indent + "    ") + indent + "  }\n";
    text += indent + "}\n";
  }
  return text;
}

/* The number that a FieldType stands for, sign-extended; none of a string. */
inline std::optional<uint64_t> NumberOf(const FieldType &field) {
  if (auto *number = std::get_if<int>(&field)) return static_cast<uint64_t>(static_cast<int64_t>(*number));
  if (auto *number = std::get_if<int64_t>(&field)) return static_cast<uint64_t>(*number);
  if (auto *number = std::get_if<uint64_t>(&field)) return *number;
  if (auto *truth = std::get_if<bool>(&field)) return *truth;
  return std::nullopt;
}

inline std::string TextOf(const FieldType &field) {
  if (auto *text = std::get_if<std::string>(&field)) return '"' + *text + '"';
  if (auto *truth = std::get_if<bool>(&field)) return *truth ? "true" : "false";
  uint64_t number = *NumberOf(field);
  return std::holds_alternative<uint64_t>(field) ? std::to_string(number)
                                                 : std::to_string(static_cast<int64_t>(number));
}

/* A map's key as the map has it. */
inline StatusOr<FieldIndex> KeyOf(const google::protobuf::FieldDescriptor *map, const FieldType &field) {
  using Descriptor = google::protobuf::FieldDescriptor;
  const Descriptor *key = map->message_type()->FindFieldByNumber(1);
  std::optional<uint64_t> number = NumberOf(field);
  bool is_bool = std::holds_alternative<bool>(field);
  auto wrong = [&] {
    return Status(CPB_E_USAGE,
                  "the keys of " + map->full_name() + " are of type " + key->type_name() + ", not " + TextOf(field));
  };
  auto signed_key = [&](cpb_tag_kind kind, int64_t least, int64_t most) -> StatusOr<FieldIndex> {
    bool large = std::holds_alternative<uint64_t>(field) && *number > INT64_MAX;
    int64_t value = static_cast<int64_t>(number.value_or(0));
    if (!number || is_bool || large || value < least || value > most) return wrong();
    return FieldIndex{kind, *number, {}};
  };
  auto unsigned_key = [&](cpb_tag_kind kind, uint64_t most) -> StatusOr<FieldIndex> {
    bool negative = !std::holds_alternative<uint64_t>(field) && static_cast<int64_t>(number.value_or(0)) < 0;
    if (!number || is_bool || negative || *number > most) return wrong();
    return FieldIndex{kind, *number, {}};
  };
  switch (key->cpp_type()) {
    case Descriptor::CPPTYPE_STRING:
      if (number) return wrong();
      return FieldIndex{CPB_TAG_KEY_STRING, 0, std::get<std::string>(field)};
    case Descriptor::CPPTYPE_BOOL:
      if (!is_bool) return wrong();
      return FieldIndex{CPB_TAG_KEY_BOOL, *number, {}};
    case Descriptor::CPPTYPE_INT32: return signed_key(CPB_TAG_KEY_INT32, INT32_MIN, INT32_MAX);
    case Descriptor::CPPTYPE_INT64: return signed_key(CPB_TAG_KEY_INT64, INT64_MIN, INT64_MAX);
    case Descriptor::CPPTYPE_UINT32: return unsigned_key(CPB_TAG_KEY_UINT32, UINT32_MAX);
    case Descriptor::CPPTYPE_UINT64: return unsigned_key(CPB_TAG_KEY_UINT64, UINT64_MAX);
    default: return wrong();
  }
}

inline Status ComposableSplitter::FindTags(const std::vector<FieldType> &fields, std::vector<FieldIndex> *tags) const {
  const google::protobuf::Descriptor *type = message_->GetDescriptor();
  std::string path = type->full_name();
  for (size_t i = 0; i < fields.size();) {
    if (!type) return Status(CPB_E_USAGE, path + " is no message; nothing can be in it, such as " + TextOf(fields[i]));
    const google::protobuf::FieldDescriptor *field = nullptr;
    if (auto *name = std::get_if<std::string>(&fields[i])) field = type->FindFieldByName(*name);
    else if (auto number = NumberOf(fields[i]); number && *number <= INT32_MAX)
      field = type->FindFieldByNumber(static_cast<int>(*number));
    if (!field) return Status(CPB_E_NOT_FOUND, "there is no field " + TextOf(fields[i]) + " in " + type->full_name());
    path += "." + field->name();
    tags->push_back({CPB_TAG_FIELD, static_cast<uint64_t>(field->number()), {}});
    type = field->message_type();
    if (++i == fields.size() || !field->is_repeated()) continue;
    path += "[" + TextOf(fields[i]) + "]";
    if (field->is_map()) {
      auto key = KeyOf(field, fields[i]);
      if (!key.ok()) return key.status();
      tags->push_back(*std::move(key));
      type = type->FindFieldByNumber(2)->message_type();
    } else {
      std::optional<uint64_t> index = NumberOf(fields[i]);
      if (!index || *index > INT32_MAX || std::holds_alternative<bool>(fields[i]))
        return Status(CPB_E_USAGE, "expected the number of an element in " + path);
      tags->push_back({CPB_TAG_INDEX, *index, {}});
    }
    i++;
  }
  return {};
}

inline Status ComposableSplitter::Write(std::string file_prefix, const WriteOptions &options) {
  if (parent_) return Status(CPB_E_UNSUPPORTED, "a child has no chunks of its own: call Write() of its parent");
  if (auto split = Split(); !split.ok()) return split.status();
  const bool is_split = !chunked_message_.chunked_fields.empty();
  file_prefix += is_split ? ".cpb" : ".pb";
  auto bytes_of = [](const google::protobuf::Message &message, size_t *size) {
    *size = message.ByteSizeLong();
    return *size <= INT_MAX
               ? Status()
               : Status(CPB_E_LIMIT, "a " + message.GetDescriptor()->full_name() + " of " + std::to_string(*size) +
                                         " bytes is to be written in one; protobuf "
                                         "writes at most 2147483647: more of it must become chunks");
  };
  size_t size;
  if (!is_split) {
    if (Status status = bytes_of(*message_, &size); !status.ok()) return status.In(file_prefix);
    auto how = Options<cpb_output_options>();
    how.replace = options.replace;
    cpb_error error;
    Handle<cpb_output> output(cpb_output_create(nullptr, file_prefix.c_str(), &how, &error));
    if (!output) return Status(error).In(file_prefix);
    std::string bytes = message_->SerializePartialAsString();
    cpb_output_write(output.get(), 0, bytes.data(), bytes.size());
    if (cpb_output_commit(output.get()) == CPB_OK) return {};
    return Status(cpb_output_error(output.get())).In(file_prefix);
  }

  auto writer = RecordWriter::Create(file_prefix, options.records, options.replace);
  if (!writer.ok()) return writer.status();
  std::string metadata;
  wire::PutBytes(&metadata, 1, wire::VersionBytes(Version()));
  for (const MessageBytes &chunk : chunks_) {
    const auto *text = std::get_if<std::string>(&chunk);
    Status status;
    if (text) {
      size = text->size();
      status = writer->Write(*text);
    } else {
      const auto *shared = std::get_if<std::shared_ptr<google::protobuf::Message>>(&chunk);
      const google::protobuf::Message &message = shared ? **shared : *std::get<google::protobuf::Message *>(chunk);
      status = bytes_of(message, &size);
      if (status.ok()) status = writer->Begin(size);
      wire::RecordStream stream(&*writer);
      if (status.ok()) message.SerializePartialToZeroCopyStream(&stream);
      if (status.ok()) status = stream.Flush();
    }
    if (!status.ok()) return status.In(file_prefix);
    std::string info;
    wire::PutNumber(&info, 1, text ? CPB_CHUNK_BYTES : CPB_CHUNK_MESSAGE);
    if (size) wire::PutNumber(&info, 2, size);
    wire::PutNumber(&info, 3, writer->position());
    wire::PutBytes(&metadata, 2, info);
  }
  wire::PutBytes(&metadata, 3, chunked_message_.SerializeAsString());
  Status status = writer->Write(metadata);
  if (status.ok()) status = writer->Close();
  return status.In(file_prefix);
}

} // namespace cpb

#endif
