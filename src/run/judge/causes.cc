// The causes of a run and its headline. Observations are added as log lines, so that the stories of
// data/explain/ weigh them together with the output; then the settlements decide (run_settle.cc). If no cause
// of the closed list fits, the headline describes the observation.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "explain/explain.h"
#include "knowledge/libraries.h"
#include "knowledge/messages/status_codes.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

using base::LoadOutcome;

constexpr size_t kMostLoads = 6;
constexpr double kWorthSaying = 0.25;
constexpr double kDecided = 0.6;
constexpr double kSettled = 0.9;
constexpr double kOnlyFound = 0.5;  // a finding of check that nothing in the run mentions

// The loader's message for the outcome at a place; "" if it found an intact file, so that something else
// failed, which the output shows.
std::string LoaderWords(const report::RunFailedLoad& failed) {
  for (const report::Place& place : failed.searched) {
    if (place.outcome == LoadOutcome::kEmptyFile || place.outcome == LoadOutcome::kTooShort)
      return place.path + ": file too short";
    if (place.outcome == LoadOutcome::kNotElf) return place.path + ": invalid ELF header";
    if (place.outcome == LoadOutcome::kFound) return "";
  }
  return fmt::format("{}: cannot open shared object file: No such file or directory",
                     base::BaseName(failed.name));
}

bool HasCuda(const report::RunReport& report) {
  return report.first_failure || !report.other_failures.empty() ||
         std::ranges::any_of(report.loads, [](const report::RunLoad& load) { return !load.title.empty(); });
}

// A library of CUDA is among the frames.
bool InCuda(const report::RunCrash& crash) {
  return std::ranges::any_of(crash.frames, [](const report::RunFrame& frame) {
    return knowledge::FindLibrary(base::BaseName(frame.object)) != nullptr;
  });
}

std::string SignalWords(const std::string& signal) {
  if (signal == "SIGSEGV") return "Segmentation fault";
  if (signal == "SIGBUS") return "Bus error";
  if (signal == "SIGILL") return "Illegal instruction";
  return "";
}

// Programs that test CUDA's status often return it. 1 and 2 are everybody's, and an exit status has eight
// bits: 700 becomes 188.
const knowledge::CudaStatus* StatusInExit(int64_t exit_status) {
  if (exit_status < 0 || exit_status > 255) return nullptr;
  const auto status = static_cast<int32_t>(exit_status);
  constexpr int32_t kLowest = 30, kKernels = 700, kKernelsEnd = 720;
  if (status < kLowest || status == 126 || status == 127) return nullptr;
  if (const auto* own = knowledge::FindCudaStatus(status); own != nullptr && !own->runtime_name.empty())
    return own;
  const int32_t long_one = status + 512;
  return long_one >= kKernels && long_one < kKernelsEnd ? knowledge::FindCudaStatus(long_one) : nullptr;
}

bool AskedForDriver(const report::RunReport& report) {
  return std::ranges::any_of(report.failed_loads, [](const report::RunFailedLoad& failed) {
    return base::BaseName(failed.name).starts_with("libcuda.so");
  });
}

void AddSeen(const record::Run& run, const report::RunReport& report, Heard& heard) {
  if (heard.own_error && !report.first_failure) return;
  if (!report.first_failure && EndedSilently(run, heard) && (HasCuda(report) || AskedForDriver(report))) {
    if (const auto* status = StatusInExit(run.exit_status))
      AddLine(heard,
              fmt::format("exit status {} is that of {}: {}", run.exit_status, knowledge::NameOf(*status),
                          status->texts.empty() ? "" : status->texts.front()));
  }
  if (report.first_failure) {
    const report::RunCall& call = *report.first_failure;
    AddLine(heard, fmt::format("{} failed: {} ({})", call.function, call.status, call.code));
  }
  size_t told = 0;
  for (const report::RunFailedLoad& failed : report.failed_loads) {
    if (failed.survived || ++told > kMostLoads) break;
    if (const std::string words = LoaderWords(failed); !words.empty()) AddLine(heard, words);
  }
  const std::string signal = report.crash ? report.crash->signal : run.signal;
  if (HasCuda(report) && !SignalWords(signal).empty() && run.interrupted.empty())
    AddLine(heard, SignalWords(signal));
  if (run.interrupted.empty() && report.kernel_errors.empty() &&
      (run.signal == "SIGKILL" || run.exit_status == 137))
    AddLine(heard, "Killed");
}

// Nothing in the run mentions CUDA, but check has a finding about a process that uses it.
void AddFound(const record::Run& run, const rules::Scene& scene, const report::CheckReport& check,
              report::RunReport& report) {
  if (!HasCuda(report) || report.crash || !run.interrupted.empty()) return;
  for (const report::Finding& finding : check.findings) {
    const bool seen = !finding.affects.empty() && Affects(finding, scene);
    if (finding.severity != report::Severity::kError || !seen) continue;
    report.explanation.causes.push_back(
        {.cause = finding.cause,
         .code = finding.code,
         .confidence = kOnlyFound,
         .summary = finding.summary,
         .because = "neither the output nor a failed call mentions it, but it applies to this process",
         .evidence = {},
         .known = {},
         .settled = {},
         .separate_by = "",
         .fix = finding.fix.text,
         .commands = finding.fix.commands,
         .avoid = ""});
    return;
  }
}

