// Texts about a run: its duration, how it ended, and names of its processes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

constexpr uint64_t kMoment = 3'000'000;  // microseconds

// A shell, and a launcher that imitates it, give 128 and the signal as their own status.
std::string SignalInStatus(int64_t status) {
  static constexpr std::array<std::pair<int64_t, const char*>, 8> kSignals = {{{129, "SIGHUP"},
                                                                               {130, "SIGINT"},
                                                                               {132, "SIGILL"},
                                                                               {134, "SIGABRT"},
                                                                               {135, "SIGBUS"},
                                                                               {137, "SIGKILL"},
                                                                               {139, "SIGSEGV"},
                                                                               {143, "SIGTERM"}}};
  for (const auto& [number, name] : kSignals) {
    if (number == status) return name;
  }
  return "";
}

}  // namespace

double Seconds(uint64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

std::string Lasting(double seconds) {
  if (seconds < 0.01) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 600) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

const record::Process* FindProcess(const record::Run& run, int64_t id, uint64_t at) {
  const record::Process* found = nullptr;
  for (const record::Process& process : run.processes) {
    if (process.id == id && (found == nullptr || process.at <= at)) found = &process;
  }
  return found;
}

std::string ProcessName(const record::Run& run, const record::Process& process) {
  const bool alone =
      std::ranges::all_of(run.processes, [&](const auto& other) { return other.id == process.id; });
  if (alone) return "";
  return fmt::format("{} ({})", base::BaseName(process.program), process.id);
}

std::string Shown(const std::string& path, snapshot::FileView& view) {
  if (!path.starts_with('/') || path.find("/../") == std::string::npos) return path;
  return base::JoinPath(view.RealPath(std::string(base::DirName(path))), base::BaseName(path));
}

std::string ShownIn(std::string_view sentence, snapshot::FileView& view) {
  constexpr std::string_view kBetween = " ,;:()'\"";
  std::string shown;
  while (!sentence.empty()) {
    const size_t end = std::min(sentence.find_first_of(kBetween), sentence.size());
    shown += Shown(std::string(sentence.substr(0, end)), view);
    if (end < sentence.size()) shown += sentence[end];
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return shown;
}

uint64_t OverAt(const record::Run& run) {
  return run.interrupted.empty() || run.interrupted_at == 0 ? run.duration : run.interrupted_at;
}

bool NearTheEnd(const record::Run& run, uint64_t at) { return at + kMoment >= OverAt(run); }

std::string EndedHow(const record::Run& run) {
  std::string how;
  if (!run.signal.empty()) {
    how = "killed by " + run.signal;
  } else {
    how = fmt::format("exit status {}", run.exit_status);
    const std::string signal = SignalInStatus(run.exit_status);
    if (!signal.empty() && run.interrupted.empty()) how += ": one of its processes was killed by " + signal;
  }
  if (run.interrupted.empty()) return how;
  return fmt::format("interrupted by {}{}", run.interrupted, run.signal == run.interrupted ? "" : ", " + how);
}

}  // namespace culprit::run
