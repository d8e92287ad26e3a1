#include "api/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "api/live.h"
#include "api/machine.h"

namespace culprit::api {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLimit(3000);
// The memory use of other processes changes, but a retry loop need not query it each time.
constexpr std::chrono::seconds kMemoryStaysFor(1);

// Causes that are in the program, temporary or not in any file: the static engine knows nothing about them.
constexpr std::string_view kNotInFiles[] = {"application-bug", "out-of-memory", "library-bug",
                                            "hardware-fault"};
// Whatever status cuDNN returns, these are the reason.
constexpr std::string_view kOfCudnn[] = {"cudnn-mixed-versions", "cudnn-sublibrary-missing",
                                         "cudnn-version-mismatch", "corrupt-library"};

bool Has(const std::vector<std::string>& causes, std::string_view cause) {
  return std::ranges::find(causes, cause) != causes.end();
}

// The driver itself may not work; then no file of the program is at fault.
std::optional<Reason> DriverCause(const StatusFacts& facts) {
  const bool may_be = std::ranges::any_of(facts.causes, [](const std::string& cause) {
    return cause.starts_with("driver-") || cause == "gpu-not-visible" || cause == "container-runtime";
  });
  if (!may_be) return std::nullopt;
  const LiveDriver live = LookAtDriver(false);
  if (!live.failure) return std::nullopt;
  return WhyNoDriver(live, kLimit);
}

// Removes the cause if there is enough memory.
std::optional<Reason> MemoryCause(StatusFacts& facts) {
  if (!Has(facts.causes, "out-of-memory")) return std::nullopt;
  const auto memory = MemoryOfCurrentDevice();
  if (!memory) return std::nullopt;
  const bool certain = facts.causes.size() == 1;
  auto reason = MemoryReason(*memory, certain);
  if (!reason) std::erase(facts.causes, "out-of-memory");
  return reason;
}

std::optional<Reason> FileCause(Interface interface, const StatusFacts& facts) {
  std::vector<std::string> causes = facts.causes;
  if (interface == Interface::kCudnn) {
    for (const std::string_view cause : kOfCudnn) {
      if (!Has(causes, cause)) causes.emplace_back(cause);
    }
  }
  if (std::ranges::all_of(causes, [](const std::string& cause) {
        return std::ranges::find(kNotInFiles, cause) != std::end(kNotInFiles);
      }))
    return std::nullopt;
  const auto judgement = JudgeMachine(interface == Interface::kCudnn ? LoadedCudnnMajor() : 0, kLimit);
  if (judgement == nullptr) return std::nullopt;
  const report::Finding* finding = FindExplanation(judgement->findings, causes);
  return finding == nullptr ? std::nullopt : std::optional(ReasonOf(*finding));
}

std::optional<Reason> LookFor(Interface interface, StatusFacts facts) {
  if (auto reason = DriverCause(facts)) return reason;
  if (auto reason = MemoryCause(facts)) return reason;
  if (auto reason = FileCause(interface, facts)) return reason;
  return UsualReason(facts);
}

struct Known {
  std::optional<Reason> reason;
  steady_clock::time_point since;
};
struct Cache {
  std::mutex mutex;
  std::map<std::pair<Interface, int>, Known> known;
};
Cache& TheCache() {
  static Cache& cache = *new Cache;
  return cache;
}

std::atomic<bool> explaining = true;

std::optional<Reason> ReasonFor(Interface interface, int status, const StatusFacts& facts) {
  Cache& cache = TheCache();
  const std::lock_guard lock(cache.mutex);
  const auto now = steady_clock::now();
  const auto found = cache.known.find({interface, status});
  if (found != cache.known.end()) {
    const bool changes = found->second.reason && found->second.reason->cause == "out-of-memory";
    if (!changes || now - found->second.since < kMemoryStaysFor) return found->second.reason;
  }
  Known known{.reason = LookFor(interface, facts), .since = steady_clock::now()};
  return (cache.known[{interface, status}] = std::move(known)).reason;
}

std::string Message(const CallError& error) {
  std::string text = fmt::format("{} failed at {}:{}: {} ({})", error.call, error.file, error.line,
                                 error.facts.name, error.status);
  if (!error.reason) return error.facts.meaning.empty() ? text : text + ": " + error.facts.meaning;
  const Reason& reason = *error.reason;
  text += (reason.proven ? ": " : ": usually: ") + reason.summary;
  if (!reason.cause.empty()) {
    text += " [" + reason.cause + (reason.code.empty() ? "" : ", " + reason.code) + "]";
  }
  if (!reason.fix.empty()) text += "; fix: " + reason.fix;
  return text;
}

}  // namespace

CallError Explain(Interface interface, int status, std::string call, std::string file, int line) {
  CallError error{.call = std::move(call),
                  .file = std::move(file),
                  .line = line,
                  .status = status,
                  .facts = FactsOf(interface, status)};
  constexpr int kNotReady = 600;  // from cudaStreamQuery and cudaEventQuery: not a failure
  const bool cuda = interface == Interface::kRuntime || interface == Interface::kDriver;
  if (explaining && !(cuda && status == kNotReady)) error.reason = ReasonFor(interface, status, error.facts);
  error.message = Message(error);
  return error;
}

void SetExplain(bool on) { explaining = on; }

}  // namespace culprit::api
