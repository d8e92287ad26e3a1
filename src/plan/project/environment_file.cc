// environment.yml of conda. Packages in the tables under their pip name become pip requirements; CUDA
// packages become a bound; all others stay conda packages, unchanged.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/python/package_name.h"
#include "base/text.h"
#include "plan/project/reading.h"
#include "plan/question.h"

namespace culprit::plan {
namespace {

struct CondaName {
  std::string_view conda, pip;
};
// Names in conda-forge and the channel pytorch that differ from the package index.
constexpr std::array<CondaName, 3> kPipNames = {
    {{"pytorch", "torch"}, {"pytorch-gpu", "torch"}, {"tensorflow-gpu", "tensorflow"}}};
// Packages that say which CUDA a conda environment is for.
constexpr std::array<std::string_view, 6> kCudaNames = {"pytorch-cuda", "cudatoolkit",  "cuda-version",
                                                        "cuda-toolkit", "cuda-runtime", "cuda"};

constexpr size_t kLongestSpec = 512;

// conda's own helpers begin with "_": _libgcc_mutex, _openmp_mutex.
bool BeginsAsName(std::string_view text) {
  const size_t channel = text.find("::");
  const std::string_view name = channel == std::string_view::npos ? text : text.substr(channel + 2);
  return !name.empty() &&
         (std::isalnum(static_cast<unsigned char>(name.front())) != 0 || name.front() == '_');
}

struct MatchSpec {
  std::string name, version;  // "=2.1", ">=2,<3"
};

// "pytorch::pytorch=2.1.0=py3.10_cuda12.1*", "numpy >=1.20,<2", "python 3.10.*"
MatchSpec TakeApartSpec(std::string_view text) {
  if (const size_t channel = text.find("::"); channel != std::string_view::npos)
    text = text.substr(channel + 2);
  size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '-' ||
                               text[end] == '_' || text[end] == '.'))
    ++end;
  MatchSpec spec{.name = base::NormalName(text.substr(0, end)), .version = ""};
  std::string_view rest = base::Trim(text.substr(end));
  // "2.1 py310_0" and "=2.1=py310_0": the build is conda's own.
  const size_t begin = std::min(rest.find_first_not_of("=<>!~ "), rest.size());
  const size_t build = rest.find_first_of(" =", begin);
  const bool list = build != std::string_view::npos && rest.substr(0, build).ends_with(',');
  if (build != std::string_view::npos && !list && rest.find(',') == std::string_view::npos)
    rest = rest.substr(0, build);
  spec.version = rest;
  std::erase(spec.version, ' ');
  return spec;
}

// conda's "=2.1" and "2.1" mean 2.1.*; "==2.1" is exact.
std::string PipSpecifiers(const std::string& version) {
  if (version.empty() || version == "*") return "";
  const bool single = version.starts_with('=') && !version.starts_with("==");
  const bool bare = std::isdigit(static_cast<unsigned char>(version.front())) != 0;
  if (!single && !bare) return version;
  std::string plain = version.substr(single ? 1 : 0);
  while (plain.ends_with('*') || plain.ends_with('.')) plain.pop_back();
  return "==" + plain + ".*";
}

class CondaEnvironment {
 public:
  CondaEnvironment(Reading& reading, const std::string& file) : reading_(reading), file_(file) {}

  base::Result<void> Run(const Node& root) {
    const Node* dependencies = root.Find("dependencies");
    if (dependencies == nullptr || !dependencies->IsList())
      return base::Fail(base::ErrorCode::kBadFormat,
                        base::Printable(file_) + ": it has no list of dependencies");
    reading_.project().conda = true;
    if (const Node* channels = root.Find("channels"); channels != nullptr) {
      for (const Node& channel : channels->items) reading_.project().channels.push_back(channel.text);
    }
    for (const Node& item : dependencies->items) {
      if (item.IsText()) {
        if (auto done = AddPackage(item); !done) return done;
        continue;
      }
      const Node* pip = item.Find("pip");
      if (pip == nullptr) return WrongAt({file_, item.line}, "neither a package nor a pip list");
      for (const Node& line : pip->items) {
        if (!line.IsText()) return WrongAt({file_, line.line}, "a requirement must be a string");
        if (auto done = reading_.ReadLine(line.text, {file_, line.line}, false); !done) return done;
      }
    }
    return {};
  }

 private:
  base::Result<void> AddPackage(const Node& item) {
    const report::Origin origin{file_, item.line};
    if (item.text.empty() || base::Printable(item.text) != item.text)
      return WrongAt(origin, "'" + base::Printable(item.text) + "' is not a package");
    const MatchSpec spec = TakeApartSpec(item.text);
    if (item.text.size() > kLongestSpec || !BeginsAsName(item.text))
      return WrongAt(origin, "'" + item.text.substr(0, 40) + "' is not a package");
    const std::string specifiers = PipSpecifiers(spec.version);
    if (spec.name == "pip" || spec.name == "pytorch-mutex" || spec.name == "cpuonly") return {};
    if (spec.name == "python") {
      if (!specifiers.empty()) reading_.project().pythons.push_back({specifiers, item.text, origin});
      return {};
    }
    if (std::ranges::find(kCudaNames, spec.name) != kCudaNames.end()) {
      if (!specifiers.empty()) reading_.project().cuda = ProjectBound{specifiers, item.text, origin};
      return {};
    }
    if (spec.name == "cudnn") {
      reading_.Note(origin, "cuDNN comes with the packages that need it");
      return {};
    }
    const auto renamed = std::ranges::find(kPipNames, spec.name, &CondaName::conda);
    const std::string name = renamed == kPipNames.end() ? spec.name : std::string(renamed->pip);
    if (!TableName(name).empty() && IsReadable(specifiers))
      return reading_.AddText(name + specifiers, origin);
    Dependency conda{.kind = report::RequirementKind::kConda, .name = spec.name, .text = item.text};
    conda.specifiers = spec.version;
    conda.origin = origin;
    reading_.Add(std::move(conda));
    return {};
  }

  Reading& reading_;
  const std::string& file_;
};

}  // namespace

base::Result<void> ReadCondaEnvironment(Reading& reading, const Node& root, const std::string& file) {
  return CondaEnvironment(reading, file).Run(root);
}

}  // namespace culprit::plan
