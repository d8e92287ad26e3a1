// Uses the observations of a run to decide what its output leaves open: which files were in the process,
// which load failed where, which status a call returned.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

using report::Finding;
using Settlements = std::vector<Settlement>;

bool Watching(const record::Run& run, record::Channel what) {
  return std::ranges::any_of(run.watched, [&](const record::Watched& watched) {
    return watched.what == what && !watched.how.empty() && watched.why_not.empty();
  });
}

void ByFindings(const rules::Scene& scene, const report::CheckReport& check, Settlements& settlements) {
  for (const Finding& finding : check.findings) {
    if (finding.severity == report::Severity::kNote || !Concerns(finding, scene)) continue;
    settlements.push_back({finding.cause, true, finding.code + ": " + finding.summary, &finding});
  }
}

std::string MixWords(const report::RunMix& mix) {
  const auto odd = std::ranges::find_if(mix.members, &report::RunMix::Member::odd);
  const auto own = std::ranges::find_if_not(mix.members, &report::RunMix::Member::odd);
  if (odd == mix.members.end() || own == mix.members.end()) return "two versions of " + mix.family;
  return fmt::format("{} is {} from {}, {} is {} from {}", base::BaseName(odd->path), odd->version,
                     base::DirName(odd->path), base::BaseName(own->path), own->version,
                     base::DirName(own->path));
}

void ByMixes(const record::Run& run, const report::RunReport& report, Settlements& settlements) {
  bool cudnn = false;
  for (const report::RunMix& mix : report.mixes) {
    cudnn = cudnn || mix.cudnn;
    Settlement seen{mix.cudnn ? "cudnn-mixed-versions" : "cuda-mixed-versions", true,
                    "in one process: " + MixWords(mix)};
    seen.because = mix.because;
    settlements.push_back(std::move(seen));
    if (!mix.cudnn) continue;
    settlements.push_back(
        {"cudnn-version-mismatch", false, "one process loaded two versions of cuDNN: " + MixWords(mix)});
    settlements.push_back({"library-bug", false, "one process loaded two versions of cuDNN"});
  }
  if (cudnn || !Watching(run, record::Channel::kLoads)) return;
  // A library that was never loaded refutes nothing: a sub-library whose load failed may be the odd one.
  const bool failed = std::ranges::any_of(report.failed_loads, [](const report::RunFailedLoad& load) {
    return !load.survived && base::BaseName(load.name).starts_with("libcudnn");
  });
  std::vector<const report::RunLoad*> parts;
  for (const report::RunLoad& load : report.loads) {
    if (load.title.starts_with("cuDNN") && !load.version.version.empty()) parts.push_back(&load);
  }
  if (failed || parts.size() == 1) return;
  settlements.push_back(
      {"cudnn-mixed-versions", false,
       parts.empty() ? "the process loaded no cuDNN"
                     : "every cuDNN sub-library in the process is " + parts.front()->version.version});
}

// The file was found but cannot be used.
std::optional<Settlement> ByDamage(const report::RunFailedLoad& failed, const std::string& file,
                                   const std::string& asker) {
  for (const report::Place& place : failed.searched) {
    const std::string_view cause = place.outcome ? explain::CauseOfDamage(*place.outcome) : "";
    if (cause.empty()) continue;
    Settlement damaged{std::string(cause), true, fmt::format("{}: {}", place.path, Name(*place.outcome))};
    damaged.because = fmt::format("{} needs {}, and the loader found this file", asker, file);
    damaged.decides = true;
    return damaged;
  }
  return std::nullopt;
}

// The shim is in the process, so its sub-libraries must be next to it, whatever other copies there are.
void ByMissingPart(const std::string& file, const std::string& asker, const std::string& because,
                   Settlements& settlements) {
  Settlement missing{"cudnn-sublibrary-missing", true,
                     fmt::format("the cuDNN sub-library {} is not next to {}", file, asker)};
  missing.because = because;
  settlements.push_back(std::move(missing));
  for (const char* other : {"search-path", "cudnn-missing", "cudnn-mixed-versions", "dependent-missing"})
    settlements.push_back(
        {other, false, "cuDNN itself is loaded, and it loads its sub-libraries from the same directory"});
}

