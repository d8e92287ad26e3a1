#include "explain/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/version.h"
#include "knowledge/driver.h"
#include "rules/kit/driver/driver_facts.h"

namespace culprit::explain {
namespace {

using base::Version;
using logs::Symptom;
using Settlements = std::vector<Settlement>;

// Every error or warning of `check` confirms its cause.
void ByFindings(const report::CheckReport& check, Settlements& settlements) {
  for (const report::Finding& finding : check.findings) {
    if (finding.severity == report::Severity::kNote) continue;
    settlements.push_back({finding.cause, true, finding.code + ": " + finding.summary, &finding});
  }
}

// "12.8", "11000", "cuda>=12.8" -> 12.8; "11" -> 11
std::optional<Version> CudaVersion(std::string_view text) {
  const size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return std::nullopt;
  auto version = Version::Parse(text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin));
  if (version && version->parts.size() == 1 && version->part(0) >= 1000) {
    return Version{{version->part(0) / 1000, version->part(0) % 1000 / 10}};
  }
  return version;
}

// The CUDA releases that the log or the machine needs the driver to support, with the source of each.
struct NeededCuda {
  Version cuda;
  std::string by;
};
std::vector<NeededCuda> NeededCudas(std::span<const Symptom> symptoms, const rules::Scene& scene) {
  std::vector<NeededCuda> needed;
  for (const Symptom& symptom : symptoms) {
    for (const char* name : {"needs", "cuda"}) {
      const bool about_cuda = name == std::string_view("cuda") || symptom.attribute("api") == "cuda" ||
                              symptom.attribute("needs").find("cuda") != std::string_view::npos;
      if (!about_cuda || symptom.role() != knowledge::Role::kFailure) continue;
      if (const auto cuda = CudaVersion(symptom.attribute(name))) {
        needed.push_back({*cuda, fmt::format("line {} of the log", symptom.line)});
      }
    }
    if (symptom.attribute("family") == "cuda" && !symptom.attribute("major").empty()) {
      if (const auto cuda = Version::Parse(symptom.attribute("major"))) {
        needed.push_back({*cuda, fmt::format("line {} of the log", symptom.line)});
      }
    }
  }
  if (scene.stack().environments) {
    for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
      for (const snapshot::Framework& framework : environment.frameworks) {
        if (const auto cuda = CudaVersion(framework.cuda)) {
          needed.push_back({*cuda, fmt::format("{} {}", framework.name, framework.version)});
        }
      }
    }
  }
  if (scene.stack().toolkits) {
    for (const snapshot::Toolkit& toolkit : scene.stack().toolkits->copies) {
      if (const auto cuda = Version::Parse(toolkit.version)) needed.push_back({*cuda, toolkit.root});
    }
  }
  return needed;
}

// Nothing of a driver is here: `check` has said what that means. Where it could not see the host, a container
// is the likelier reason.
void SettleAbsence(bool container, const std::string& says, const report::CheckReport& check,
                   Settlements& settlements) {
  const auto found = std::ranges::find_if(check.findings, [](const report::Finding& finding) {
    return finding.severity == report::Severity::kError && IsAboutStart(finding);
  });
  if (found != check.findings.end()) {
    for (const char* cause : {"driver-missing", "container-runtime"}) {
      if (found->cause != cause) settlements.push_back({cause, false, found->code + ": " + found->summary});
    }
    return;
  }
  if (container) settlements.push_back({"container-runtime", true, says});
  settlements.push_back(
      {"driver-missing", !container,
       container ? "the container has no driver library; its host is not visible from here" : says});
}

}  // namespace

void SettleByDriver(std::span<const Symptom> symptoms, const rules::Scene& scene,
                    const report::CheckReport& check, Settlements& settlements) {
  if (!scene.stack().driver) return;
  const snapshot::Driver& driver = *scene.stack().driver;
  const snapshot::DriverLibrary* library = rules::FindDriverLibrary(driver);
  const auto module = rules::ModuleVersion(driver);
  const bool container = rules::InContainer(scene);
  if (library == nullptr && !module) {
    const std::string says = container ? "there is no libcuda.so.1 in this container"
                             : scene.OnWindows()
                                 ? "there is no nvcuda.dll here"
                                 : "neither libcuda.so.1 nor the driver's kernel module exists here";
    SettleAbsence(container, says, check, settlements);
    for (const char* cause :
         {"driver-too-old", "driver-library-mismatch", "driver-wedged", "arch-unsupported"}) {
      settlements.push_back({cause, false, says});
    }
    return;
  }
  const auto version = module ? module : library == nullptr ? std::nullopt : Version::Parse(library->version);
  if (library != nullptr) {
    settlements.push_back({"driver-missing", false, fmt::format("{} exists", library->path)});
    if (container)
      settlements.push_back({"container-runtime", false, fmt::format("the container has {}", library->path)});
  }
  if (module && library != nullptr && library->kind == snapshot::DriverLibraryKind::kDriver) {
    const auto of_library = Version::Parse(library->version);
    if (of_library && *of_library == *module) {
      settlements.push_back(
          {"driver-library-mismatch", false,
           fmt::format("kernel module and {} are both {}", library->path, library->version)});
    }
  }
  if (!version) return;
  const std::string shown = knowledge::DriverText(*version);
  bool all_run = false;
  for (const NeededCuda& needed : NeededCudas(symptoms, scene)) {
    const knowledge::Answer answer = knowledge::DriverForCuda(*version, needed.cuda, scene.platform());
    if (answer.verdict == knowledge::Verdict::kNo) {
      const std::string cuda = needed.cuda.ToString();
      const std::string release = needed.cuda.parts.size() > 1 ? cuda : cuda + ".0";
      std::string_view lowest = knowledge::LowestCompatibleDriver(release, scene.platform());
      if (lowest.empty()) lowest = knowledge::LowestDriver(release, scene.platform());
      settlements.push_back({"driver-too-old", true,
                             fmt::format("driver {} is older than {}, which CUDA {} needs ({})", shown,
                                         lowest, cuda, needed.by)});
      return;
    }
    all_run = all_run || answer.verdict == knowledge::Verdict::kYes;
  }
  if (all_run)
    settlements.push_back(
        {"driver-too-old", false, fmt::format("driver {} supports every CUDA release found here", shown)});
}

std::vector<Settlement> Settle(std::span<const Symptom> symptoms, const rules::Scene& scene,
                               const report::CheckReport& check) {
  Settlements settlements;
  ByFindings(check, settlements);
  SettleByStart(symptoms, check, settlements);
  SettleByDriver(symptoms, scene, check, settlements);
  SettleByCopies(symptoms, scene, settlements);
  SettleByBuild(symptoms, scene, settlements);
  return settlements;
}

}  // namespace culprit::explain
