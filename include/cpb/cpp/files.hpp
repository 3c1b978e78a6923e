/* cpb/cpp/files.hpp: messages and models in files. Part of cpb/cpb.hpp.
 *
 *     auto message = cpb::Message::Open("model/saved_model.cpb");
 *     if (message.ok()) bytes = message->Read(0, 4096); // of the merged message
 *     auto node = message->Field("graph_def.node[7]");   // cpb/cpp/field.hpp
 *
 *     auto model = cpb::Model::Open("https://host/model/");
 *     if (model.ok()) json = model->Ask(CPB_ASK_OVERVIEW); */
#ifndef CPB_CPP_FILES_HPP
#define CPB_CPP_FILES_HPP

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpb/cpp/field.hpp"
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
    auto opened = std::make_shared<OpenMessage>();
    opened->file = std::move(message);
    opened->path = found.data();
    opened->type = type;
    if (cpb_message_file_size(opened->file.get(), &opened->size, &error) != CPB_OK)
      return Status(error).In(opened->path);
    return Message(std::move(opened));
  }

  /* The file that was found. */
  const std::string &path() const { return message_->path; }

  /* Bytes; of a chunked message, merged. */
  uint64_t size() const { return message_->size; }

  /* Bytes from `offset` on, at least one unless that is the end, at most 256 KiB, valid until the next
   * call. */
  StatusOr<std::string_view> Peek(uint64_t offset, uint64_t length) { return message_->Peek(offset, length); }

  /* All bytes of [offset, offset + length), without those past the end. */
  StatusOr<std::string> Read(uint64_t offset, uint64_t length) {
    length = offset < size() ? std::min(length, size() - offset) : 0;
    std::string bytes;
    bytes.reserve(static_cast<size_t>(length));
    Status status = message_->Append(offset, length, &bytes);
    return status.ok() ? StatusOr<std::string>(std::move(bytes)) : status;
  }

  /* The field at a path (cpb/message.h), such as `node[7].attr["value"]`. Only the way to the field
   * is read. "" is the message itself. If Open() got no type, it is guessed once: by
   * cpb_guess_message_type(), else by the first bytes of the message. CPB_E_NOT_FOUND: the message
   * does not have this field, element or key; CPB_E_USAGE: the text is not a path, or does not fit
   * the type. */
  StatusOr<MessageField> Field(const std::string &path) {
    if (Status status = GuessType(path); !status.ok()) return status;
    return MessageField::Find(message_, message_->type, path, path);
  }

  /* The index of a chunked message; nullptr when the file is the message itself. */
  const cpb_index *index() const { return cpb_message_file_index(get()); }

  cpb_message_file *get() const { return message_->file.get(); }

 private:
  explicit Message(std::shared_ptr<OpenMessage> message) : message_(std::move(message)) {}

  Status GuessType(const std::string &path) {
    cpb_error error;
    if (message_->type) return {};
    if (!message_->schema) message_->schema.reset(cpb_schema_new_builtin(nullptr, &error));
    Handle<cpb_path> parsed(cpb_path_parse(nullptr, path.data(), path.size(), &error));
    if (!message_->schema || !parsed) return Status(error);
    message_->type = cpb_guess_message_type(message_->schema.get(), parsed.get());
    if (message_->type) return {};
    auto begin = Read(0, 4096);
    if (!begin.ok()) return begin.status();
    auto ends = Options<cpb_file_ends>();
    ends.begin = reinterpret_cast<const uint8_t *>(begin->data());
    ends.begin_size = begin->size();
    ends.size = size();
    const char *name = cpb_model_message_type(cpb_model_guess(&ends));
    if (name) message_->type = cpb_schema_find_message(message_->schema.get(), name);
    return {};
  }

  std::shared_ptr<OpenMessage> message_;
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