std::string FailedLoadWords(const report::RunFailedLoad& failed) {
  return fmt::format("{} was not found; {} needs it", base::BaseName(failed.name),
                     failed.requested_by.empty() ? "the program" : failed.requested_by);
}

std::string Unwatched(const report::RunReport& report) {
  return report.not_watched.empty() ? "" : ", as far as culprit could watch";
}

// Whether something failed that the program survived.
bool SurvivedSomething(const report::RunReport& report) {
  return !report.failed_loads.empty() || !report.other_failures.empty();
}

// No observation is the cause: shows the program's own error, or what to try next.
std::string WithoutCause(const report::RunReport& report) {
  const std::string nothing =
      (SurvivedSomething(report) ? "the program went on after every failed CUDA call and library load"
                                 : "no CUDA call and no library load failed, and no CUDA error was printed") +
      Unwatched(report);
  if (!report.last_words.empty())
    return fmt::format("the program's own error: {}; {}", report.last_words, nothing);
  if (!HasCuda(report)) return "could not tell why: " + nothing + "; see the program's own log";
  return "could not tell why: " + nothing +
         "; use culprit run --sanitize to check the kernels, or set CUDA_LAUNCH_BLOCKING=1 so that the "
         "failing line reports the error";
}

}  // namespace

std::string KernelWords(const report::RunKernelError& error) {
  std::string words = error.kind;
  if (!error.kernel.empty()) words += " in kernel " + error.kernel;
  if (!error.file.empty()) words += fmt::format(", {}:{}", error.file, error.line);
  return words;
}

void FindCauses(const record::Run& run, const rules::Scene& scene, const report::CheckReport& check,
                Heard heard, report::RunReport& report) {
  if (!report.kernel_errors.empty() && !report.kernel_errors.front().kernel.empty())
    AddLine(heard, report.kernel_errors.front().kind);
  if (run.failed()) AddSeen(run, report, heard);
  const bool own_error = heard.own_error;
  const std::vector<Settlement> settlements = SettleRun(run, scene, check, report, heard.symptoms);
  report.explanation = explain::Explain(heard.symptoms, std::move(heard.inputs), settlements);
  report.explanation.with_facts = true;
  report.explanation.windows = scene.OnWindows();
  std::vector<report::LikelyCause>& causes = report.explanation.causes;
  std::erase_if(causes, [](const report::LikelyCause& cause) { return cause.confidence < kWorthSaying; });
  if (causes.empty() && run.failed() && !own_error) AddFound(run, scene, check, report);
  for (report::LikelyCause& cause : causes) {
    for (std::string* text : {&cause.summary, &cause.because, &cause.fix}) *text = ShownIn(*text, scene.view);
    for (std::string& fact : cause.settled) fact = ShownIn(fact, scene.view);
  }
  if (causes.empty()) return;
  if (causes.front().confidence >= kSettled) causes.front().separate_by.clear();  // it is done
  if (!report.crash || causes.front().confidence >= kDecided) return;
  // The place of the crash says more than the usual causes of crashes.
  if (!InCuda(*report.crash)) {
    causes.clear();
    return;
  }
  for (report::LikelyCause& cause : causes) {
    if (cause.cause == "library-bug" || cause.cause == "application-bug")
      cause.because = CrashWords(*report.crash);
  }
}

std::string Headline(const record::Run& run, const report::RunReport& report) {
  if (!report.kernel_errors.empty() && !report.kernel_errors.front().kernel.empty())
    return KernelWords(report.kernel_errors.front());
  const std::vector<report::LikelyCause>& causes = report.explanation.causes;
  if (!report.failed) {
    if (!report.mixes.empty()) {
      return fmt::format("finished with status 0, but one process loaded two versions of {}",
                         report.mixes.front().family);
    }
    if (!causes.empty())
      return "finished with status 0, but its output shows a problem: " + causes.front().summary;
    return "finished with status 0; nothing failed" + Unwatched(report);
  }
  const bool decided = !causes.empty() && causes.front().confidence >= kDecided;
  if (decided) return causes.front().summary;
  if (report.crash) return CrashWords(*report.crash);
  if (!run.interrupted.empty()) return WaitWords(report, run);
  if (!causes.empty()) return causes.front().summary;
  if (!report.failed_loads.empty() && !report.failed_loads.front().survived)
    return FailedLoadWords(report.failed_loads.front());
  if (report.first_failure) {
    const report::RunCall& call = *report.first_failure;
    return fmt::format("{} returned {} ({})", call.function, call.status, call.code);
  }
  return WithoutCause(report);
}

}  // namespace culprit::run
