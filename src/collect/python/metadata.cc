#include "collect/python/metadata.h"

#include <cctype>
#include <charconv>

#include "base/text.h"

namespace culprit::collect {
namespace {

using base::Trim;
using snapshot::Requirement;

constexpr std::string_view kInfoSuffix = ".dist-info";
constexpr std::string_view kEggInfo = ".egg-info";

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

// The extra that a marker asks for: `... and extra == 'cublas'` -> "cublas"; "" when it asks for none.
std::string ExtraOf(std::string_view marker) {
  size_t at = marker.find("extra");
  while (at != std::string_view::npos) {
    const bool word = at == 0 || !IsNameCharacter(marker[at - 1]);
    std::string_view rest = Trim(marker.substr(at + 5));
    if (word && rest.starts_with("==")) {
      rest = Trim(rest.substr(2));
      if (!rest.empty() && (rest.front() == '\'' || rest.front() == '"')) {
        const size_t end = rest.find(rest.front(), 1);
        if (end != std::string_view::npos) return NormalName(rest.substr(1, end - 1));
      }
    }
    at = marker.find("extra", at + 1);
  }
  return "";
}

// One field of a line of RECORD, which is CSV: quotes around it when it holds a comma or a quote.
std::string TakeField(std::string_view& line) {
  std::string field;
  if (line.starts_with('"')) {
    size_t i = 1;
    for (; i < line.size(); ++i) {
      if (line[i] == '"' && !(i + 1 < line.size() && line[i + 1] == '"')) break;
      if (line[i] == '"') ++i;
      field += line[i];
    }
    line.remove_prefix(std::min(line.size(), i + 1));
    if (line.starts_with(',')) line.remove_prefix(1);
    return field;
  }
  const size_t comma = line.find(',');
  field = line.substr(0, comma);
  line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  return field;
}

}  // namespace

std::optional<PackageId> ParseRecordName(std::string_view directory) {
  if (directory.starts_with('~')) return std::nullopt;
  if (directory.ends_with(kInfoSuffix)) {
    directory.remove_suffix(kInfoSuffix.size());
    const size_t dash = directory.rfind('-');  // a name in this place has '_' for '-', but not always
    if (dash == std::string_view::npos || dash == 0) return std::nullopt;
    return PackageId{NormalName(directory.substr(0, dash)), std::string(directory.substr(dash + 1))};
  }
  if (!directory.ends_with(kEggInfo)) return std::nullopt;
  directory.remove_suffix(kEggInfo.size());
  if (directory.empty() || directory.starts_with('-')) return std::nullopt;
  const auto parts = base::Split(directory, '-');
  return PackageId{NormalName(parts[0]), parts.size() > 1 ? parts[1] : ""};
}

std::optional<PackageId> ParseCondaRecordName(std::string_view file) {
  constexpr std::string_view kJson = ".json";
  if (!file.ends_with(kJson)) return std::nullopt;
  file.remove_suffix(kJson.size());
  const size_t build = file.rfind('-');
  if (build == std::string_view::npos || build == 0) return std::nullopt;
  const size_t version = file.rfind('-', build - 1);
  if (version == std::string_view::npos || version == 0) return std::nullopt;
  return PackageId{NormalName(file.substr(0, version)),
                   std::string(file.substr(version + 1, build - version - 1))};
}

Metadata ParseMetadata(std::string_view text) {
  Metadata metadata;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.front() == ' ' || line.front() == '\t') continue;
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = Trim(line.substr(colon + 1));
    if (key == "Name") metadata.name = NormalName(value);
    if (key == "Version") metadata.version = value;
    if (key == "Requires-Dist" && metadata.requirements.size() < kMostRequirements) {
      if (auto requirement = ParseRequirement(value))
        metadata.requirements.push_back(*std::move(requirement));
    }
  }
  return metadata;
}

std::optional<Requirement> ParseRequirement(std::string_view text) {
  Requirement requirement;
  const size_t semicolon = text.find(';');
  if (semicolon != std::string_view::npos) requirement.marker = Trim(text.substr(semicolon + 1));
  text = Trim(text.substr(0, semicolon));
  size_t end = 0;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  if (end == 0) return std::nullopt;
  requirement.name = NormalName(text.substr(0, end));
  text = Trim(text.substr(end));
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    for (const std::string& extra : base::SplitWords(text.substr(1, close - 1), ", ")) {
      requirement.extras.push_back(NormalName(extra));
    }
    text = Trim(text.substr(close + 1));
  }
  if (text.starts_with('@')) text = {};  // a direct address: any version
  if (text.starts_with('(') && text.ends_with(')')) text = Trim(text.substr(1, text.size() - 2));
  for (const char c : text) {
    if (c != ' ') requirement.specifier += c;
  }
  requirement.extra = ExtraOf(requirement.marker);
  return requirement;
}

namespace {

// "x.so", "x.so.9"; not "x.sources.json".
bool IsSharedObject(std::string_view name) {
  const size_t so = name.rfind(".so");
  if (so == std::string_view::npos || (so + 3 < name.size() && name[so + 3] != '.')) return false;
  return name.find_first_not_of(".0123456789", so + 3) == std::string_view::npos;
}

// The lines with `mark` in them. Most are of no interest, so the text is searched and not split.
void AddLines(std::string_view record, std::string_view mark, bool (*wanted)(std::string_view name),
              std::vector<RecordLine>& lines) {
  for (size_t at = record.find(mark); at != std::string_view::npos && lines.size() < kMostLibrariesOfRecord;
       at = record.find(mark, at)) {
    const size_t newline = record.rfind('\n', at);
    const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const size_t end = std::min(record.find('\n', at), record.size());
    std::string_view line = record.substr(begin, end - begin);
    at = end;
    if (line.ends_with('\r')) line.remove_suffix(1);
    RecordLine found{.path = TakeField(line)};
    if (!wanted(base::BaseName(found.path))) continue;
    const std::string hash = TakeField(line);
    if (hash.starts_with("sha256=")) found.sha256 = hash.substr(7);
    uint64_t size = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), size);
    if (error == std::errc() && rest == line.data() + line.size()) found.size = size;
    lines.push_back(std::move(found));
  }
}

}  // namespace

std::vector<RecordLine> SharedLibrariesOf(std::string_view record, base::Platform platform) {
  std::vector<RecordLine> lines;
  if (platform == base::Platform::kWindows) {
    AddLines(record, ".dll", [](std::string_view name) { return name.ends_with(".dll"); }, lines);
    AddLines(record, ".pyd", [](std::string_view name) { return name.ends_with(".pyd"); }, lines);
  } else {
    AddLines(record, ".so", IsSharedObject, lines);
  }
  return lines;
}

}  // namespace culprit::collect
