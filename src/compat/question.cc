#include "compat/question.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/python/pep440.h"
#include "base/text.h"
#include "knowledge/arch.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"

namespace culprit::compat {
namespace {

using base::ErrorCode;
using base::Fail;
using base::Version;

constexpr uint32_t kMsvcMajor = 19, kToolsetMajor = 14;  // 19.39 is _MSC_VER 1939, of toolset 14.39
constexpr uint32_t kOldestMscVer = 1000;

constexpr std::string_view kKeys =
    "cuda, cudnn, driver, gpu, gcc, clang, msvc, vs, python, platform, cuda-compat, or a package that "
    "`culprit plan` knows (torch, tensorflow, jax, onnxruntime-gpu, flash-attn, vllm, cudf-cu12 ...)";

// As the package index writes names: flash_attn is flash-attn.
std::string Normal(std::string_view text) {
  std::string name(text);
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return c == '_' || c == '.' ? '-' : static_cast<char>(std::tolower(c));
  });
  return name;
}

void ReadGpu(std::string_view value, CompatQuestion& question) {
  if (const auto cc = knowledge::ParseCapability(value)) {
    question.cc = *cc;
    return;
  }
  if (const knowledge::Capability* row = knowledge::FindCapabilityByName(value))
    question.cc = knowledge::Known(row->cc);
  question.gpu_name = base::Printable(value);
}

base::Result<void> ReadPackage(const std::string& key, const knowledge::TableEntry& entry,
                               std::string_view value, CompatQuestion& question) {
  const size_t plus = value.find('+');
  const std::string text(value.substr(0, plus));
  CompatPackage package{.key = key, .shown = key + " " + base::Printable(value), .version = text};
  package.variant = plus == std::string_view::npos ? entry.variant : std::string(value.substr(plus + 1));
  package.framework = entry.framework;
  const bool readable = entry.framework.empty()
                            ? base::PythonVersion::Parse(text).has_value()
                            : Version::Parse(text.substr(0, text.find(".post"))).has_value();
  if (!readable)
    return Fail(ErrorCode::kBadFormat, "'" + base::Printable(value) + "' is not a version of " + key);
  if (entry.framework == "onnxruntime") {
    package.key = "onnxruntime-gpu";
  } else if (!entry.framework.empty() && !knowledge::IsBuildOf(entry.framework, key)) {
    package.key = entry.framework;
  }
  question.packages.push_back(std::move(package));
  return {};
}

// "1939" is an _MSC_VER, "19.39" the compiler's version, "14.39" that of its toolset.
base::Result<void> ReadMsvc(const std::string& value, CompatQuestion& question) {
  const auto version = Version::Parse(value);
  const bool number = version && version->parts.size() == 1 && version->part(0) >= kOldestMscVer;
  const bool dotted = version && version->parts.size() > 1 &&
                      (version->part(0) == kMsvcMajor || version->part(0) == kToolsetMajor);
  if (!number && !dotted) {
    return Fail(ErrorCode::kBadFormat,
                "'" + base::Printable(value) + "' is neither an _MSC_VER (1939) nor an MSVC version (19.39)");
  }
  question.msvc = question.msvc_last = number ? version->part(0) : kMsvcMajor * 100 + version->part(1);
  question.msvc_name = "MSVC " + std::to_string(*question.msvc);
  return {};
}

// vs=2022: whichever compiler came with it.
base::Result<void> ReadVisualStudio(const std::string& value, CompatQuestion& question) {
  for (const knowledge::MscVer& row : knowledge::MscVers()) {
    if (row.visual_studio.substr(0, row.visual_studio.find(' ')) != value) continue;
    if (!question.msvc) question.msvc = row.first;
    question.msvc_last = row.last;
  }
  if (!question.msvc) {
    return Fail(ErrorCode::kBadFormat,
                "'" + base::Printable(value) +
                    "' is not a Visual Studio year (vs=2022); use msvc=19.39 for the compiler version");
  }
  question.msvc_name = "Visual Studio " + value;
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
      {"cuda", &CompatQuestion::cuda},
      {"cudnn", &CompatQuestion::cudnn},
      {"driver", &CompatQuestion::driver},
      {"gcc", &CompatQuestion::gcc},
      {"clang", &CompatQuestion::clang},
      {"python", &CompatQuestion::python},
      {"cuda-compat", &CompatQuestion::cuda_compat}};
  if (const auto at = versions.find(key); at != versions.end()) {
    const auto version = Version::Parse(value);
    if (!version) return Fail(ErrorCode::kBadFormat, "'" + value + "' is not a version of " + key);
    question.*(at->second) = *version;
    return {};
  }
  if (key == "gpu") {
    ReadGpu(value, question);
    return {};
  }
  if (key == "msvc") return ReadMsvc(value, question);
  if (key == "vs") return ReadVisualStudio(value, question);
  if (key == "platform") return ReadPlatform(value, question);
  const knowledge::TableEntry entry = knowledge::FindEntry(key);
  if (!entry.package.empty()) return ReadPackage(key, entry, value, question);
  return Fail(ErrorCode::kBadFormat,
              "unknown key '" + base::Printable(key) + "'; use one of " + std::string(kKeys));
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
    const std::string key = Normal(word.substr(0, equals));
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
