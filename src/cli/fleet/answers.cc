#include "cli/fleet/answers.h"

#include <algorithm>

#include "base/text.h"
#include "cli/fleet/brief.h"
#include "cli/options.h"

namespace culprit::cli {

bool Answers::Take(std::string_view line, const std::string& node) {
  auto brief = fleet::ReadBrief(base::Trim(line));
  if (!brief) return false;
  if (!node.empty()) brief->node = node;
  Write(*brief);
  ++answered_;
  missing_.erase(brief->node);
  return true;
}

void Answers::SayFirst(const std::string& node, const std::string& why) {
  std::string& said = missing_[node];
  if (said.empty()) said = why;
}

size_t Answers::Finish(const std::string& otherwise) {
  for (const auto& [node, why] : missing_)
    Write({.node = node, .taken = TimeNow(), .error = why.empty() ? otherwise : why});
  return missing_.size();
}

void Answers::Write(const fleet::Brief& brief) {
  std::string name = brief.node;
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == '\0'; }, '_');
  if (name.starts_with('.')) name.insert(0, "_");
  Options file;
  file.output = folder_ + "/" + name + ".json";
  written_ &= WriteBytes(file, fleet::ToLine(brief) + "\n");
}

}  // namespace culprit::cli
