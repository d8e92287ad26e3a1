#include "run/watch/witnesses.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "run/watch/cuda_watch.h"
#include "run/watch/journal/files.h"
#include "run/witness/journal.h"
#include "system/own_program.h"

namespace culprit::watch {
namespace {

constexpr const char* kAudit = "culprit-audit.so";
constexpr const char* kInjectionFile = "culprit-injection.so";
constexpr uint64_t kMostVariables = 4 << 20;
constexpr uint64_t kMostRoom = 64 << 20;
constexpr uint64_t kRoomInMemory = 16 << 20;
constexpr uint64_t kSpareMemory = 512 << 20;  // programs with many workers share much there
constexpr uint64_t kLeastRoom = 1 << 20;

std::string Beside(const std::string& name) {
  const std::string self = system::OwnProgram();
  if (self.empty()) return "";
  const std::string directory(base::DirName(self));
  for (const std::string& path : {base::JoinPath(directory, name),
                                  base::JoinPath(base::DirName(directory), "libexec/culprit/" + name)}) {
    if (system::IsProgram(path)) return path;
  }
  return "";
}

}  // namespace

Witnesses::Witnesses(const system::System& machine, const Request& asked, const Reach& reach,
                     const std::vector<std::string>& cupti, std::vector<record::Watched> instead)
    : watched_(std::move(instead)) {
  const auto miss = [this](record::Channel what, const std::string& why) {
    watched_.push_back({what, "", why});
  };
  const bool tool = !watched_.empty();
  if (!asked.loads && !tool) miss(record::Channel::kLoads, "switched off (--no-loads)");
  if (!asked.calls && !tool) miss(record::Channel::kCalls, "switched off (--no-calls)");
  Request request = asked;
  if (tool) request.loads = request.calls = false;
  // Windows tells of loads by itself, and takes no library of ours.
  if (machine.platform() == base::Platform::kWindows) {
    if (const std::string why = system::WhyNoEvents(); request.loads && !why.empty())
      miss(record::Channel::kLoads, why);
    if (request.calls) miss(record::Channel::kCalls, "not supported on Windows yet");
    request.loads = request.calls = false;
  }
  if (!request.loads && !request.calls && !request.logs) return;
  auto made = system::MakeFreshDirectoryForPrograms();
  if (!made) {
    if (request.loads) miss(record::Channel::kLoads, made.error().message);
    if (request.calls) miss(record::Channel::kCalls, made.error().message);
    return;
  }
  directory_ = *std::move(made);
  path_ = directory_->path();
  directory_->LetPass();  // witness/journal.h says why
  const std::map<std::string, std::string> environment = machine.Environment();
  const bool journal = (request.loads || request.calls) && MakeJournal();
  if (!journal && (request.loads || request.calls)) {
    if (request.loads) miss(record::Channel::kLoads, "no space for the record of the run in " + path_);
    if (request.calls) miss(record::Channel::kCalls, "no space for the record of the run in " + path_);
  }
  if (journal && request.loads) {
    if (!reach.why_not.empty()) miss(record::Channel::kLoads, reach.why_not);
    if (!reach.harmful) {
      const std::string library = Lay(kAudit, request.libraries.audit);
      if (library.empty()) {
        miss(record::Channel::kLoads, "culprit-audit.so not found inside or next to culprit");
      } else {
        const auto given = environment.find("LD_AUDIT");
        const bool others = given != environment.end() && !given->second.empty();
        variables_["LD_AUDIT"] = library + (others ? ":" + given->second : "");
      }
    }
  }
  const auto take = [this](Switches switches) {
    variables_.merge(switches.variables);
    for (record::Watched& watched : switches.watched) watched_.push_back(std::move(watched));
  };
  if (journal && request.calls && !reach.harmful)
    take(SwitchesForCalls(environment, Lay(kInjectionFile, request.libraries.injection), cupti));
  if (request.logs) take(SwitchesForLogs(environment, path_));
}

Witnesses::Witnesses(const Request& request, const std::string& why) {
  if (request.loads) watched_.push_back({record::Channel::kLoads, "", why});
  if (request.calls) watched_.push_back({record::Channel::kCalls, "", why});
}

// Found by their environment, which a process keeps even if it leaves the program's process tree.
void Witnesses::LeaveWhatIsNeeded(const system::System& machine) {
  if (directory_ == nullptr || !audits()) return;
  const auto processes = machine.List("/proc");
  if (!processes) return;
  for (const system::DirectoryEntry& process : *processes) {
    if (process.name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto environment =
        system::ReadWholeFile(machine, "/proc/" + process.name + "/environ", kMostVariables);
    if (!environment || environment->find(path_) == std::string::npos) continue;
    directory_->Leave(kAudit);
    directory_->Leave(kInjectionFile);
    return;
  }
}

bool Witnesses::MakeJournal() {
  std::string path;
  if (auto memory = system::MakeFreshDirectoryInMemory(kSpareMemory)) {
    memory_ = *std::move(memory);
    path = base::JoinPath(memory_->path(), "journal");
    journal_ = system::MakeFileWithRoom(path, kRoomInMemory, kRoomInMemory);
  }
  if (journal_ == nullptr) {
    path = base::JoinPath(path_, "journal");
    journal_ = system::MakeFileWithRoom(path, kMostRoom, kLeastRoom);
  }
  if (journal_ == nullptr) return false;
  auto header = std::make_unique<CulpritJournal>();
  std::memset(header.get(), 0, sizeof(CulpritJournal));
  header->magic = CULPRIT_JOURNAL_MAGIC;
  header->size = journal_->size();
  header->used = sizeof(CulpritJournal);
  if (!journal_->Write(0, {reinterpret_cast<const char*>(header.get()), sizeof(CulpritJournal)}))
    return false;
  variables_[CULPRIT_JOURNAL_VARIABLE] = path;
  return true;
}

std::string Witnesses::Lay(const std::string& name, Bytes bytes) {
  if (bytes.empty()) return Beside(name);
  const auto file = directory_->Write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!file) return "";
  std::error_code ignored;  // a process that has become another user must be able to open it, too
  std::filesystem::permissions(*file, std::filesystem::perms(0755), ignored);
  return *file;
}

JournalContents Witnesses::Journal(const system::System& machine, uint64_t started) const {
  if (journal_ == nullptr) return {};
  // As much as was used; the rest is room.
  uint64_t used = 0;
  const std::string field = journal_->Read(offsetof(CulpritJournal, used), sizeof(used));
  if (field.size() != sizeof(used)) return {};
  std::memcpy(&used, field.data(), sizeof(used));
  const std::string bytes = journal_->Read(0, std::min<uint64_t>(used, journal_->size()));
  auto contents = ReadJournal(bytes, started, FilesOf(machine));
  return contents ? *std::move(contents) : JournalContents{};
}

}  // namespace culprit::watch