void ByFailedLoad(const report::RunReport& report, Settlements& settlements) {
  if (report.failed_loads.empty() || report.failed_loads.front().survived) return;
  const report::RunFailedLoad& failed = report.failed_loads.front();
  const std::string file(base::BaseName(failed.name));
  const std::string asker = failed.requested_by.empty() ? "the program" : failed.requested_by;
  const knowledge::Library* library = knowledge::FindLibrary(file);
  if (auto damaged = ByDamage(failed, file, asker)) {
    settlements.push_back(std::move(*damaged));
    return;
  }
  const std::string because =
      fmt::format("{} needs {}; {} place{} searched", asker, file, failed.searched.size(),
                  failed.searched.size() == 1 ? " was" : "s were");
  const knowledge::Library* by = knowledge::FindLibrary(base::BaseName(failed.requested_by));
  const bool by_cudnn = by != nullptr && by->family == "cudnn";
  if (library != nullptr && library->family == "cudnn" && library->name != "cudnn" && by_cudnn)
    return ByMissingPart(file, asker, because, settlements);
  if (library != nullptr && library->family == "driver") return;  // SettleByDriver
  if (library != nullptr) {  // SettleByCopies decides between missing and not searched
    settlements.push_back({"dependent-missing", false, file + " is a CUDA library"});
    return;
  }
  const std::string through =
      failed.chain.size() > 1 ? fmt::format(", which was loaded by {}", base::BaseName(failed.chain.front()))
                              : "";
  if (failed.elsewhere.empty()) {
    Settlement missing{"dependent-missing", true,
                       fmt::format("{} is not on this machine; {} needs it{}", file, asker, through)};
    missing.because = because;
    missing.fix = {
        .text = "install the package that provides " + file, .commands = {}, .risk = report::Risk::kLow};
    settlements.push_back(std::move(missing));
    settlements.push_back({"search-path", false, fmt::format("no {} in the usual places", file)});
    return;
  }
  const std::string& path = failed.elsewhere.front().path;
  Settlement elsewhere{"search-path", true,
                       fmt::format("{} needs {}, which exists as {}, but the loader does not search there",
                                   asker, file, path)};
  elsewhere.because = because;
  elsewhere.fix = {
      .text = fmt::format(
          "let {1} find {0}: install both in one place, or set the directory for this program only", file,
          base::BaseName(asker)),
      .commands = {"LD_LIBRARY_PATH=" + report::Word(base::DirName(path)) +
                   "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} " + report::FromTable(report.command)},
      .risk = report::Risk::kLow};
  settlements.push_back(std::move(elsewhere));
  settlements.push_back({"dependent-missing", false, fmt::format("{} is on this machine: {}", file, path)});
}

// The driver that answers is there.
void ByAnswer(const report::RunReport& report, Settlements& settlements) {
  const auto driver = std::ranges::find_if(report.loads, [](const report::RunLoad& load) {
    return !load.closed && base::BaseName(load.path).starts_with("libcuda.so");
  });
  if (driver == report.loads.end()) return;
  const std::string says = driver->path + " was loaded";
  settlements.push_back({"driver-missing", false, says});
  if (!report.first_failure) return;
  const report::RunCall& call = *report.first_failure;
  const std::string returned = fmt::format("{} returned {} ({})", call.function, call.status, call.code);
  if (call.code == 100) {
    for (const char* other :
         {"driver-too-old", "driver-library-mismatch", "framework-cpu-only", "driver-wedged"})
      settlements.push_back({other, false, "the driver said: " + returned});
  }
}

// A tool saw the kernel do it.
void ByTool(const report::RunReport& report, Settlements& settlements) {
  if (report.kernel_errors.empty()) return;
  const report::RunKernelError& error = report.kernel_errors.front();
  if (error.kernel.empty() || error.kind.starts_with("SIG")) return;  // a signal from outside
  for (const char* other : {"hardware-fault", "driver-wedged", "out-of-memory"})
    settlements.push_back({other, false, KernelWords(error)});
  Settlement seen{"application-bug", true, KernelWords(error)};
  seen.because = fmt::format("{} observed it{}{}", error.tool, error.where.empty() ? "" : " " + error.where,
                             error.detail.empty() ? "" : ": " + error.detail);
  seen.fix = {
      .text = error.file.empty()
                  ? "build with -lineinfo to get the source line; then fix the index or the size there"
                  : fmt::format("fix the index or the size at {}:{}", error.file, error.line),
      .commands = {},
      .risk = report::Risk::kNone};
  settlements.push_back(std::move(seen));
}

