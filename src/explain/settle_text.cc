// "driver 396.54, compiled with CUDA 10": the tables know that these do not go together.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/version.h"
#include "explain/settle.h"
#include "knowledge/driver.h"

namespace culprit::explain {
namespace {

using base::Version;
using logs::Symptom;

// What is said beside the failure. "10" -> 10.0
std::optional<Version> Stated(const Symptom& symptom, std::string_view name) {
  if (symptom.role() != knowledge::Role::kContext) return std::nullopt;
  std::string text(symptom.attribute(name));
  if (!text.empty() && text.find('.') == std::string::npos) text += ".0";
  return Version::Parse(text);
}

}  // namespace

base::Platform PlatformOf(std::span<const Symptom> symptoms) {
  const bool windows = std::ranges::any_of(symptoms, [](const Symptom& symptom) {
    return symptom.kind() == "context-windows" || symptom.attribute("os") == "windows";
  });
  return windows ? base::Platform::kWindows : base::Platform::kLinux;
}

void SettleByText(std::span<const Symptom> symptoms, std::vector<Settlement>& settlements) {
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

}  // namespace culprit::explain
