#include "rules/kit/recipe/package_cuda.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/projects.h"

namespace culprit::rules {
namespace {

// "12.4.127" -> "12.4"; "" if it is no version.
std::string ReleaseOfVersion(const std::string& text) {
  const auto version = base::Version::Parse(text);
  if (!version) return "";
  if (version->parts.size() < 2) return text;
  return std::to_string(version->part(0)) + "." + std::to_string(version->part(1));
}

std::string CudaOfPip(const RecipeInstall& install) {
  if (std::string release = ReleaseOfVersion(install.version); !release.empty()) return release;
  return CudaOfVariant(std::string_view(install.name).substr(install.name.rfind('-') + 1));
}

// "cuda-runtime-12-4" -> "12.4", "libcudnn9-cuda-12" -> "12"; "" if the name ends otherwise.
std::string CudaAtEnd(std::string_view name) {
  const size_t last = name.rfind('-');
  if (last == std::string_view::npos || !base::IsNumber(name.substr(last + 1))) return "";
  const std::string_view before = name.substr(0, last);
  const size_t other = before.rfind('-');
  if (other == std::string_view::npos || !base::IsNumber(before.substr(other + 1)))
    return std::string(name.substr(last + 1));
  return std::string(before.substr(other + 1)) + "." + std::string(name.substr(last + 1));
}

std::optional<std::string> CudaOfSystem(const RecipeInstall& install) {
  const std::string_view name = install.name;
  if (name.starts_with("libcudnn")) {
    if (base::Contains(name, "-cuda-")) return CudaAtEnd(name);
    const size_t at = install.version.find("+cuda");
    if (at == std::string::npos) return std::nullopt;
    return ReleaseOfVersion(install.version.substr(at + 5));
  }
  if (name == "nvidia-cuda-toolkit" || name == "cuda") return "";
  if (!name.starts_with("cuda-")) return std::nullopt;
  const std::string_view part = name.substr(5);
  const bool whole = !part.empty() && part.find_first_not_of("0123456789-") == std::string_view::npos;
  const bool runs = part.starts_with("runtime") || part.starts_with("libraries") ||
                    part.starts_with("cudart") || part.starts_with("toolkit");
  if (!whole && !runs) return std::nullopt;
  return CudaAtEnd(name);
}

std::optional<std::string> CudaOfConda(const RecipeInstall& install) {
  for (const std::string_view name : {"pytorch-cuda", "cudatoolkit", "cuda-version", "cuda-runtime",
                                      "cuda-toolkit", "cuda-libraries", "cuda-cudart", "cuda"}) {
    if (install.name == name) return ReleaseOfVersion(install.version);
  }
  const size_t at = install.variant.find("cuda");  // "py3.10_cuda12.1_cudnn8.9.2_0"
  if (at == std::string::npos || !IsFrameworkOfConda(install)) return std::nullopt;
  const std::string_view rest = std::string_view(install.variant).substr(at + 4);
  const std::string release = ReleaseOfVersion(std::string(rest.substr(0, rest.find('_'))));
  if (release.empty()) return std::nullopt;
  return release;
}

// "cuda12" of "cuda12_pip", "cuda12-local"; "" if it is none.
std::string VariantOfExtra(std::string_view extra) {
  if (extra == "cpu" || extra == "tpu") return "cpu";
  if (!extra.starts_with("cuda")) return "";
  const std::string_view variant = extra.substr(0, extra.find_first_not_of("0123456789", 4));
  return variant.size() > 4 ? std::string(variant) : "";
}

const std::set<std::string_view>& PackagesWithTorch() {
  static const std::set<std::string_view> kPackages = [] {
    std::set<std::string_view> names;
    for (const knowledge::Pin& pin : knowledge::Pins()) {
      if (pin.extra.empty() && !knowledge::Requirement(pin, "torch").empty()) names.insert(pin.package);
    }
    return names;
  }();
  return kPackages;
}

// "2.4.0" of "==2.4.0"; "" of anything that leaves a choice.
std::string ExactVersion(std::string_view specifiers) {
  const bool exact = specifiers.starts_with("==") && specifiers.find_first_of("*,") == std::string_view::npos;
  return exact ? std::string(specifiers.substr(2)) : "";
}

// What projects.toml says of the torch that a package requires on Linux: as TorchOfPackage.
std::optional<std::string> TorchOfProject(const RecipeInstall& install) {
  std::optional<std::string> torch;
  for (const knowledge::ProjectNeeds& row : knowledge::NeedsOf(install.name)) {
    const bool asked = row.extra.empty() || row.extra == install.extra;
    const bool here =
        row.platforms.empty() || std::ranges::any_of(row.platforms, [](std::string_view platform) {
          return platform.starts_with("linux");
        });
    if (!asked || !here) continue;
    for (const std::string_view need : row.needs) {
      const size_t end = std::min(need.find_first_of("[=<>!~; ("), need.size());
      if (need.substr(0, end) != "torch") continue;
      if (std::ranges::find(row.versions, install.version) != row.versions.end())
        return ExactVersion(need.substr(end));
      torch = "";  // of other versions at least
    }
  }
  return torch;
}

}  // namespace

std::string CudaOfVariant(std::string_view variant) {
  if (!variant.starts_with("cu")) return "";
  variant.remove_prefix(variant.starts_with("cuda") ? 4 : 2);
  if (variant.ends_with('x')) variant.remove_suffix(1);
  if (!base::IsNumber(variant) || variant.size() < 2 || variant.size() > 3) return "";
  if (variant.size() == 2 && variant.front() == '1') return std::string(variant);
  return std::string(variant.substr(0, variant.size() - 1)) + "." + variant.back();
}

FrameworkPackage FrameworkOfPackage(const RecipeInstall& install) {
  const std::string_view name = install.name;
  if (const std::string_view own = knowledge::FrameworkName(name); !own.empty()) {
    const bool local = install.text.find('+') != std::string::npos;
    const bool told = !install.variant.empty() && (own == "torch" || local);  // the index is PyTorch's
    return {std::string(own), told ? install.variant : VariantOfExtra(install.extra)};
  }
  for (const std::string_view framework : {"cupy", "mxnet", "tensorrt", "jax"}) {
    if (!name.starts_with(framework) || name.size() < framework.size() + 2) continue;
    std::string_view variant = name.substr(framework.size());
    if (!variant.starts_with('-')) continue;
    variant.remove_prefix(1);
    variant = variant.substr(0, variant.find('-'));  // jax-cuda12-plugin
    if (!CudaOfVariant(variant).empty()) return {std::string(framework), std::string(variant)};
  }
  return {};
}

std::optional<std::string> CudaOfPackage(const RecipeInstall& install) {
  switch (install.manager) {
    case Manager::kPip:
      if (install.name != "nvidia-cuda-runtime" && !install.name.starts_with("nvidia-cuda-runtime-cu"))
        return std::nullopt;
      return CudaOfPip(install);
    case Manager::kApt:
      return CudaOfSystem(install);
    case Manager::kConda:
      return CudaOfConda(install);
  }
  return std::nullopt;
}

std::string CompatOfPackage(const RecipeInstall& install) {
  return install.manager == Manager::kApt && install.name.starts_with("cuda-compat-")
             ? CudaAtEnd(install.name)
             : "";
}

bool IsFrameworkOfConda(const RecipeInstall& install) {
  if (install.manager != Manager::kConda) return false;
  for (const std::string_view name : {"pytorch", "pytorch-gpu", "tensorflow", "tensorflow-gpu", "jaxlib"}) {
    if (install.name == name) return true;
  }
  return false;
}

std::optional<std::string> TorchOfPackage(const RecipeInstall& install) {
  if (install.manager != Manager::kPip || install.alone) return std::nullopt;
  if (!PackagesWithTorch().contains(install.name)) return TorchOfProject(install);
  const knowledge::Pin* pin =
      install.version.empty() ? nullptr : knowledge::FindPin(install.name, install.version);
  if (pin == nullptr) return "";
  const std::string_view required = knowledge::Requirement(*pin, "torch");
  if (required.empty()) return std::nullopt;
  return ExactVersion(required);
}

}  // namespace culprit::rules
