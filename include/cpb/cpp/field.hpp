/* cpb/cpp/field.hpp: fields of a message that is read piece by piece. Part of cpb/cpb.hpp.
 *
 *     auto message = cpb::Message::Open("model.onnx");
 *     auto nodes = message->Field("graph.node");          // nothing of them is read yet
 *     auto all = nodes->Elements();                       // where each one is
 *     for (cpb::MessageField node : *all) std::cout << *node.Field("op_type")->Value<std::string>() << "\n";
 *     auto json = all->At(7).Json();
 *     auto dims = message->Field("graph.initializer[0].dims")->Values<int64_t>();
 *     auto raw = message->Field("graph.initializer[0].raw_data")->Read();
 *
 * (without its errors: each of these is a StatusOr) */
#ifndef CPB_CPP_FIELD_HPP
#define CPB_CPP_FIELD_HPP

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpb/cpp/handle.hpp"
#include "cpb/cpp/status.hpp"
#include "cpb/cpp/wire.hpp"

namespace cpb {

/* The data that a Message and its fields share. */
struct OpenMessage {
  Handle<cpb_schema> schema; // the built-in one, or nullptr
  Handle<cpb_message_file> file;
  const cpb_message_type *type = nullptr; // nullptr: not known yet
  std::string path;
  uint64_t size = 0;

  StatusOr<std::string_view> Peek(uint64_t offset, uint64_t length) {
    cpb_error error;
    size_t some = static_cast<size_t>(std::min<uint64_t>(length, 1 << 18));
    const uint8_t *data = cpb_message_file_read(file.get(), offset, &some, &error);
    if (!data) return Status(error).In(path);
    return std::string_view(reinterpret_cast<const char *>(data), some);
  }

  Status Append(uint64_t offset, uint64_t length, std::string *bytes) {
    while (length > 0) {
      auto piece = Peek(offset, length);
      if (!piece.ok()) return piece.status();
      if (piece->empty()) return Status(CPB_E_TRUNCATED, "the message ended early", offset).In(path);
      bytes->append(*piece);
      offset += piece->size();
      length -= piece->size();
    }
    return {};
  }
};

/* The form of a field's JSON. */
struct JsonOptions {
  uint64_t omit = 1024;       // longer strings, bytes and packed fields are not read: {"@omitted": ...}; 0: all are
  bool original_names = true; // as in the .proto, rather than lowerCamelCase
  bool unknown_fields = false;
  unsigned indent = 0;
};

/* A field of a message. Its bytes are only read on request. It keeps the message open. One thread
 * at a time uses a message and its fields. */
class MessageField {
 public:
  class List;

  /* The path of the field, from the message. */
  const std::string &path() const { return path_; }

  /* Number and name of the field; 0 and "" for the message itself, and "" if the schema does not
   * have the name. */
  uint32_t number() const { return found_.number; }
  std::string_view name() const { return found_.field ? found_.field->name : ""; }

  /* The full name of its message type; "" if it is not a message, or unknown. */
  std::string_view type_name() const { return found_.message ? found_.message->name : ""; }

  /* Whether it is a repeated field as a whole. The ranges are then fields of the parent, with their tags. */
  bool repeated() const { return found_.fields != 0; }

  /* The ranges of its value in the message. If there are several, their concatenation is the merged
   * message. */
  const std::vector<cpb_range> &ranges() const { return ranges_; }

  /* Bytes of the serialized value. */
  uint64_t size() const {
    uint64_t size = 0;
    for (const cpb_range &range : ranges_) size += range.length;
    return size;
  }

  /* A range of the serialized value, without bytes past the end. For a bytes field, such as a
   * tensor's, these are the bytes themselves. */
  StatusOr<std::string> Read(uint64_t offset = 0, uint64_t length = UINT64_MAX) const {
    std::string bytes;
    for (const cpb_range &range : ranges_) {
      uint64_t skip = std::min(offset, range.length), some = std::min(length, range.length - skip);
      if (Status status = message_->Append(range.offset + skip, some, &bytes); !status.ok()) return status.In(path_);
      offset -= skip;
      length -= some;
    }
    return bytes;
  }

