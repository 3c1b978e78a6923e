/* cpb/cpp/status.hpp: errors as values. Part of cpb/cpb.hpp. */
#ifndef CPB_CPP_STATUS_HPP
#define CPB_CPP_STATUS_HPP

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cpb/base.h"

namespace cpb {

/* Success, or an error: its kind, its place, and a message with the expectation. Converts to
 * absl::Status, and to every other class that is made from a code and a text and whose code() is an
 * enum with gRPC's numbers. */
class [[nodiscard]] Status {
 public:
  Status() = default;

  /* `offset`: the byte of the input that it is about. */
  Status(cpb_code code, std::string message, uint64_t offset = CPB_NO_OFFSET)
      : code_(code), offset_(offset), message_(std::move(message)) {}

  explicit Status(const cpb_error &error)
      : code_(error.code), system_(error.system), http_(error.status), offset_(error.offset), message_(error.message) {}

  /* NULL stands for "out of memory", as it does where a cpb_<engine>_new() returns it. */
  explicit Status(const cpb_error *error) {
    *this = error ? Status(*error) : Status(CPB_E_MEMORY, cpb_code_text(CPB_E_MEMORY));
  }

  bool ok() const { return code_ == CPB_OK; }
  cpb_code code() const { return code_; }
  uint64_t offset() const { return offset_; }
  const std::string &message() const { return message_; }

  /* The system's number (errno), and the status of the HTTP response; 0: none. */
  int system() const { return system_; }
  int http() const { return http_; }

  /* In one line, such as "DAMAGED at byte 65536: ...", or "OK". */
  std::string ToString() const {
    std::string text = cpb_code_name(code_);
    if (offset_ != CPB_NO_OFFSET) text += " at byte " + std::to_string(offset_);
    return ok() ? text : text + ": " + message_;
  }

  /* The same with words in front of the message: which file, which field. */
  Status In(std::string_view where) const {
    Status status = *this;
    if (!ok()) status.message_ = std::string(where) + ": " + message_;
    return status;
  }

  template <typename Other, typename Code = decltype(std::declval<const Other &>().code()),
            typename = std::enable_if_t<std::is_enum_v<Code> && !std::is_same_v<Code, cpb_code> &&
                                        std::is_constructible_v<Other, Code, std::string>>>
  operator Other() const {
    return ok() ? Other() : Other(static_cast<Code>(Canonical()), ToString());
  }

 private:
  /* The number among gRPC's codes, which absl has too. */
  int Canonical() const {
    switch (code_) {
      case CPB_OK: return 0;
      case CPB_E_READ: return 2;         // UNKNOWN
      case CPB_E_WRITE: return 2;        // UNKNOWN
      case CPB_E_CANCELLED: return 1;    // CANCELLED
      case CPB_E_USAGE: return 3;        // INVALID_ARGUMENT
      case CPB_E_FORMAT: return 3;       // INVALID_ARGUMENT
      case CPB_E_NOT_FOUND: return 5;    // NOT_FOUND
      case CPB_E_DENIED: return 7;       // PERMISSION_DENIED
      case CPB_E_MEMORY: return 8;       // RESOURCE_EXHAUSTED
      case CPB_E_LIMIT: return 8;        // RESOURCE_EXHAUSTED
      case CPB_E_UNSUPPORTED: return 12; // UNIMPLEMENTED
      case CPB_E_UNAVAILABLE: return 14; // UNAVAILABLE
      case CPB_E_DAMAGED: return 15;     // DATA_LOSS
      case CPB_E_TRUNCATED: return 15;   // DATA_LOSS
    }
    return 2; // UNKNOWN
  }

  cpb_code code_ = CPB_OK;
  int16_t system_ = 0, http_ = 0;
  uint64_t offset_ = CPB_NO_OFFSET;
  std::string message_;
};

/* The exception of StatusOr::value(). Without exceptions the program is aborted instead. */
class BadStatus : public std::runtime_error {
 public:
  explicit BadStatus(Status status) : std::runtime_error(status.ToString()), status_(std::move(status)) {}
  const Status &status() const { return status_; }

 private:
  Status status_;
};

/* A value, or the error instead of it. It converts to an absl::StatusOr by moving. */
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(T value) : value_(std::move(value)) {}

  /* `status` must not be OK. */
  StatusOr(Status status) : status_(std::move(status)) {
    if (status_.ok()) status_ = Status(CPB_E_USAGE, "a StatusOr was made from a status that is OK");
  }

  bool ok() const { return value_.has_value(); }
  const Status &status() const { return status_; }

  T &value() & {
    Require();
    return *value_;
  }
  const T &value() const & {
    Require();
    return *value_;
  }
  T &&value() && {
    Require();
    return std::move(*value_);
  }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  template <typename Other, typename Value = typename Other::value_type,
            typename Why = std::decay_t<decltype(std::declval<const Other &>().status())>,
            typename = std::enable_if_t<!std::is_same_v<Why, Status> && std::is_constructible_v<Value, T> &&
                                        std::is_convertible_v<const Status &, Why>>>
  operator Other() && {
    if (!ok()) return Other(static_cast<Why>(status_));
    return Other(std::move(*value_));
  }

 private:
  void Require() const {
    if (ok()) return;
#if defined(__cpp_exceptions)
    throw BadStatus(status_);
#else
    std::abort();
#endif
  }

  Status status_;
  std::optional<T> value_;
};

} // namespace cpb

#endif
