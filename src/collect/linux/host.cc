#include "collect/linux/host.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/arch.h"

namespace culprit::collect {
namespace {

using snapshot::Fact;

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "sm_90", "sm_90a", "compute_90", "90", "9.0", "10.3" -> "9.0"; nullopt for anything else.
std::optional<std::string> ComputeCapability(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_", "sm"}) {
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  const size_t dot = text.find('.');
  if (dot != std::string_view::npos) {
    const std::string_view major = text.substr(0, dot), minor = text.substr(dot + 1);
    if (!AllDigits(major) || !AllDigits(minor) || major.size() > 2 || minor.size() != 1) return std::nullopt;
    return std::string(text);
  }
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) text.remove_suffix(1);
  if (!AllDigits(text) || text.size() < 2 || text.size() > 3) return std::nullopt;
  return std::string(text.substr(0, text.size() - 1)) + "." + text.back();
}

// "RTX 4090" -> "8.9"
std::optional<std::string> CapabilityOfName(std::string_view name) {
  const knowledge::Capability* row = knowledge::FindCapabilityByName(name);
  if (row == nullptr) return std::nullopt;
  return std::string(row->cc);
}

// Items at commas and spaces. A word without '=' is one more GPU after a comma ("gpu=H100,B200"), and goes on
// with the name of the GPU after a space ("gpu=RTX 4090").
std::vector<std::string> Items(std::string_view text) {
  std::vector<std::string> items;
  for (const std::string& part : base::Split(text, ',')) {
    bool first = true;
    for (const std::string& word : base::SplitWords(part, " ")) {
      const bool of_gpu =
          !items.empty() && items.back().starts_with("gpu=") && word.find('=') == std::string::npos;
      if (of_gpu && !first) {
        items.back() += " " + word;
      } else {
        items.push_back((of_gpu ? "gpu=" : "") + word);
      }
      first = false;
    }
  }
  return items;
}

}  // namespace

base::Result<Host> ParseHost(std::string_view text) {
  Host host;
  for (const std::string& item : Items(text)) {
    const size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    if (key == "driver" && base::Version::Parse(value)) {
      host.driver = value;
    } else if (const auto capability = ComputeCapability(value); key == "gpu" && capability) {
      host.gpus.push_back({*capability});
    } else if (const auto named = CapabilityOfName(value); key == "gpu" && named) {
      host.gpus.push_back({*named, value});
    } else {
      return base::Fail(base::ErrorCode::kBadFormat,
                        "--host: '" + item + "' is not valid; use driver=535.104.05,gpu=sm_90");
    }
  }
  if (!host.driver && host.gpus.empty()) {
    return base::Fail(base::ErrorCode::kBadFormat, "--host: use driver=535.104.05,gpu=sm_90");
  }
  return host;
}

void Assume(const Host& host, snapshot::Stack& stack) {
  if (host.driver) {
    snapshot::Driver driver;
    driver.kernel_version = Fact<std::string>::Of(*host.driver, "--host");
    driver.assumed = true;
    // What an image brings may come in front of what the host will give it; what is installed here is not
    // there.
    if (stack.driver) {
      const bool image = stack.driver->kernel_version.state == snapshot::FactState::kNotApplicable;
      for (const snapshot::DriverLibrary& library : stack.driver->libraries) {
        if (image || library.kind == snapshot::DriverLibraryKind::kStub ||
            library.kind == snapshot::DriverLibraryKind::kCompat)
          driver.libraries.push_back(library);
      }
    }
    stack.driver = Fact<snapshot::Driver>::Of(std::move(driver), "--host");
  }
  // A machine without the other one is not the host that is meant.
  const auto is_driver = [](const snapshot::DriverLibrary& library) {
    return library.kind != snapshot::DriverLibraryKind::kStub &&
           library.kind != snapshot::DriverLibraryKind::kCompat;
  };
  const bool driver_here = stack.driver && (stack.driver->kernel_version ||
                                            std::ranges::any_of(stack.driver->libraries, is_driver));
  if (!host.driver && !driver_here)
    stack.driver = Fact<snapshot::Driver>::NotApplicable("--host names no driver; add driver=VERSION");
  if (host.gpus.empty() && stack.gpus && stack.gpus->empty())
    stack.gpus = Fact<std::vector<snapshot::Gpu>>::NotApplicable("--host names no GPU; add gpu=NAME");
  if (host.gpus.empty()) return;
  std::vector<snapshot::Gpu> gpus;
  for (const HostGpu& gpu : host.gpus) {
    gpus.push_back(
        {.name = gpu.name, .compute_capability = gpu.capability, .source = "--host", .assumed = true});
  }
  stack.gpus = Fact<std::vector<snapshot::Gpu>>::Of(std::move(gpus), "--host");
}

}  // namespace culprit::collect
