// The logs that cuDNN and the CUDA driver write themselves, read for the calls that failed.
//   The driver (CUDA_LOG_FILE, since CUDA 12.9; docs.nvidia.com, "Error Log Management"), as driver 580
//   writes it:
//     [02:01:01.739][139714316837184][CUDA][E] One or more of block dimensions of (4096,1,1) exceeds ...
//     [02:01:01.739][139714316837184][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuLaunchKernel
//   The second bracket is pthread_self() there. All processes write into one file.
//   cuDNN (CUDNN_LOGDEST_DBG; docs.nvidia.com, "Error Reporting And API Logging"), 8 and 9, one file per
//   process:
//     E! CuDNN (v91900 56) function cudnnBackendFinalize() called:
//     e!         Error: CUDNN_STATUS_BAD_PARAM; Reason: ...
//     e! Time: 2026-11-16T02:00:58.182801 (0d+0h+0m+1s since start)
//     e! Process=476; Thread=476; GPU=NULL; Handle=NULL; StreamId=NULL.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>

#include "base/lines.h"
#include "base/text.h"
#include "knowledge/messages/status_codes.h"
#include "run/watch/cuda_watch.h"
#include "run/witness/call_noise.h"

namespace culprit::watch {
namespace {

constexpr size_t kMostCalls = 1000;
constexpr size_t kMostWords = 500;
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
constexpr int64_t kAtOnce = kSecond / 20;

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

// "02:01:01.739" -> microseconds since midnight.
std::optional<int64_t> TimeOfDay(std::string_view text) {
  if (text.size() < 9 || text[2] != ':' || text[5] != ':' || text[8] != '.') return std::nullopt;
  const auto hours = Number(text.substr(0, 2)), minutes = Number(text.substr(3, 2)),
             seconds = Number(text.substr(6, 2));
  if (!hours || !minutes || !seconds) return std::nullopt;
  int64_t fraction = 0, unit = kSecond / 10;
  for (size_t i = 9; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10)
    fraction += (text[i] - '0') * unit;
  return (*hours * 3600 + *minutes * 60 + *seconds) * kSecond + fraction;
}

// 0: not known. A run may go on past midnight.
uint64_t Since(int64_t started, std::optional<int64_t> time) {
  if (started < 0 || !time) return 0;
  const int64_t since = *time - started;
  // Written with milliseconds, so what happens at once may seem to lie before the start.
  return static_cast<uint64_t>(since > -kSecond && since <= 0 ? 1 : (since + kDay) % kDay);
}

std::string Words(std::string_view text) { return std::string(base::Trim(text.substr(0, kMostWords))); }

// What stands between `before` and `after`; "" when either is missing.
std::string_view Between(std::string_view line, std::string_view before, std::string_view after) {
  const size_t from = line.find(before);
  if (from == std::string_view::npos) return {};
  const size_t to = line.find(after, from + before.size());
  if (to == std::string_view::npos) return {};
  return line.substr(from + before.size(), to - from - before.size());
}

// The same again right after only counts.
void Add(std::vector<LoggedCall>& calls, LoggedCall call) {
  if (!calls.empty()) {
    LoggedCall& last = calls.back();
    if (last.process == call.process && last.call.function == call.call.function &&
        last.call.code == call.call.code && last.call.status == call.call.status &&
        last.call.detail == call.call.detail) {
      ++last.call.count;
      return;
    }
  }
  if (calls.size() < kMostCalls) calls.push_back(std::move(call));
}

struct DriverLine {
  std::string_view time, thread, function, words;  // function: "" it is not said
};

std::optional<DriverLine> SplitDriverLine(std::string_view line) {
  std::vector<std::string_view> brackets;
  while (line.starts_with('[') && brackets.size() < 5) {
    const size_t end = line.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    brackets.push_back(line.substr(1, end - 1));
    line.remove_prefix(end + 1);
  }
  if (brackets.size() < 4 || brackets[3] != "E") return std::nullopt;
  return DriverLine{brackets[0], brackets[1], brackets.size() > 4 ? brackets[4] : "", base::Trim(line)};
}

std::vector<LoggedCall> CallsOfDriver(std::string_view text, int64_t started) {
  std::vector<LoggedCall> calls;
  DriverLine before;
  for (std::string_view line; base::NextLine(text, line);) {
    const std::optional<DriverLine> now = SplitDriverLine(line);
    if (!now) continue;
    const std::string_view code = Between(now->words, "Returning ", " (");
    const size_t from = now->words.rfind(") from ");
    if (code.empty() || from == std::string_view::npos || !now->words.starts_with("Returning ")) {
      before = *now;
      continue;
    }
    LoggedCall call;
    call.call = {.api = base::CudaApi::kDriver,
                 .function = Words(now->words.substr(from + 7)),
                 .code = Number(code).value_or(0),
                 .status = Words(Between(now->words, " (", ")")),
                 .source = base::CallSource::kCudaLog};
    call.call.at = Since(started, TimeOfDay(now->time));
    if (before.thread == now->thread &&
        TimeOfDay(now->time).value_or(kDay) - TimeOfDay(before.time).value_or(0) < kAtOnce)
      call.call.detail = Words(before.words);
    before = {};
    if (CulpritIsFailure(call.call.function.c_str(), static_cast<int32_t>(call.call.code)))
      Add(calls, std::move(call));
  }
  return calls;
}

// "v91900 56" -> 9; "v8700" -> 8.
uint32_t CudnnMajor(std::string_view version) {
  const int64_t number = Number(version).value_or(0);
  return number >= 90000 ? static_cast<uint32_t>(number / 10000) : static_cast<uint32_t>(number / 1000);
}

std::vector<LoggedCall> CallsOfCudnn(std::string_view text, int64_t started) {
  std::vector<LoggedCall> calls;
  LoggedCall call;
  bool open = false;  // between the lines of one message
  uint32_t major = 0;
  const auto finish = [&] {
    if (open && !call.call.status.empty()) {
      if (const auto* row = knowledge::FindCudnnStatus(call.call.status))
        call.call.code = major >= 9 ? row->v9 : major == 8 ? row->v8 : row->v7;
      Add(calls, std::move(call));
    }
    call = {};
    open = false;
  };
  for (std::string_view line; base::NextLine(text, line);) {
    if (line.size() > 2 && line[1] == '!' && line.find(" CuDNN (v") == 2) {
      finish();
      if (line[0] != 'E') continue;
      open = true;
      major = CudnnMajor(Between(line, "CuDNN (v", ")"));
      call.call.api = base::CudaApi::kCudnn;
      call.call.function = Words(Between(line, "function ", "()"));
      call.call.source = base::CallSource::kCudnnLog;
      continue;
    }
    if (!open || !line.starts_with("e!")) continue;
    const size_t status = line.find("CUDNN_STATUS_");
    if (status != std::string_view::npos) {
      // The first is where it began, those after it who passed it on.
      if (call.call.status.empty()) {
        const size_t end = std::min(line.find_first_of("; \t,", status), line.size());
        call.call.status = Words(line.substr(status, end - status));
      }
      if (const size_t reason = line.find("Reason: ");
          reason != std::string_view::npos && call.call.detail.empty())
        call.call.detail = Words(line.substr(reason + 8));
    } else if (const size_t time = line.find("Time: "); time != std::string_view::npos) {
      const size_t clock = line.find('T', time + 6);
      if (clock != std::string_view::npos) call.call.at = Since(started, TimeOfDay(line.substr(clock + 1)));
    } else if (const size_t process = line.find("Process="); process != std::string_view::npos) {
      call.process = Number(line.substr(process + 8)).value_or(0);
      if (const size_t thread = line.find("Thread="); thread != std::string_view::npos)
        call.call.thread = Number(line.substr(thread + 7)).value_or(0);
    }
  }
  finish();
  return calls;
}

// "cuMemAlloc_v2" -> "cuMemAlloc".
std::string_view WithoutVersion(std::string_view function) {
  const size_t mark = function.rfind("_v");
  return mark == std::string_view::npos ? function : function.substr(0, mark);
}

bool UsesCuda(const record::Process& process) {
  return std::ranges::any_of(process.loads, [](const record::Loaded& loaded) {
    return base::BaseName(loaded.path).starts_with("libcuda.so");
  });
}

record::Process& ProcessOf(record::Run& run, int64_t id) {
  for (record::Process& process : run.processes) {
    if (id != 0 && process.id == id) return process;
  }
  for (record::Process& process : run.processes) {
    if (UsesCuda(process)) return process;
  }
  return run.processes.front();
}

// True: the call was seen by itself, and now has the log's words too.
bool AddToSeen(record::Run& run, const LoggedCall& logged) {
  bool seen = false;
  for (record::Process& process : run.processes) {
    if (logged.process != 0 && process.id != logged.process) continue;
    for (record::FailedCall& call : process.failed_calls) {
      if (call.api != logged.call.api || call.code != logged.call.code || call.source == logged.call.source ||
          WithoutVersion(call.function) != WithoutVersion(logged.call.function))
        continue;
      seen = true;
      if (call.said.empty()) call.said = logged.call.detail;
    }
  }
  return seen;
}

}  // namespace

std::vector<CudaLog> FindLogs(const system::System& machine, const std::string& directory) {
  std::vector<CudaLog> logs;
  const auto entries = machine.List(directory);
  if (!entries) return logs;
  for (const system::DirectoryEntry& entry : *entries) {
    const std::string path = base::JoinPath(directory, entry.name);
    if (entry.type != system::FileType::kRegular || logs.size() >= kMostCalls) continue;
    if (entry.name == "cuda.log") logs.push_back({record::Channel::kCudaLog, path, 0});
    if (!entry.name.starts_with("cudnn.") || !entry.name.ends_with(".log")) continue;
    logs.push_back(
        {record::Channel::kCudnnLog, path, Number(std::string_view(entry.name).substr(6)).value_or(0)});
  }
  return logs;
}

std::vector<LoggedCall> CallsOf(const CudaLog& log, std::string_view text, int64_t started) {
  std::vector<LoggedCall> calls =
      log.name == record::Channel::kCudaLog ? CallsOfDriver(text, started) : CallsOfCudnn(text, started);
  for (LoggedCall& call : calls) {
    if (call.process == 0) call.process = log.process;
  }
  return calls;
}

int64_t LocalTimeOfDay() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const std::tm* parts = std::localtime(&seconds);
  if (parts == nullptr) return -1;
  const auto part = std::chrono::duration_cast<std::chrono::microseconds>(
      now - std::chrono::system_clock::from_time_t(seconds));
  return (parts->tm_hour * 3600 + parts->tm_min * 60 + parts->tm_sec) * kSecond + part.count();
}

void AddLoggedCalls(record::Run& run, const std::vector<LoggedCall>& calls) {
  if (run.processes.empty()) return;
  std::vector<const LoggedCall*>
      others;  // after all have been compared with what was seen, not with each other
  for (const LoggedCall& logged : calls) {
    if (!AddToSeen(run, logged)) others.push_back(&logged);
  }
  for (const LoggedCall* logged : others) {
    std::vector<record::FailedCall>& all = ProcessOf(run, logged->process).failed_calls;
    // In order of time; what has none comes last.
    const auto later = std::ranges::find_if(all, [&](const record::FailedCall& call) {
      return logged->call.at != 0 && call.at > logged->call.at;
    });
    all.insert(later, logged->call);
  }
}

}  // namespace culprit::watch