  /* The value as protobuf's JSON: an object for a message, an array for a repeated field.
   * CPB_E_USAGE: its type is unknown. */
  StatusOr<std::string> Json(const JsonOptions &how = JsonOptions()) const {
    auto json = Options<cpb_json_options>();
    json.original_names = how.original_names;
    json.unknown_fields = how.unknown_fields;
    json.indent = how.indent;
    auto options = Options<cpb_field_options>();
    options.json = &json;
    options.omit = how.omit;
    const cpb_found_field place = {found_, ranges_.data(), ranges_.size()};
    cpb_error error;
    size_t size;
    char *text = cpb_message_file_json(message_->file.get(), &place, &options, &size, &error);
    if (!text) return Fail(error);
    std::string copied(text, size);
    std::free(text);
    return copied;
  }

  /* The field at a path within this message, such as `op` or `attr["value"]`. CPB_E_NOT_FOUND: the
   * field does not exist. Use operator[] for an element or entry of a repeated field. */
  StatusOr<MessageField> Field(const std::string &path) const {
    if (repeated()) return Wrong("a repeated field; expected an index");
    const char *dot = path_.empty() || path.empty() ? "" : ".";
    return Find(message_, found_.message, path, path_ + dot + path, &ranges_);
  }

  /* The elements of a repeated field; for a map its entries, which are messages with `key` and
   * `value`. CPB_E_UNSUPPORTED for numbers: use Values(). */
  StatusOr<List> Elements() const;

  /* An element, or the value of a map's key. CPB_E_NOT_FOUND: it does not exist. */
  StatusOr<MessageField> operator[](uint64_t index) const { return Selected("[" + std::to_string(index) + "]"); }
  StatusOr<MessageField> operator[](std::string_view key) const {
    auto tag = cpb_path_tag();
    tag.kind = CPB_PATH_KEY;
    tag.text = key.data();
    tag.length = key.size();
    std::string text(4 * key.size() + 5, '\0');
    text.resize(cpb_path_format(&tag, 1, text.data(), text.size()));
    return Selected(text);
  }
  StatusOr<MessageField> operator[](const char *key) const { return (*this)[std::string_view(key)]; }
  StatusOr<MessageField> operator[](int index) const {
    if (index < 0) return Wrong("expected an index from 0");
    return (*this)[static_cast<uint64_t>(index)];
  }

  /* The number of elements, entries or numbers of a repeated field. */
  StatusOr<uint64_t> Count() const;

  /* The value of a field that is not repeated: a number or bool as the C++ type of the field (an
   * enum is an int32_t), a std::string for a string, bytes or the serialized message. CPB_E_USAGE:
   * the field has another type. */
  template <typename T>
  StatusOr<T> Value() const {
    if (repeated()) return Wrong("a repeated field; expected an index, Values() or Json()");
    if constexpr (std::is_same_v<T, std::string>) {
      if (IsNumber()) return Wrong("a number; expected the Value of a type of numbers");
      return Read();
    } else {
      auto values = Numbers<T>(ranges_);
      if (!values.ok()) return values.status();
      if (values->size() != 1) return Status(CPB_E_DAMAGED, "it is not one number", ranges_[0].offset).In(path_);
      return T((*values)[0]);
    }
  }

  /* All values of a repeated field of numbers, packed or not. CPB_E_USAGE: its numbers have another
   * type; CPB_E_UNSUPPORTED: it is not a repeated field of numbers. */
  template <typename T>
  StatusOr<std::vector<T>> Values() const {
    if (!repeated() || !IsNumber()) return Status(CPB_E_UNSUPPORTED, "it is not a repeated field of numbers").In(path_);
    auto places = Places();
    return places.ok() ? Numbers<T>(**places) : StatusOr<std::vector<T>>(places.status());
  }

  /* The field at a path of the message, or of its part in the ranges, with the type `type`. Use
   * Message::Field() instead. */
  static StatusOr<MessageField> Find(const std::shared_ptr<OpenMessage> &message, const cpb_message_type *type,
                                     const std::string &path, std::string whole,
                                     const std::vector<cpb_range> *within = nullptr) {
    MessageField field(message, std::move(whole));
    Status status = field.Search(type, path, within, false, &field.ranges_);
    return status.ok() ? StatusOr<MessageField>(std::move(field)) : status;
  }

 private:
  using Ranges = std::shared_ptr<const std::vector<cpb_range>>;

  MessageField(std::shared_ptr<OpenMessage> message, std::string path)
      : message_(std::move(message)), path_(std::move(path)) {}

