#include "cli/ranks/folder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/lines.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/options.h"
#include "fleet/pieces.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytesOfOutput = uint64_t{1} << 30;
constexpr size_t kMostDamaged = 1000;  // rows of one file
constexpr std::string_view kRank = "rank-", kDone = ".done.json", kNotDone = ".json";

void AddText(const std::string& name, std::string_view text, ranks::Merge& merge) {
  fleet::Pieces pieces;
  std::vector<std::pair<size_t, std::string>> damaged;
  std::string_view line;
  size_t number = 0, records = 0;
  while (base::NextLine(text, line)) {
    ++number;
    if (base::Trim(line).empty() || pieces.Add(line)) continue;
    if (auto rank = ranks::ReadRank(base::Trim(line))) {
      merge.Add(*std::move(rank));
      ++records;
    } else if (damaged.size() < kMostDamaged) {
      damaged.emplace_back(number, rank.error().message);
    }
  }
  const auto wholes = pieces.Take();
  for (const fleet::Pieces::Whole& whole : wholes) {
    if (auto rank = ranks::ReadRank(whole.line)) {
      merge.Add(*std::move(rank));
    } else {
      merge.AddDamaged(whole.node, "its record arrived incomplete");
    }
  }
  if (!wholes.empty()) return;  // the other lines are the output of the job
  for (const auto& [place, why] : damaged) merge.AddDamaged(name + ":" + std::to_string(place), why);
  if (records == 0 && damaged.empty()) merge.AddDamaged(name, "empty");
}

void AddFile(const system::System& host, const std::string& path, uint64_t most, ranks::Merge& merge) {
  const std::string name(base::BaseName(path));
  const auto bytes = system::ReadWholeFile(host, path, most);
  if (!bytes) return merge.AddDamaged(name, std::string(base::Strerror(bytes.error())));
  AddText(name, *bytes, merge);
}

bool IsRecord(std::string_view name) {
  return !name.starts_with('.') && base::Contains(name, kRank) && name.ends_with(kNotDone);
}

}  // namespace

RankFolder::RankFolder(std::string path, const std::string& job)
    : path_(std::move(path)), prefix_(job.empty() ? "" : job + "-") {}

std::string RankFolder::FileOf(uint64_t rank, ranks::State state) const {
  return path_ + "/" + prefix_ + std::string(kRank) + std::to_string(rank) +
         std::string(state == ranks::State::kDone ? kDone : kNotDone);
}

std::string RankFolder::MarkOf(const std::string& name) const { return path_ + "/" + prefix_ + name; }

base::Result<void> RankFolder::Join(const ranks::Rank& rank) const {
  const auto fail = [&](const std::string& why) {
    return base::Fail(base::ErrorCode::kNotReadable, base::Printable(path_) + ": " + why);
  };
  std::error_code error;
  if (fs::create_directory(path_, error)) fs::permissions(path_, fs::perms::owner_all, error);
  if (!fs::is_directory(path_, error)) return fail("cannot create this folder");
  for (const ranks::State state : {ranks::State::kBegun, ranks::State::kDone}) {
    if (fs::exists(FileOf(rank.rank, state), error))
      return fail("it contains records of an earlier run; use a new folder for each run");
  }
  if (!Write(rank)) return fail("cannot write to this folder");
  return {};
}

bool RankFolder::Write(const ranks::Rank& rank) const {
  const std::string temporary = path_ + "/." + prefix_ + std::string(kRank) + std::to_string(rank.rank);
  FILE* file = OpenForWriting(temporary);
  if (file == nullptr) return false;
  const std::string line = ranks::ToLine(rank) + "\n";
  const bool written = std::fwrite(line.data(), 1, line.size(), file) == line.size();
  if (std::fclose(file) != 0 || !written) return false;
  std::error_code error, ignored;
  fs::rename(temporary, FileOf(rank.rank, rank.state), error);
  if (!error && rank.state == ranks::State::kDone)
    fs::remove(FileOf(rank.rank, ranks::State::kBegun), ignored);
  return !error;
}

uint64_t RankFolder::Done() const {
  uint64_t count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename().string();
    count += name.starts_with(prefix_ + std::string(kRank)) && name.ends_with(kDone) ? 1 : 0;
  }
  return count;
}

bool RankFolder::Mark(const std::string& name) const {
  FILE* file = std::fopen(MarkOf(name).c_str(), "wx");
  return file != nullptr && std::fclose(file) == 0;
}

bool RankFolder::Marked(const std::string& name) const {
  std::error_code error;
  return fs::exists(MarkOf(name), error);
}

void RankFolder::Read(ranks::Merge& merge, std::set<std::string>& known) const {
  const auto host = system::RealSystem();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename().string();
    if (!IsRecord(name) || !name.starts_with(prefix_ + std::string(kRank))) continue;
    if (name.ends_with(kDone) && !known.insert(name).second) continue;
    const auto bytes = system::ReadWholeFile(*host, path_ + "/" + name, ranks::kMostBytes + 1);
    if (!bytes) continue;  // it was replaced meanwhile
    if (auto rank = ranks::ReadRank(base::Trim(*bytes))) merge.Add(*std::move(rank));
  }
}

void RankFolder::Remove() const {
  std::error_code error;
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix_) || name.starts_with("." + prefix_)) ours.push_back(entry.path());
  }
  for (const fs::path& path : ours) fs::remove(path, error);
  fs::remove(path_, error);  // if empty
}

base::Result<void> AddRecords(const system::System& host, const std::string& place, ranks::Merge& merge) {
  const std::string path = PathOnMachine(host, place);
  const auto status = host.Stat(path);
  const auto fail = [&](base::PathError error) {
    return base::Fail(base::ErrorCode::kNotReadable,
                      base::Printable(place) + ": " + std::string(base::Strerror(error)));
  };
  if (!status) return fail(status.error());
  if (status->type != system::FileType::kDirectory)
    return AddFile(host, path, kMostBytesOfOutput, merge), base::Result<void>();
  const auto entries = host.List(path);
  if (!entries) return fail(entries.error());
  for (const system::DirectoryEntry& entry : *entries) {
    if (IsRecord(entry.name)) AddFile(host, path + "/" + entry.name, ranks::kMostBytes + 1, merge);
  }
  return {};
}

}  // namespace culprit::cli
