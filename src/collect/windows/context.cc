// Collector of the circumstances on Windows: which Windows it is. Containers, WSL and sudo are not seen from
// there.
#include <array>

#include "collect/windows/places.h"
#include "collect/windows/stack.h"

namespace culprit::collect {
namespace {

using snapshot::Context;

constexpr std::array<std::string_view, 1> kWindowsContextReads = {
    "HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion"};

}  // namespace

const CollectorInfo kWindowsContextCollector = {"context", kWindowsContextReads};

snapshot::Fact<Context> CollectWindowsContext(const Surroundings& around) {
  Context context;
  if (const auto key = around.system.ReadRegistry("HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion")) {
    // Windows 11 still says "Windows 10 Pro" here; its builds begin at 22000.
    context.distribution = RegistryValue(*key, "ProductName");
    const std::string build = RegistryValue(*key, "CurrentBuildNumber");
    if (build.size() == 5 && build >= "22000" && context.distribution.starts_with("Windows 10"))
      context.distribution.replace(0, 10, "Windows 11");
    context.kernel = build;
  }
  if (context.distribution.empty()) context.distribution = "Windows";
  return snapshot::Fact<Context>::Of(std::move(context), "context");
}

}  // namespace culprit::collect
