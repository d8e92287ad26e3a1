// What a failed operation returns: one of a short, closed list of codes, and one line for people.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace culprit::base {

enum class ErrorCode {
  kNotFound,     // nothing is there
  kNotReadable,  // it exists, but cannot be read
  kBadFormat,    // the bytes are not what they claim to be
  kTooLarge,     // more than the reader is willing to hold
  kUnsupported,  // understood, but outside what this build can do
};

struct Error {
  ErrorCode code;
  std::string message;  // lower case, no period, names the file
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace culprit::base
