#include "explain/known_facts.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/driver.h"
#include "knowledge/packages/sonames.h"

namespace culprit::explain {
namespace {

using base::Version;
using logs::Symptom;

std::string Joined(std::span<const std::string_view> texts) {
  std::string joined;
  for (const std::string_view text : texts) joined += (joined.empty() ? "" : ", ") + std::string(text);
  return joined;
}

std::string_view BaseNameOfEither(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// libcudnn_ops_infer.so.8 -> which sub-library of which cuDNN; libcufft.so.11 -> which CUDA.
void OfLibrary(std::string_view library, std::vector<std::string>& facts) {
  const std::string name(BaseNameOfEither(library));
  for (const knowledge::CudnnPart& part : knowledge::CudnnParts()) {
    if (part.linux != name && part.windows != name) continue;
    facts.push_back(fmt::format("{} belongs to cuDNN {}{}", name, part.major,
                                part.since.empty() ? "" : fmt::format(" (from {} on)", part.since)));
    return;
  }
  if (const knowledge::SonameRow* row = knowledge::FindSoname(name)) {
    facts.push_back(fmt::format("{} belongs to CUDA {}", name, Joined(row->cuda)));
  }
}

void OfArchitecture(std::string_view arch, std::vector<std::string>& facts) {
  const auto version = CapabilityOf(arch);
  const knowledge::Capability* row = version ? knowledge::FindCapability(*version) : nullptr;
  if (row == nullptr) return;
  std::string fact = fmt::format("compute capability {} ({}) is supported by CUDA {}", row->cc,
                                 row->architecture, row->first_cuda);
  fact += row->last_cuda.empty() ? " and newer" : fmt::format(" to {}", row->last_cuda);
  facts.push_back(std::move(fact));
}

// "11000" from cudaDriverGetVersion, and "12.8" as people write it.
std::string CudaOf(std::string_view text) {
  const bool packed = text.size() >= 4 && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!packed) return std::string(text);
  const int number = std::stoi(std::string(text.substr(0, 6)));
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

void OfCuda(std::string_view text, knowledge::Platform platform, std::vector<std::string>& facts) {
  const std::string cuda = CudaOf(text);
  const std::string_view native = knowledge::LowestDriver(cuda, platform);
  const std::string_view compatible = knowledge::LowestCompatibleDriver(cuda, platform);
  if (native.empty()) return;
  std::string fact = fmt::format("CUDA {} needs driver {}", cuda, native);
  if (!compatible.empty() && compatible != native) {
    fact += fmt::format(" or newer; {} through minor-version compatibility (without PTX)", compatible);
  } else {
    fact += " or newer";
  }
  facts.push_back(std::move(fact));
}

void OfDriver(std::string_view text, knowledge::Platform platform, std::vector<std::string>& facts) {
  const auto driver = Version::Parse(text);
  if (!driver) return;
  const knowledge::DriverCuda cuda = knowledge::CudaOfDriver(*driver, platform);
  if (cuda.cuda.empty()) return;
  facts.push_back(
      fmt::format("driver {} supports CUDA up to {}{}", text, cuda.cuda, cuda.at_least ? " or newer" : ""));
}

}  // namespace

std::optional<Version> CapabilityOf(std::string_view text) {
  const size_t digits = text.find_first_of("0123456789");
  if (digits == std::string_view::npos || text.starts_with("0x")) return std::nullopt;
  std::string number(text.substr(digits, text.find_first_not_of("0123456789.", digits) - digits));
  if (number.find('.') == std::string::npos && number.size() >= 2) number.insert(number.size() - 1, ".");
  return Version::Parse(number);
}

std::vector<std::string> KnownFacts(const Symptom& symptom) {
  std::vector<std::string> facts;
  const auto platform =
      symptom.attribute("os") == "windows" ? knowledge::Platform::kWindows : knowledge::Platform::kLinux;
  if (const auto library = symptom.attribute("library"); !library.empty()) OfLibrary(library, facts);
  if (const auto arch = symptom.attribute("arch"); !arch.empty()) OfArchitecture(arch, facts);
  if (const auto cuda = symptom.attribute("cuda"); !cuda.empty() && symptom.attribute("driver").empty()) {
    OfCuda(cuda, platform, facts);
  }
  if (const auto driver = symptom.attribute("driver"); !driver.empty()) OfDriver(driver, platform, facts);
  return facts;
}

}  // namespace culprit::explain
