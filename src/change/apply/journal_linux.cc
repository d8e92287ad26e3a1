// The journal of a run on disk: each line in one write and synchronised, folders that nobody else writes
// into.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/json.h"
#include "base/text.h"
#include "change/apply/journal.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
using base::Json;
constexpr const char* kLog = "journal";
constexpr uint64_t kHashLimit = uint64_t{64} << 20;

// Names of files are bytes, JSON has characters: each byte becomes the character of its number.
std::string Characters(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

std::string Bytes(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0xc0 && i + 1 < text.size()) {
      bytes += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

Json StandingJson(Standing standing) {
  standing.target = Characters(standing.target);
  return ToJson(standing);
}

Standing ReadStanding(const Json& json) {
  Standing standing = StandingFromJson(json);
  standing.target = Bytes(standing.target);
  return standing;
}

// A folder that only this user can write, created with its parents. Its contents are trusted later.
base::Result<Descriptor> OwnFolder(const std::string& path) {
  std::string above = "/";
  Descriptor here(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& part : base::SplitWords(path, "/")) {
    above = base::JoinPath(above, part);
    const auto enter = [&](int how) {
      return Descriptor(openat(here.get(), part.c_str(), how | O_DIRECTORY | O_CLOEXEC));
    };
    Descriptor next = enter(O_RDONLY);
    if (!next && errno == EACCES) next = enter(O_PATH);  // may be passed through, though not listed
    if (!next && errno == ENOENT) {
      if (mkdirat(here.get(), part.c_str(), 0700) != 0 && errno != EEXIST) return FailedAt(above, errno);
      if (auto done = ToDisk(here.get()); !done) return std::unexpected(done.error());
      next = enter(O_RDONLY);
    }
    if (!next) return FailedAt(above, errno);
    here = std::move(next);
  }
  struct stat status = {};
  if (fstat(here.get(), &status) != 0) return FailedAt(path, errno);
  if (status.st_uid != geteuid() || (status.st_mode & 022) != 0)
    return Fail(ErrorCode::kUnsupported,
                path + ": other users can write there, so it cannot hold the undo journal");
  return here;
}

void Take(Run& run, const Json& json) {
  const std::string record = json.at("record");
  if (record == "end") run.ended = true;
  if (record == "undone") run.undone = true;
  if (record != "step" && record != "ready" && record != "done") return;
  const size_t number = json.at("number");
  if (record == "step") {
    Step step;
    step.number = number;
    step.kind =
        base::FromWord<StepKind>(json.at("kind").get_ref<const std::string&>()).value_or(StepKind::kPut);
    step.text = Bytes(json.at("text"));
    step.outside = json.at("outside");
    step.path = Bytes(json.at("path"));
    step.temporary = Bytes(json.at("temporary"));
    step.stage = Bytes(json.at("stage"));
    step.before = ReadStanding(json.at("before"));
    step.after = ReadStanding(json.at("after"));
    step.parent = ReadStanding(json.at("parent"));
    step.names = json.at("names");
    run.steps.push_back(std::move(step));
    return;
  }
  for (Step& step : run.steps) {
    if (step.number != number) continue;
    (record == "ready" ? step.ready : step.done) = true;
    step.after = ReadStanding(json.at("after"));
  }
}

// A child that was just forked holds the lock of a killed run until it starts its own program.
constexpr std::chrono::milliseconds kRestOfAKilledRun(1000);

bool LockWithin(int file, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace

base::Result<Lock> Lock::Take(const std::string& state) {
  const auto folder = OwnFolder(state);
  if (!folder) return std::unexpected(folder.error());
  Descriptor file(openat(folder->get(), "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailedAt(state + "/lock", errno);
  if (LockWithin(file.get(), kRestOfAKilledRun)) return Lock(std::move(file));
  if (errno != EWOULDBLOCK) return FailedAt(state + "/lock", errno);
  return Fail(ErrorCode::kUnsupported, "another `culprit fix` is running (" + state + "/lock)");
}

base::Result<Journal> Journal::Begin(const std::string& state, const std::string& root) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto micro = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  const time_t seconds = static_cast<time_t>(micro / 1000000);
  tm utc = {};
  gmtime_r(&seconds, &utc);
  const std::string id =
      fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}.{:06}-{}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                  utc.tm_hour, utc.tm_min, utc.tm_sec, micro % 1000000, getpid());
  Journal journal;
  journal.folder_ = state + "/journal/" + id;
  auto folder = OwnFolder(journal.folder_);
  if (!folder) return std::unexpected(folder.error());
  auto old = OwnFolder(journal.folder_ + "/old");
  if (!old) return std::unexpected(old.error());
  journal.directory_ = std::move(*folder);
  journal.old_ = std::move(*old);
  journal.log_ = Descriptor(openat(journal.directory_.get(), kLog,
                                   O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!journal.log_) return FailedAt(journal.folder_ + "/journal", errno);
  if (auto begun = journal.Append({{"record", "begin"}, {"version", 1}, {"root", Characters(root)}}); !begun)
    return std::unexpected(begun.error());
  if (auto done = ToDisk(journal.directory_.get()); !done) return std::unexpected(done.error());
  return journal;
}

base::Result<Journal> Journal::Open(const std::string& folder) {
  Journal journal;
  journal.folder_ = folder;
  auto own = OwnFolder(folder);
  if (!own) return std::unexpected(own.error());
  auto old = OwnFolder(folder + "/old");
  if (!old) return std::unexpected(old.error());
  journal.directory_ = std::move(*own);
  journal.old_ = std::move(*old);
  journal.log_ = Descriptor(
      openat(journal.directory_.get(), kLog, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!journal.log_) return FailedAt(folder + "/journal", errno);
  // A line that was cut off when its writer was killed must not swallow the next.
  struct stat status = {};
  char last = '\n';
  if (fstat(journal.log_.get(), &status) != 0) return FailedAt(folder + "/journal", errno);
  if (status.st_size > 0 && pread(journal.log_.get(), &last, 1, status.st_size - 1) == 1 && last != '\n' &&
      write(journal.log_.get(), "\n", 1) != 1)
    return FailedAt(folder + "/journal", errno);
  return journal;
}

std::string Journal::id() const { return std::string(base::BaseName(folder_)); }

base::Result<void> Journal::Append(const Json& record) {
  const std::string line = record.dump(-1, ' ', true) + "\n";
  const ssize_t written = write(log_.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()))
    return FailedAt(folder_ + "/journal", written < 0 ? errno : ENOSPC);
  if (fdatasync(log_.get()) != 0) return FailedAt(folder_ + "/journal", errno);
  return {};
}

base::Result<void> Journal::Write(const Step& step) {
  return Append({{"record", "step"},
                 {"number", step.number},
                 {"kind", base::Word(step.kind)},
                 {"text", Characters(step.text)},
                 {"outside", step.outside},
                 {"path", Characters(step.path)},
                 {"temporary", Characters(step.temporary)},
                 {"stage", Characters(step.stage)},
                 {"before", StandingJson(step.before)},
                 {"after", StandingJson(step.after)},
                 {"parent", StandingJson(step.parent)},
                 {"names", step.names}});
}

base::Result<void> Journal::Write(const char* record, const Step& step) {
  return Append({{"record", record}, {"number", step.number}, {"after", StandingJson(step.after)}});
}

base::Result<void> Journal::Write(const char* record) { return Append({{"record", record}}); }

base::Result<void> Journal::Keep(const Spot& spot, const std::string& name, Standing& standing) {
  if (standing.kind != Standing::Kind::kFile) return {};
  if (linkat(spot.directory.get(), spot.name.c_str(), old_.get(), name.c_str(), 0) != 0) {
    auto copied = CopyNew(spot.directory.get(), spot.name, old_.get(), name,
                          {.mode = 0600, .user = geteuid(), .group = getegid()}, standing.hash);
    if (!copied) return copied;
  } else if (standing.size <= kHashLimit) {  // it need not be the same inode, should it come back as a copy
    standing.hash = HashOfFile(old_.get(), name).value_or("");
  }
  return ToDisk(old_.get());
}

base::Result<void> Journal::KeepText(const std::string& name, const std::string& text) {
  auto written = WriteNew(old_.get(), name, text, {.mode = 0600, .user = geteuid(), .group = getegid()});
  if (!written) return written;
  return ToDisk(old_.get());
}

void Journal::Forget() {
  const auto gone = RemoveAll(directory_.get(), "old");  // what stays harms nobody
  static_cast<void>(gone);
}

base::Result<Run> ReadRun(const std::string& folder) {
  const auto own = OwnFolder(folder);
  if (!own) return std::unexpected(own.error());
  Run run{.folder = folder};
  const auto text = ReadBytes(own->get(), kLog, uint64_t{64} << 20);
  if (!text) {  // killed before its first line
    if (text.error().code == ErrorCode::kNotFound) return run;
    return std::unexpected(text.error());
  }
  std::vector<std::string> lines = base::Split(*text, '\n');
  lines.pop_back();  // what has no newline
  for (size_t i = 0; i < lines.size(); ++i) {
    try {
      Take(run, Json::parse(lines[i]));
    } catch (const Json::exception&) {
      // The line on which it was killed; the undo that came after it wrote on.
      if (i + 1 < lines.size() && base::ParseJson(lines[i + 1]).value("record", "") == "undone") continue;
      if (i + 1 == lines.size()) continue;
      return Fail(ErrorCode::kBadFormat, fmt::format("{}/{}: cannot parse line {}", folder, kLog, i + 1));
    }
  }
  return run;
}

base::Result<std::vector<std::string>> Folders(const std::string& state) {
  const auto directory = OpenDirectory("", state + "/journal");
  if (!directory) {
    if (directory.error().code == ErrorCode::kNotFound) return std::vector<std::string>{};
    return std::unexpected(directory.error());
  }
  auto names = NamesIn(directory->get());
  if (!names) return std::unexpected(names.error());
  std::ranges::reverse(*names);
  for (std::string& name : *names) name = state + "/journal/" + name;
  return names;
}

base::Result<std::optional<Run>> LastRun(const std::string& state) {
  const auto folders = Folders(state);
  if (!folders) return std::unexpected(folders.error());
  for (const std::string& folder : *folders) {
    auto run = ReadRun(folder);
    if (!run) return std::unexpected(run.error());
    if (!run->undone && !(run->ended && run->steps.empty())) return std::move(*run);
  }
  return std::nullopt;
}

}  // namespace culprit::apply
