#include "cli/fleet/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lines.h"
#include "base/text.h"
#include "cli/fleet/brief.h"
#include "cli/options.h"
#include "fleet/pieces.h"

namespace culprit::cli {
namespace {

constexpr std::string_view kEnding = ".json";
constexpr size_t kLongestName = 240;  // of a file, without its ending

}  // namespace

bool Answers::Take(std::string_view line, const std::string& node) {
  auto brief = fleet::ReadBrief(base::Trim(line));
  if (!brief) return false;
  if (!node.empty()) brief->node = node;
  brief->taken = TimeNow();  // the clocks of nodes may be apart
  Write(*brief);
  answered_.insert(brief->node);
  missing_.erase(brief->node);
  return true;
}

bool Answers::TakeOutput(std::string_view output, const std::string& node) {
  fleet::Pieces pieces;
  std::string_view rest = output, line;
  while (base::NextLine(rest, line)) pieces.Add(line);
  const auto wholes = pieces.Take();
  if (wholes.empty()) return Take(output, node);
  return std::ranges::any_of(wholes, [&](const auto& whole) { return Take(whole.line, node); });
}

void Answers::Expect(const std::string& node) {
  if (!answered_.contains(node)) missing_.try_emplace(node);
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

size_t Answers::CountOlder() const {
  const auto host = system::RealSystem();
  const auto entries = host->List(PathOnMachine(*host, folder_));
  if (!entries) return 0;
  return static_cast<size_t>(std::ranges::count_if(*entries, [&](const system::DirectoryEntry& entry) {
    return entry.name.ends_with(kEnding) && !entry.name.starts_with('.') && !files_.contains(entry.name);
  }));
}

void Answers::Write(const fleet::Brief& brief) {
  std::string name;  // no two names give one file
  for (const char c : brief.node) {
    const bool odd =
        c == '/' || c == '%' || static_cast<unsigned char>(c) < ' ' || (c == '.' && name.empty());
    name += odd ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  name = name.substr(0, kLongestName) + std::string(kEnding);
  files_.insert(name);
  Options file;
  file.output = folder_ + "/" + name;
  written_ &= WriteBytes(file, fleet::ToLine(brief) + "\n");
}

}  // namespace culprit::cli
