// What a text itself names and the tables know not to go together: "driver 396.54, compiled with CUDA 10";
// "TensorFlow 2.1, CUDA 10.2 installed"; a file that is not found, and a listing with it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/version.h"
#include "explain/settle.h"
#include "knowledge/driver.h"
#include "knowledge/packages/frameworks.h"

namespace culprit::explain {
namespace {

using base::Version;
using knowledge::FrameworkRelease;
using logs::Symptom;

// What is said beside the failure. "10" -> 10.0
std::optional<Version> Stated(const Symptom& symptom, std::string_view name) {
  if (symptom.role() != knowledge::Role::kContext) return std::nullopt;
  std::string text(symptom.attribute(name));
  if (!text.empty() && text.find('.') == std::string::npos) text += ".0";
  return Version::Parse(text);
}

void SettleDriver(std::span<const Symptom> symptoms, std::vector<Settlement>& settlements) {
  const base::Platform platform = PlatformOf(symptoms);
  for (const Symptom& one : symptoms) {
    const auto driver = Stated(one, "driver");
    if (!driver) continue;
    for (const Symptom& other : symptoms) {
      const auto cuda = Stated(other, "needs");
      if (!cuda || knowledge::DriverForCuda(*driver, *cuda, platform).verdict != knowledge::Verdict::kNo)
        continue;
      std::string_view lowest = knowledge::LowestCompatibleDriver(cuda->ToString(), platform);
      if (lowest.empty()) lowest = knowledge::LowestDriver(cuda->ToString(), platform);
      Settlement settlement{"driver-too-old", true,
                            fmt::format("driver {} is older than {}, which CUDA {} needs",
                                        knowledge::DriverText(*driver), lowest, cuda->ToString())};
      settlement.of_text = true;
      settlements.push_back(std::move(settlement));
      return;
    }
  }
}

// The toolkits that the text says are installed, major and minor.
std::vector<Version> InstalledCudas(std::span<const Symptom> symptoms) {
  std::vector<Version> installed;
  for (const Symptom& symptom : symptoms) {
    if (symptom.kind() != "stated-cuda" && symptom.kind() != "toolkit-version") continue;
    const auto cuda = Stated(symptom, "version");
    // "CUDA 11" may be any 11.x.
    if (cuda && symptom.attribute("version").find('.') != std::string_view::npos) installed.push_back(*cuda);
  }
  return installed;
}

// The build that the package index provides; nullptr where another one may be meant.
const FrameworkRelease* UsualBuild(const Symptom& symptom) {
  const auto version = Version::Parse(symptom.attribute("version"));
  const std::string_view name = knowledge::FrameworkName(symptom.attribute("framework"));
  if (symptom.kind() != "stated-framework" || !version || name.empty()) return nullptr;
  const auto builds = knowledge::FindFramework(name, *version);
  if (builds.empty() || (builds.size() > 1 && !builds.front()->is_default)) return nullptr;
  return builds.front();
}

// A framework that loads the CUDA libraries of the machine, and none of the right release is there.
void SettleFramework(std::span<const Symptom> symptoms, std::vector<Settlement>& settlements) {
  const bool opened = std::ranges::any_of(symptoms, [](const Symptom& symptom) {
    return symptom.kind() == "opened-library" && symptom.attribute("family") == "cuda";
  });
  const std::vector<Version> installed = InstalledCudas(symptoms);
  if (opened || installed.empty()) return;
  const base::Platform platform = PlatformOf(symptoms);
  for (const Symptom& symptom : symptoms) {
    const FrameworkRelease* build = UsualBuild(symptom);
    if (build == nullptr) continue;
    const bool fits_none = std::ranges::all_of(installed, [&](const Version& cuda) {
      return knowledge::FrameworkWithCuda(*build, cuda, platform).verdict == knowledge::Verdict::kNo;
    });
    if (!fits_none) continue;
    const std::string release = installed.front().ToString();
    Settlement settlement{"cuda-version-mismatch", true,
                          fmt::format("{} {} loads the libraries of CUDA {}, and CUDA {} is installed",
                                      build->framework, build->version, build->cuda, release)};
    settlement.of_text = true;
    settlement.because = "the libraries of the two releases have different names";
    settlement.fix.text =
        fmt::format("install CUDA {} beside it, or a release of {} that is built for CUDA {}", build->cuda,
                    build->framework, release);
    settlements.push_back(std::move(settlement));
    return;
  }
}

// Whether the text lists this file, and not only a link to one that it does not list.
bool IsListed(std::string_view file, std::span<const Symptom> symptoms) {
  const auto lists = [](const Symptom& symptom, std::string_view name) {
    return symptom.kind() == "lists-library" && symptom.attribute("library") == name;
  };
  return std::ranges::any_of(symptoms, [&](const Symptom& symptom) {
    if (!lists(symptom, file)) return false;
    const std::string_view target = symptom.attribute("path");
    return target.empty() || target.find_first_of("/\\") != std::string_view::npos ||
           std::ranges::any_of(symptoms, [&](const Symptom& other) { return lists(other, target); });
  });
}

// The file that the loader did not find stands in a listing: then its directory is not searched. Or a longer
// name of it does: then the link by the name that is asked for is missing.
void SettleListed(std::span<const Symptom> symptoms, std::vector<Settlement>& settlements) {
  for (const Symptom& missing : symptoms) {
    const std::string_view file = missing.attribute("file");
    if (missing.kind() != "library-not-found" || missing.attribute("versioned") != "yes") continue;
    if (IsListed(file, symptoms)) {
      Settlement settlement{"search-path", true, fmt::format("the text itself lists {}", file)};
      settlement.of_text = true;
      settlements.push_back(std::move(settlement));
      return;
    }
    const std::string longer = fmt::format("{}.", file);
    const auto real = std::ranges::find_if(symptoms, [&](const Symptom& symptom) {
      return symptom.kind() == "lists-library" && symptom.attribute("library").starts_with(longer);
    });
    if (real == symptoms.end() || PlatformOf(symptoms) != base::Platform::kLinux) continue;
    const std::string_view name = real->attribute("library");
    Settlement settlement{"broken-symlink", true, fmt::format("the text lists {}, but no {}", name, file)};
    settlement.of_text = settlement.decides = true;
    settlement.because = "programs ask for the short name, which is a link to the long one";
    settlement.fix.text = fmt::format("make the link beside the file: {} -> {}, or run ldconfig", file, name);
    settlements.push_back(std::move(settlement));
    return;
  }
}

}  // namespace

base::Platform PlatformOf(std::span<const Symptom> symptoms) {
  const bool windows = std::ranges::any_of(symptoms, [](const Symptom& symptom) {
    return symptom.kind() == "context-windows" || symptom.attribute("os") == "windows";
  });
  return windows ? base::Platform::kWindows : base::Platform::kLinux;
}

void SettleByText(std::span<const Symptom> symptoms, std::vector<Settlement>& settlements) {
  SettleDriver(symptoms, settlements);
  SettleFramework(symptoms, settlements);
  SettleListed(symptoms, settlements);
}

}  // namespace culprit::explain
