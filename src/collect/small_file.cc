#include "collect/small_file.h"

#include "base/text.h"

namespace culprit::collect {

snapshot::Fact<std::string> ReadSmallFile(const system::System& system, const std::string& path) {
  using Text = snapshot::Fact<std::string>;
  constexpr uint64_t kLimit = uint64_t{64} * 1024;
  auto text = system::ReadWholeFile(system, path, kLimit);
  if (text) return Text::Of(std::move(*text), path);
  const base::PathError error = text.error();
  if (error == base::PathError::kNoEntry || error == base::PathError::kNotDirectory)
    return Text::Absent(path);
  return Text::Unreadable(std::string(base::Strerror(error)), path);
}

std::string FirstLine(const snapshot::Fact<std::string>& text) {
  if (!text) return "";
  return std::string(base::Trim(std::string_view(*text).substr(0, text->find('\n'))));
}

}  // namespace culprit::collect