// A kernel ran and failed.
void ByKernel(const report::RunCall& call, const std::string& command,
              std::span<const logs::Symptom> symptoms, Settlements& settlements) {
  const std::string returned = fmt::format("{} returned {} ({})", call.function, call.status, call.code);
  std::string says;
  if (call.code == 710) {
    const auto assertion = std::ranges::find_if(
        symptoms, [](const logs::Symptom& symptom) { return symptom.kind() == "kernel-assert"; });
    says = assertion == symptoms.end() ? "a kernel failed one of its assertions: " + returned
                                       : "a kernel failed an assertion: " + assertion->text;
  } else {
    says = call.code == 700   ? "a kernel accessed invalid memory: "
           : call.code == 716 ? "a kernel accessed a misaligned address: "
                              : "a kernel jumped to an invalid address: ";
    says += returned;
  }
  if (!call.detail.empty() && call.source == base::CallSource::kCupti) {
    says += ", kernel " + call.detail;
  } else if (!call.last_kernel.empty()) {
    says += ", after the kernel " + call.last_kernel;
  }
  Settlement settled{"application-bug", true, std::move(says)};
  settled.because =
      "the kernel started and failed, so the driver and libraries work; the call that reports it may come "
      "after the launch";
  settled.fix = {
      .text =
          call.code == 710
              ? "fix the data so that the assertion holds (labels below the number of classes, indices below "
                "the table size). Set CUDA_LAUNCH_BLOCKING=1 to see the launching line in the traceback"
              : "use compute-sanitizer to find the kernel, line and address; then fix the index, the size or "
                "the kernel",
      .commands = {},
      .risk = report::Risk::kNone};
  if (call.code != 710)
    settled.fix.commands.push_back("culprit run --sanitize -- " + report::FromTable(command));
  settled.fix.commands.push_back("CUDA_LAUNCH_BLOCKING=1 " + report::FromTable(command));
  settlements.push_back(std::move(settled));
  if (call.code == 710) settlements.push_back({"library-bug", false, "an assertion checks the input data"});
}

void ByCall(const record::Run& run, const rules::Scene& scene, const report::RunReport& report,
            std::span<const logs::Symptom> symptoms, Settlements& settlements) {
  const bool by_text = std::ranges::any_of(symptoms, [](const logs::Symptom& symptom) {
    return symptom.kind() == "oom" || symptom.attribute("status") == "cudaErrorMemoryAllocation";
  });
  const int64_t code = report.first_failure ? report.first_failure->code : 0;
  const bool cuda = report.first_failure && (report.first_failure->api == base::CudaApi::kDriver ||
                                             report.first_failure->api == base::CudaApi::kRuntime);
  if (by_text || (cuda && code == 2)) {
    if (MemoryVerdict why = WhyOutOfMemory(run, scene, report.first_failure); !why.says.empty()) {
      Settlement settled{"out-of-memory", true, why.says};
      settled.because = why.because;
      settled.fix = std::move(why.fix);
      settlements.push_back(std::move(settled));
    }
    settlements.push_back({"application-bug", false, "out of memory"});
    settlements.push_back({"library-bug", false, "out of memory"});
    return;
  }
  if (!cuda) return;
  if (code == 700 || code == 710 || code == 716 || code == 718)
    ByKernel(*report.first_failure, report.command, symptoms, settlements);
}

void ByCrash(const report::RunReport& report, Settlements& settlements) {
  if (!report.crash || report.crash->frames.empty()) return;
  const report::RunFrame& top = report.crash->frames.front();
  if (report.crash->signal == "SIGSEGV" && report.mixes.empty() && !top.object.empty()) {
    settlements.push_back({"corrupt-library", false, "code of " + top.object + " ran when it crashed"});
  }
}

}  // namespace

bool Affects(const Finding& finding, const rules::Scene& scene) {
  if (std::ranges::none_of(scene.scenarios, &loader::Scenario::WasSeen)) return true;
  return std::ranges::any_of(scene.scenarios, [&](const loader::Scenario& scenario) {
    return scenario.WasSeen() && std::ranges::find(finding.affects, scenario.title) != finding.affects.end();
  });
}

bool Concerns(const Finding& finding, const rules::Scene& scene) {
  const bool machine = finding.affects.empty() || explain::IsAboutStart(finding);
  return machine || Affects(finding, scene);
}

std::vector<Settlement> SettleRun(const record::Run& run, const rules::Scene& scene,
                                  const report::CheckReport& check, const report::RunReport& report,
                                  std::span<const logs::Symptom> symptoms) {
  Settlements settlements;
  ByTool(report, settlements);
  ByCall(run, scene, report, symptoms, settlements);
  ByFindings(scene, check, settlements);
  ByMixes(run, report, settlements);
  ByFailedLoad(report, settlements);
  if (Watching(run, record::Channel::kLoads)) SettleByModule(report, symptoms, settlements);
  ByAnswer(report, settlements);
  ByCrash(report, settlements);
  SettleByStart(symptoms, check, settlements);
  SettleByDriver(symptoms, scene, check, settlements);
  // Copies elsewhere do not help a cuDNN without a sub-library next to it, nor an environment that lacks what
  // another one has.
  const bool decided = std::ranges::any_of(settlements, [](const Settlement& settlement) {
    return settlement.decides || (settlement.confirms && (settlement.cause == "cudnn-sublibrary-missing" ||
                                                          settlement.cause == "cuda-library-missing"));
  });
  if (!decided) SettleByCopies(symptoms, scene, settlements);
  return settlements;
}

}  // namespace culprit::run