  Status Wrong(const char *what) const { return Status(CPB_E_USAGE, what).In(path_); }
  Status Fail(const cpb_error &error) const { return Status(error).In(message_->path); }

  Status Search(const cpb_message_type *type, const std::string &path, const std::vector<cpb_range> *within, bool each,
                std::vector<cpb_range> *ranges) {
    cpb_error error;
    Handle<cpb_path> parsed(cpb_path_parse(nullptr, path.data(), path.size(), &error));
    if (!parsed) return Status(error);
    Handle<cpb_find> find(cpb_find_new(nullptr, type, parsed.get(), nullptr));
    if (!find || (within && cpb_find_within(find.get(), within->data(), within->size()) != CPB_OK))
      return Status(CPB_E_MEMORY, "out of memory");
    if (each) cpb_find_each(find.get());
    cpb_step step;
    while ((step = cpb_find_step(find.get())) == CPB_STEP_NEED)
      if (cpb_message_file_supply(message_->file.get(), cpb_find_input(find.get()), &error) != CPB_OK)
        return Fail(error);
    if (step != CPB_STEP_DONE) return Fail(*cpb_find_error(find.get()));
    found_ = *cpb_find_found(find.get());
    ranges->resize(cpb_find_num_ranges(find.get()));
    for (size_t i = 0; i < ranges->size(); i++) (*ranges)[i] = cpb_find_get_range(find.get(), i);
    return {};
  }

  /* The ranges of a repeated field form a message with only this field. */
  StatusOr<MessageField> Selected(const std::string &selector) const {
    if (!repeated()) return Wrong("not a repeated field; expected no index or key");
    return Find(message_, found_.parent, std::to_string(number()) + selector, path_ + selector, &ranges_);
  }

  StatusOr<Ranges> Places() const {
    if (!repeated()) return Wrong("not a repeated field, and has no elements");
    if (!places_) {
      auto places = std::make_shared<std::vector<cpb_range>>();
      MessageField same(message_, path_);
      Status status = same.Search(found_.parent, std::to_string(number()), &ranges_, true, places.get());
      if (!status.ok()) return status;
      places_ = std::move(places);
    }
    return Ranges(places_);
  }

  bool IsNumber() const {
    return found_.field && !found_.field->message && found_.field->type != CPB_TYPE_STRING &&
           found_.field->type != CPB_TYPE_BYTES;
  }

  /* 0: a varint. */
  unsigned FixedSize() const {
    switch (found_.field->type) {
      case CPB_TYPE_DOUBLE:
      case CPB_TYPE_FIXED64:
      case CPB_TYPE_SFIXED64: return 8;
      case CPB_TYPE_FLOAT:
      case CPB_TYPE_FIXED32:
      case CPB_TYPE_SFIXED32: return 4;
      default: return 0;
    }
  }

  /* Whether its numbers are of type T; otherwise the error names their type. */
  template <typename T>
  Status Fits() const {
    auto is = [&](bool fits, const char *name) {
      return fits ? Status() : Wrong((std::string("it is of type ") + name + "; expected that type").c_str());
    };
    constexpr bool real = std::is_floating_point_v<T>, truth = std::is_same_v<T, bool>;
    constexpr bool whole = std::is_integral_v<T> && !truth, negative = std::is_signed_v<T>;
    switch (found_.field->type) {
      case CPB_TYPE_DOUBLE: return is(real && sizeof(T) == 8, "double");
      case CPB_TYPE_FLOAT: return is(real && sizeof(T) == 4, "float");
      case CPB_TYPE_BOOL: return is(truth, "bool");
      case CPB_TYPE_INT64:
      case CPB_TYPE_SFIXED64:
      case CPB_TYPE_SINT64: return is(whole && negative && sizeof(T) == 8, "int64_t");
      case CPB_TYPE_UINT64:
      case CPB_TYPE_FIXED64: return is(whole && !negative && sizeof(T) == 8, "uint64_t");
      case CPB_TYPE_UINT32:
      case CPB_TYPE_FIXED32: return is(whole && !negative && sizeof(T) == 4, "uint32_t");
      default: return is(whole && negative && sizeof(T) == 4, "int32_t");
    }
  }

