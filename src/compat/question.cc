#include "compat/question.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"
#include "knowledge/arch.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::ErrorCode;
using base::Fail;
using base::Version;

constexpr std::string_view kKeys =
    "cuda, cudnn, driver, gpu, gcc, clang, msvc, python, platform, or a framework (torch, tensorflow, jax, "
    "onnxruntime, cupy, ctranslate2, paddle, mxnet, tensorrt, triton, torchvision, torchaudio, xformers, "
    "vllm)";

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

base::Result<void> ReadGpu(std::string_view value, CompatQuestion& question) {
  if (const auto cc = knowledge::ParseCapability(value)) {
    question.cc = *cc;
    return {};
  }
  const knowledge::Capability* row = knowledge::FindCapabilityByName(value);
  if (row == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "the GPU '" + std::string(value) +
                    "' is not in the table; give its compute capability, gpu=8.9 or gpu=sm_89");
  }
  question.cc = knowledge::Known(row->cc);
  question.gpu_name = value;
  return {};
}

base::Result<void> ReadPackage(const std::string& key, std::string_view value, CompatQuestion& question) {
  const size_t plus = value.find('+');
  const std::string text(value.substr(0, plus));
  const std::string_view framework = knowledge::FrameworkName(key);
  CompatPackage package{.key = key, .shown = key + " " + std::string(value), .version = text};
  if (plus != std::string_view::npos) package.variant = value.substr(plus + 1);
  package.framework = framework;
  if (!framework.empty()) {
    if (!Version::Parse(text.substr(0, text.find(".post"))))
      return Fail(ErrorCode::kBadFormat, "'" + std::string(value) + "' is not a version of " + key);
    package.key = framework == "onnxruntime" ? "onnxruntime-gpu" : std::string(framework);
  }
  question.packages.push_back(std::move(package));
  return {};
}

base::Result<void> ReadPlatform(const std::string& value, CompatQuestion& question) {
  const std::map<std::string_view, base::Machine> machines = {
      {"linux", base::Machine::kLinuxX86},         {"windows", base::Machine::kWindows},
      {"linux-x86_64", base::Machine::kLinuxX86},  {"linux-aarch64", base::Machine::kLinuxArm},
      {"windows-x86_64", base::Machine::kWindows}, {"wsl", base::Machine::kLinuxX86}};
  const auto at = machines.find(value);
  if (at == machines.end()) {
    return Fail(ErrorCode::kBadFormat,
                "platform is linux, windows, linux-aarch64 or wsl, not '" + value + "'");
  }
  question.platform_given = true;
  question.machine = at->second;
  question.wsl = value == "wsl";
  return {};
}

base::Result<void> ReadWord(const std::string& key, const std::string& value, CompatQuestion& question) {
  const std::map<std::string_view, std::optional<Version> CompatQuestion::*> versions = {
      {"cuda", &CompatQuestion::cuda},     {"cudnn", &CompatQuestion::cudnn},
      {"driver", &CompatQuestion::driver}, {"gcc", &CompatQuestion::gcc},
      {"clang", &CompatQuestion::clang},   {"python", &CompatQuestion::python}};
  if (const auto at = versions.find(key); at != versions.end()) {
    const auto version = Version::Parse(value);
    if (!version) return Fail(ErrorCode::kBadFormat, "'" + value + "' is not a version of " + key);
    question.*(at->second) = *version;
    return {};
  }
  if (key == "gpu") return ReadGpu(value, question);
  if (key == "msvc") {
    const auto version = Version::Parse(value);
    if (!version || version->parts.size() != 1) {
      return Fail(ErrorCode::kBadFormat, "'" + value + "' is not an _MSC_VER (for example 1939)");
    }
    question.msvc = version->part(0);
    return {};
  }
  if (key == "platform") return ReadPlatform(value, question);
  if (!knowledge::FrameworkName(key).empty() || knowledge::IsPinned(key))
    return ReadPackage(key, value, question);
  return Fail(ErrorCode::kBadFormat, "unknown key '" + key + "'; use one of " + std::string(kKeys));
}

}  // namespace

knowledge::Platform CompatQuestion::DriverPlatform() const {
  return wsl || machine == base::Machine::kWindows ? knowledge::Platform::kWindows
                                                   : knowledge::Platform::kLinux;
}

base::Result<CompatQuestion> ParseCompat(const std::vector<std::string>& words) {
  CompatQuestion question;
  std::vector<std::string> keys;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      return Fail(ErrorCode::kBadFormat, "'" + word + "' is not KEY=VALUE");
    }
    const std::string key = Lower(word.substr(0, equals));
    if (std::ranges::find(keys, key) != keys.end())
      return Fail(ErrorCode::kBadFormat, "'" + key + "' is given twice");
    keys.push_back(key);
    if (auto read = ReadWord(key, word.substr(equals + 1), question); !read)
      return std::unexpected(read.error());
    if (key != "platform") ++question.things;
  }
  return question;
}

}  // namespace culprit::compat
