#include "knowledge/variables.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace culprit::knowledge {
namespace {

std::string LowerText(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// "9.0a" for "90a"; "" for what is no architecture.
std::string WithDot(std::string_view text) {
  std::string suffix;
  if (text.ends_with('a') || text.ends_with('f')) {
    suffix = text.back();
    text.remove_suffix(1);
  }
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    if (text.size() < 2 || text.size() > 3 || !base::IsNumber(text)) return "";
    return std::string(text.substr(0, text.size() - 1)) + "." + text.back() + suffix;
  }
  if (!base::IsNumber(text.substr(0, dot)) || !base::IsNumber(text.substr(dot + 1)) || text.size() - dot != 2)
    return "";
  return std::string(text) + suffix;
}

}  // namespace

std::string ValueFor(const VariableRow& row, std::string_view value) {
  if (row.flag.empty()) return std::string(base::Trim(value));
  for (const std::string& word : base::SplitWords(value, " \t")) {
    if (word.starts_with(row.flag) && word.size() > row.flag.size() && word[row.flag.size()] == '=')
      return word.substr(row.flag.size() + 1);
  }
  return "";
}

bool SwitchesOff(const VariableRow& row, std::string_view value) {
  if (value.empty()) return false;
  const std::string lower = LowerText(value);
  if (!row.on_values.empty()) {
    return std::ranges::none_of(base::SplitWords(lower, ", "), [&](const std::string& word) {
      return std::ranges::find(row.on_values, word) != row.on_values.end();
    });
  }
  return std::ranges::find(row.off_values, lower) != row.off_values.end();
}

std::vector<std::string> CodesInList(std::string_view value) {
  std::vector<std::string> codes;
  for (std::string word : base::SplitWords(value, " ;,")) {
    const bool both = word.ends_with("+PTX");
    const bool real = word.ends_with("-real"), ptx = word.ends_with("-virtual");
    const bool torch = word.find('.') != std::string::npos;
    word.resize(word.size() - (both ? 4 : real ? 5 : ptx ? 8 : 0));
    const std::string number = WithDot(word);
    if (number.empty()) return {};  // "native", "Hopper"
    // CMake's plain number stands for both; torch's for machine code alone.
    const bool with_ptx = both || (!torch && !real);
    codes.push_back(ptx ? "PTX " + number : number + (with_ptx ? "+PTX" : ""));
  }
  return codes;
}

}  // namespace culprit::knowledge
