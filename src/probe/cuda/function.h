// A function found in a library by name, and calls that return a status. A missing function is a failure like
// any other.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/step_status.h"
#include "probe/cuda/library.h"

namespace culprit::cuda {

struct Failure {
  base::StepStatus status;
  std::string call;    // "cuInit"
  std::string detail;  // in words
};

template <typename Signature>
class Function;

template <typename Result, typename... Parameters>
class Function<Result(Parameters...)> {
 public:
  // The first of `names` that the library has; of the same signature all of them.
  template <typename... Names>
  void Bind(const Library& library, const char* name, Names... older) {
    name_ = name;
    pointer_ = reinterpret_cast<Result (*)(Parameters...)>(library.Find(name));
    if constexpr (sizeof...(older) > 0) {
      if (pointer_ == nullptr) {
        Bind(library, older...);
        if (pointer_ == nullptr) name_ = name;
      }
    }
  }
  explicit operator bool() const { return pointer_ != nullptr; }
  const char* name() const { return name_; }
  Result operator()(Parameters... parameters) const { return pointer_(parameters...); }

 private:
  const char* name_ = "";
  Result (*pointer_)(Parameters...) = nullptr;
};

// Why `library` could not be opened.
Failure NotOpened(const Library& library);
// The failure of a call if `library` has no such function.
Failure Missing(const Library& library, const char* function);
// For Try, which is in many places and must stay small.
std::optional<Failure> Absent(const Library& library, const char* function);
std::optional<Failure> Failed(std::string status, const char* call, std::string detail);
// nullptr gives "".
std::string Text(const char* words);

// Names for statuses that the library cannot name itself: because it is old, a stub, or did not start.
struct KnownStatus {
  int status;
  const char* name;
};
// `prefix` and the number when it is not among them.
std::string NameAmong(std::span<const KnownStatus> known, int status, const char* prefix);

// Calls a function of an API (one of the structs of this folder) that returns 0 for success. nullopt: it did.
template <typename Api, typename... Parameters, typename... Arguments>
std::optional<Failure> Try(const Api& api, const Function<int(Parameters...)>& function,
                           Arguments... arguments) {
  if (!function) return Absent(api.library, function.name());
  const int status = function(arguments...);
  if (status == 0) return std::nullopt;
  return Failed(api.StatusName(status), function.name(), api.StatusText(status));
}

}  // namespace culprit::cuda
