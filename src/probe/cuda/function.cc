#include "probe/cuda/function.h"

#include <utility>

namespace culprit::cuda {

Failure NotOpened(const Library& library) {
  // Only when the file itself is what was not found: a dependency that is missing has the same words.
  const bool absent =
      library.error().starts_with(library.name() + ": cannot open shared object file: No such file") ||
      library.error().starts_with(library.name() + ": error 126") ||
      library.error().starts_with(library.name() + ": error 2:");
  return {absent ? base::OwnStatus::kNotFound : base::OwnStatus::kNotLoaded, kLoaderCall, library.error()};
}

Failure Missing(const Library& library, const char* function) {
  return {base::OwnStatus::kFunctionMissing, function,
          (library.path().empty() ? library.name() : library.path()) + " has no function " + function};
}

std::optional<Failure> Absent(const Library& library, const char* function) {
  return Missing(library, function);
}

std::optional<Failure> Failed(std::string status, const char* call, std::string detail) {
  return Failure{std::move(status), call, std::move(detail)};
}

std::string Text(const char* words) { return words == nullptr ? "" : words; }

std::string NameAmong(std::span<const KnownStatus> known, int status, const char* prefix) {
  for (const KnownStatus& row : known) {
    if (row.status == status) return row.name;
  }
  return prefix + std::to_string(status);
}

}  // namespace culprit::cuda