  template <typename T>
  static T NumberOf(uint64_t raw, cpb_field_type type) {
    if constexpr (std::is_floating_point_v<T>) {
      std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t> bits = static_cast<decltype(bits)>(raw);
      T value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    } else {
      if (type == CPB_TYPE_SINT32 || type == CPB_TYPE_SINT64) raw = raw >> 1 ^ (0 - (raw & 1));
      return static_cast<T>(raw);
    }
  }

  /* The number that `in` begins with, and its size; 0 if the number does not end
   * in `in`. */
  static size_t TakeNumber(std::string_view in, unsigned fixed, uint64_t *raw) {
    if (fixed == 0) return wire::GetVarint(in, raw);
    if (in.size() < fixed) return 0;
    *raw = 0;
    for (unsigned i = 0; i < fixed; i++) *raw |= static_cast<uint64_t>(static_cast<unsigned char>(in[i])) << 8 * i;
    return fixed;
  }

  /* Decodes consecutive numbers, which have this form whether packed or not. */
  template <typename Take>
  Status EachNumber(const std::vector<cpb_range> &places, Take take) const {
    const unsigned fixed = FixedSize();
    for (const cpb_range &place : places) {
      std::string bytes;
      if (Status status = message_->Append(place.offset, place.length, &bytes); !status.ok()) return status.In(path_);
      for (size_t at = 0, size; at < bytes.size(); at += size) {
        uint64_t raw;
        size = TakeNumber(std::string_view(bytes).substr(at), fixed, &raw);
        if (size == 0) return Status(CPB_E_DAMAGED, "a number does not end", place.offset + at).In(path_);
        take(raw);
      }
    }
    return {};
  }

  template <typename T>
  StatusOr<std::vector<T>> Numbers(const std::vector<cpb_range> &places) const {
    static_assert(std::is_arithmetic_v<T>, "expected a type of numbers, or of Value() std::string");
    std::vector<T> values;
    if (!IsNumber()) return Wrong("it is not a number");
    if (Status status = Fits<T>(); !status.ok()) return status;
    const cpb_field_type type = found_.field->type;
    Status status = EachNumber(places, [&](uint64_t raw) { values.push_back(NumberOf<T>(raw, type)); });
    return status.ok() ? StatusOr<std::vector<T>>(std::move(values)) : status;
  }

  std::shared_ptr<OpenMessage> message_;
  std::string path_;
  cpb_found found_ = {};
  std::vector<cpb_range> ranges_;
  mutable Ranges places_; // of the elements, once they were asked for
};

/* The elements of a repeated field, each a MessageField. */
class MessageField::List {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = MessageField;
    using difference_type = std::ptrdiff_t;
    using pointer = const MessageField *;
    using reference = MessageField;

    Iterator(const List *list, size_t at) : list_(list), at_(at) {}
    MessageField operator*() const { return list_->At(at_); }
    Iterator &operator++() {
      at_++;
      return *this;
    }
    bool operator==(const Iterator &other) const { return at_ == other.at_; }
    bool operator!=(const Iterator &other) const { return at_ != other.at_; }

   private:
    const List *list_;
    size_t at_;
  };

  size_t size() const { return places_->size(); }
  bool empty() const { return places_->empty(); }

  /* `i` is less than size(). */
  MessageField At(size_t i) const {
    MessageField element(whole_.message_, whole_.path_ + "[" + std::to_string(i) + "]");
    element.found_ = whole_.found_;
    element.found_.fields = 0;
    element.ranges_ = {(*places_)[i]};
    return element;
  }
  MessageField operator[](size_t i) const { return At(i); }

  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  friend class MessageField;
  List(MessageField whole, Ranges places) : whole_(std::move(whole)), places_(std::move(places)) {}

  MessageField whole_;
  Ranges places_;
};

inline StatusOr<MessageField::List> MessageField::Elements() const {
  if (repeated() && IsNumber())
    return Status(CPB_E_UNSUPPORTED, "its elements are numbers; expected Values()").In(path_);
  auto places = Places();
  return places.ok() ? StatusOr<List>(List(*this, *places)) : places.status();
}

inline StatusOr<uint64_t> MessageField::Count() const {
  auto places = Places();
  if (!places.ok()) return places.status();
  uint64_t count = 0;
  if (!IsNumber()) return static_cast<uint64_t>((*places)->size());
  Status status = EachNumber(**places, [&](uint64_t) { count++; });
  return status.ok() ? StatusOr<uint64_t>(count) : status;
}

} // namespace cpb

#endif
