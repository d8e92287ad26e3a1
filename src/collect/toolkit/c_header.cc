#include "collect/toolkit/c_header.h"

#include <charconv>

#include "base/text.h"

namespace culprit::collect {

std::optional<uint32_t> MacroNumber(std::string_view text, std::string_view macro) {
  for (size_t at = text.find(macro); at != std::string_view::npos; at = text.find(macro, at + macro.size())) {
    // Only a line "# define NAME VALUE" counts.
    const size_t line = at == 0                                              ? 0
                        : text.rfind('\n', at - 1) == std::string_view::npos ? 0
                                                                             : text.rfind('\n', at - 1) + 1;
    const auto before = base::SplitWords(text.substr(line, at - line), " \t#");
    if (before.size() != 1 || before[0] != "define") continue;
    if (text.substr(line, at - line).find('#') == std::string_view::npos) continue;
    std::string_view rest = text.substr(at + macro.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) continue;
    const size_t digit = rest.find_first_not_of(" \t");
    if (digit == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(digit);
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

std::string CudaHeaderVersion(std::string_view text) {
  const auto number = MacroNumber(text, "CUDA_VERSION");
  if (!number || *number < 1000) return "";
  return std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10);
}

std::string CudnnHeaderVersion(std::string_view text) {
  const auto major = MacroNumber(text, "CUDNN_MAJOR");
  const auto minor = MacroNumber(text, "CUDNN_MINOR");
  const auto patch = MacroNumber(text, "CUDNN_PATCHLEVEL");
  if (!major || !minor || !patch) return "";
  return std::to_string(*major) + "." + std::to_string(*minor) + "." + std::to_string(*patch);
}

}  // namespace culprit::collect
