/* cpb/cpp/files.hpp: messages and models in files. Part of cpb/cpb.hpp.
 *
 *     auto message = cpb::Message::Open("model/saved_model.cpb");
 *     if (message.ok()) bytes = message->Read(0, 4096); // of the merged message
 *
 *     auto model = cpb::Model::Open("https://host/model/");
 *     if (model.ok()) json = model->Ask(CPB_ASK_OVERVIEW); */
#ifndef CPB_CPP_FILES_HPP
#define CPB_CPP_FILES_HPP

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpb/cpp/handle.hpp"
#include "cpb/cpp/status.hpp"

namespace cpb {

/* All defaults, for as long as the program runs. */
inline const cpb_url_options *DefaultUrls() {
  static const cpb_url_options urls = Options<cpb_url_options>();
  return &urls;
}

/* A message in a file, chunked or not. Only the requested parts are read. */
class Message {
 public:
  /* `path` is a file, a directory with a SavedModel, a name without .cpb or .pb, or a URL. `type`, if it
   * is known, must outlive the Message (cpb_merge_options). */
  static StatusOr<Message> Open(const std::string &path, const cpb_message_type *type = nullptr) {
    std::vector<char> found(path.size() + CPB_FIND_MODEL_ROOM);
    cpb_error error;
    Handle<cpb_file> file(cpb_find_and_open(nullptr, path.c_str(), DefaultUrls(), found.data(), found.size(), &error));
    if (!file) return Status(error).In(path);
    auto options = Options<cpb_message_file_options>();
    options.type = type;
    Handle<cpb_message_file> message(cpb_message_file_on(nullptr, file.release(), found.data(), &options, &error));
    if (!message) return Status(error).In(found.data());
    Message opened(std::move(message), found.data());
    if (cpb_message_file_size(opened.get(), &opened.size_, &error) != CPB_OK) return Status(error).In(found.data());
    return opened;
  }

  /* The file that was found. */
  const std::string &path() const { return path_; }

  /* Bytes; of a chunked message, merged. */
  uint64_t size() const { return size_; }

  /* Bytes from `offset` on, at least one unless that is the end, at most 256 KiB, valid until the next
   * call. */
  StatusOr<std::string_view> Peek(uint64_t offset, uint64_t length) {
    cpb_error error;
    size_t some = static_cast<size_t>(std::min<uint64_t>(length, 1 << 18));
    const uint8_t *data = cpb_message_file_read(message_.get(), offset, &some, &error);
    if (!data) return Status(error).In(path_);
    return std::string_view(reinterpret_cast<const char *>(data), some);
  }

  /* All bytes of [offset, offset + length) but those past the end. */
  StatusOr<std::string> Read(uint64_t offset, uint64_t length) {
    length = offset < size_ ? std::min(length, size_ - offset) : 0;
    std::string bytes;
    bytes.reserve(static_cast<size_t>(length));
    while (bytes.size() < length) {
      auto piece = Peek(offset + bytes.size(), length - bytes.size());
      if (!piece.ok()) return piece.status();
      if (piece->empty()) return Status(CPB_E_TRUNCATED, "the message ended early", offset + bytes.size()).In(path_);
      bytes += *piece;
    }
    return bytes;
  }

  /* The index of a chunked message; nullptr when the file is the message itself. */
  const cpb_index *index() const { return cpb_message_file_index(message_.get()); }

  cpb_message_file *get() { return message_.get(); }

 private:
  Message(Handle<cpb_message_file> message, std::string path) : message_(std::move(message)), path_(std::move(path)) {}

  Handle<cpb_message_file> message_;
  std::string path_;
  uint64_t size_ = 0;
};

/* A model that answers questions about its contents. */
class Model {
 public:
  /* Like Message::Open(); also finds the files next to the model. */
  static StatusOr<Model> Open(const std::string &path) {
    auto options = Options<cpb_model_file_options>();
    options.urls = DefaultUrls();
    cpb_error error;
    Handle<cpb_model_file> file(cpb_model_file_open(nullptr, path.c_str(), &options, &error));
    if (!file) return Status(error).In(path);
    return Model(std::move(file));
  }

  /* The answer in JSON (docs/inspecting.md). */
  StatusOr<std::string> Ask(const cpb_question &question) {
    cpb_error error;
    size_t size;
    const char *answer = cpb_model_file_ask(file_.get(), &question, &size, &error);
    if (!answer) return Status(error);
    return std::string(answer, size);
  }

  StatusOr<std::string> Ask(cpb_question_kind kind, std::string_view name = {}) {
    auto question = Options<cpb_question>();
    question.kind = kind;
    question.name = name.data();
    question.name_size = name.size();
    return Ask(question);
  }

  cpb_model_file *get() { return file_.get(); }

 private:
  explicit Model(Handle<cpb_model_file> file) : file_(std::move(file)) {}

  Handle<cpb_model_file> file_;
};

} // namespace cpb

#endif
