#include "cli/tables_file.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/parallel/in_order.h"
#include "base/product_version.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/options.h"
#include "knowledge/book/book.h"
#include "knowledge/packages/distributions.h"
#include "system/own_program.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

using report::TablesFile;
using report::TablesUse;

constexpr std::string_view kName = "/culprit/knowledge.tables";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// CULPRIT_KNOWLEDGE names the only file, or none if it is empty. Otherwise: the user's data directory, that
// of the installation culprit belongs to (../share beside its bin), that of the system.
std::vector<std::string> Places(const system::System& machine) {
  if (std::getenv("CULPRIT_KNOWLEDGE") != nullptr) {
    const std::string named = Variable("CULPRIT_KNOWLEDGE");
    return named.empty() ? std::vector<std::string>() : std::vector{PathOnMachine(machine, named)};
  }
  std::vector<std::string> directories;
  if (machine.platform() == base::Platform::kWindows) {
    directories = {Variable("LOCALAPPDATA"), Variable("PROGRAMDATA")};
  } else {
    const std::string data = Variable("XDG_DATA_HOME"), home = Variable("HOME");
    directories.push_back(!data.empty() ? data : home.empty() ? "" : home + "/.local/share");
  }
  std::vector<std::string> places;
  for (const std::string& directory : directories) {
    if (!directory.empty()) places.push_back(PathOnMachine(machine, directory) + std::string(kName));
  }
  const std::string program = system::OwnProgram();
  if (const size_t bin = program.rfind('/'); bin != std::string::npos) {
    const std::string installation = program.substr(0, program.rfind('/', bin - 1) + 1) + "share";
    places.push_back(installation + std::string(kName));
  }
  if (machine.platform() != base::Platform::kWindows) {
    for (const std::string share : {"/usr/local/share", "/usr/share"})
      places.push_back(share + std::string(kName));
  }
  std::vector<std::string> unique;
  for (const std::string& place : places) {
    if (std::ranges::find(unique, place) == unique.end()) unique.push_back(place);
  }
  return unique;
}

bool IsNewer(const base::Edition& one, const base::Edition& other) {
  const auto version = [](const base::Edition& edition) {
    return base::Version::Parse(edition.version).value_or(base::Version{{0}});
  };
  return one.date != other.date ? one.date > other.date : version(one) > version(other);
}

// A file that everyone can write could make culprit say anything.
bool AnybodyMayWrite(const system::System& machine, const std::string& path) {
  constexpr uint32_t kOthersWrite = 0002;
  const auto status = machine.Stat(path);
  return machine.platform() != base::Platform::kWindows && status && (status->mode & kOthersWrite) != 0;
}

std::vector<TablesFile>& Looked() {
  static std::vector<TablesFile> files;
  return files;
}

void Refuse(TablesFile& file, std::string why) {
  file.use = TablesUse::kRefused;
  file.why = std::move(why);
  base::AddRefusedEdition({file.path, file.why});
}

// The contents of a file that may be used; otherwise `file` says why not.
std::optional<std::string> ReadIfNewer(const system::System& machine, TablesFile& file) {
  auto text = system::ReadWholeFile(machine, file.path, kMostTableBytes);
  if (!text) {
    const bool named = std::getenv("CULPRIT_KNOWLEDGE") != nullptr;
    if (named || text.error() != base::PathError::kNoEntry)
      Refuse(file, "cannot be read: " + std::string(base::Strerror(text.error())));
    return std::nullopt;
  }
  file.edition = knowledge::TitleOf(*text);
  file.use = TablesUse::kOlder;
  if (!file.edition.date.empty() && !IsNewer(file.edition, base::EditionInUse())) return std::nullopt;
  if (AnybodyMayWrite(machine, file.path)) {
    Refuse(file, "everyone can write to it; remove the write permission for others");
    return std::nullopt;
  }
  return *std::move(text);
}

}  // namespace

base::Edition BuiltInTables() {
  static const std::string date(knowledge::KnowledgeDate());  // asked before a file is used
  return {date, std::string(base::ProductVersion()), "", ""};
}

const std::vector<TablesFile>& LookedForTables() { return Looked(); }

void UseNewestTables() {
  base::SetEdition(BuiltInTables());
  const auto machine = system::RealSystem();
  std::vector<TablesFile>& files = Looked();
  for (std::string& place : Places(*machine)) files.push_back({.path = std::move(place)});
  std::vector<std::pair<TablesFile*, std::string>> newer;
  for (TablesFile& file : files) {
    if (auto text = ReadIfNewer(*machine, file)) newer.emplace_back(&file, *std::move(text));
  }
  base::SortInOrder(newer,
                    [](const auto& a, const auto& b) { return IsNewer(a.first->edition, b.first->edition); });
  for (auto& [file, text] : newer) {
    auto edition = knowledge::UseBook(std::move(text));
    if (!edition) {
      Refuse(*file, edition.error().message);
      continue;
    }
    edition->path = file->path;
    file->use = TablesUse::kUsed;
    file->edition = *edition;
    base::SetEdition(*std::move(edition));
    break;
  }
}

}  // namespace culprit::cli
