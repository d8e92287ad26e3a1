#include "plan/project/asking.h"

#include <algorithm>
#include <array>

#include "base/python/package_name.h"
#include "base/python/pep440.h"
#include "base/text.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"
#include "plan/commands/in_order.h"
#include "plan/universe/builds.h"

namespace culprit::plan {
namespace {

using report::PassedThrough;
using report::RequirementKind;

constexpr std::string_view kTorchIndexes = "download.pytorch.org/whl/";

// Names that are wanted on the command line, and that mean something else in a file: there "onnxruntime" is
// the build for the CPU, and no package of the index is called cudnn.
constexpr std::array<std::string_view, 9> kOtherInFiles = {
    "onnxruntime", "paddlepaddle", "mxnet", "cupy", "cuda", "cudnn", "cudatoolkit", "tf", "ort"};

constexpr std::string_view kToolkitOfIndex = "pypi:cuda-toolkit";

bool FollowsTorch(std::string_view name) { return name == "torchvision" || name == "torchaudio"; }

// "==2.4.1+cu118" -> "cu118"
std::string LocalOf(const std::string& specifiers) {
  const size_t plus = specifiers.find('+');
  return plus == std::string::npos ? "" : specifiers.substr(plus + 1, specifiers.find(',', plus) - plus - 1);
}

// "https://host/torch-2.1.0%2Bcu121-cp310-cp310-linux_x86_64.whl" -> "2.1.0+cu121"
std::string VersionOfWheel(std::string_view address) {
  std::string file(address.substr(address.rfind('/') + 1));
  file = file.substr(0, file.find_first_of(" #?"));
  if (!file.ends_with(".whl")) return "";
  if (const size_t plus = file.find("%2B"); plus != std::string::npos) file.replace(plus, 3, "+");
  const std::vector<std::string> parts = base::Split(file, '-');
  return parts.size() >= 5 ? parts[1] : "";
}

// The bounds of a Python as bounds of its minor versions, which are all that a plan chooses among:
// "==3.7.13" -> "==3.7", "<3.11.5" -> "<=3.11".
std::string MinorBounds(const std::string& specifiers) {
  std::string bounds;
  for (std::string part : base::Split(specifiers, ',')) {
    std::erase(part, ' ');
    const size_t number = part.find_first_of("0123456789");
    const size_t dot = number == std::string::npos ? number : part.find('.', number);
    const size_t patch = dot == std::string::npos ? dot : part.find('.', dot + 1);
    const std::string rest = patch == std::string::npos ? ".*" : part.substr(patch);
    if (rest != ".*") {
      if (part.starts_with("!=")) continue;  // another patch release of that minor serves
      part.resize(patch);
      if (part.starts_with("~=")) part.replace(0, 2, "==");
      if (part.starts_with('<') && !part.starts_with("<=") && rest != ".0") part.insert(1, "=");
    }
    bounds += (bounds.empty() ? "" : ",") + part;
  }
  return bounds;
}

// "==2.4.1+cu118" -> "==2.4.1": whether there is such a build is another question.
std::string WithoutLocal(std::string specifiers) {
  const bool one = specifiers.find(',') == std::string::npos;
  return one ? specifiers.substr(0, specifiers.find('+')) : specifiers;
}

// Whether the tables have a release of a package that meets the specifiers.
bool HasRelease(const std::string& known, const std::string& specifiers, Machine machine) {
  if (known == kToolkitOfIndex) return HasRelease("cuda-toolkit", specifiers, machine);
  const std::string bare = WithoutLocal(specifiers);
  const auto meets = [&](std::string_view version) { return base::Meets(version, bare) == true; };
  // A framework may have the name of a package without GPU code: onnxruntime.
  const std::string_view framework = PlannedFramework(known);
  if (!framework.empty())
    return std::ranges::any_of(knowledge::BuildsOf(framework, machine), meets, &knowledge::Build::version);
  if (knowledge::IsProject(known)) return knowledge::HasProjectRelease(known, specifiers);
  const auto listed = knowledge::DistributionsOf(known);
  return listed.empty() || std::ranges::any_of(listed, meets, &knowledge::Distribution::version);
}

// Whether any build of a framework that meets the specifiers uses a GPU on the machine. Of other packages
// the solver finds out.
bool UsesGpuHere(const std::string& known, const std::string& specifiers, Machine machine) {
  const std::string_view framework = PlannedFramework(known);
  if (framework.empty()) return true;
  const std::string bare = WithoutLocal(specifiers);
  return std::ranges::any_of(knowledge::BuildsOf(framework, machine), [&](const knowledge::Build& build) {
    return base::Meets(build.version, bare) != false &&
           knowledge::BuildOnMachine(build).verdict != knowledge::Verdict::kNo;
  });
}

// Whether a plan depends on which release of a package is taken: it may use the GPU.
bool IsForGpu(const std::string& known) {
  if (!PlannedFramework(known).empty()) return true;
  const knowledge::Project* project = knowledge::FindProject(known);
  return project == nullptr ? knowledge::WheelsOf(known).empty() : project->gpu != knowledge::GpuUse::kNone;
}

PassedThrough Passed(const Dependency& one) {
  return {one.name, one.specifiers, one.text, one.kind, one.editable, one.origin};
}

// A release of a package of the tables that they do not have.
void PassRelease(const Dependency& one, const std::string& known, Question& question) {
  PassedThrough passed = Passed(one);
  if (IsForGpu(known)) {
    passed.unlisted_of = known;
  } else {
    question.notes.push_back(one.name + PlaceWords(one.origin) + ": the tables have no such release");
  }
  question.provided.insert(known);
  question.passed_through.push_back(std::move(passed));
}

class Asking {
 public:
  Asking(const Project& project, Question& question) : project_(project), question_(question) {}

  void Run() {
    for (const Dependency& dependency : project_.dependencies) AskFor(dependency);
    // The packages that belong to one release of a framework first: it follows from them. The other way
    // round, the newest framework would meet old releases of them that claim to accept any.
    SortInOrder(wants_, [](const Want& a, const Want& b) {
      const bool one = !PlannedFramework(a.name).empty();
      return !one && !PlannedFramework(b.name).empty();
    });
    question_.wants.insert(question_.wants.end(), wants_.begin(), wants_.end());
    for (const Dependency& one : project_.constraints) Constrain(one);
    Override();
    for (const ProjectIndex& index : project_.indexes) UseIndex(index);
    for (const ProjectBound& python : project_.pythons) {
      question_.limits.push_back({"python", MinorBounds(python.specifiers), "",
                                  base::Printable(python.text) + PlaceWords(python.origin)});
    }
    UseCuda();
    for (const std::string& flag : project_.flags) {
      const size_t space = flag.find(' ');
      AddOption({flag.substr(0, space), space == std::string::npos ? "" : flag.substr(space + 1)});
    }
    for (const std::string& file : project_.constraint_files) AddOption({"-c", file, true});
    question_.channels = project_.channels;
    question_.notes.insert(question_.notes.end(), project_.notes.begin(), project_.notes.end());
  }

 private:
  void Note(const Dependency& about, const std::string& text) {
    question_.notes.push_back(about.name + PlaceWords(about.origin) + ": " + text);
  }

  void Pass(const Dependency& one) { question_.passed_through.push_back(Passed(one)); }

  void AskFor(const Dependency& one) {
    // In a file it is the package of the index; the toolkit of the system has no name there.
    const std::string known = one.name.empty()             ? ""
                              : one.name == "cuda-toolkit" ? std::string(kToolkitOfIndex)
                                                           : TableName(one.name);
    if (one.kind == RequirementKind::kConda) return Pass(one);
    if (one.kind != RequirementKind::kNamed) {
      // A label names a build; of frameworks the tables know which there are.
      const std::string version = known.empty() ? "" : VersionOfWheel(one.text);
      const bool other_build =
          version.find('+') != std::string::npos && PlannedFramework(known).empty() && !FollowsTorch(known);
      if (!version.empty() && !other_build && HasRelease(known, "==" + version, question_.host.machine))
        return AddWant(one, known, "==" + version);
      if (!known.empty()) {
        question_.provided.insert(known);
        Note(one, "comes from a URL; its requirements are unknown");
      }
      return Pass(one);
    }
    if (known.empty()) {
      const knowledge::Project* project = knowledge::FindProject(one.name);
      if (project != nullptr && !project->elsewhere.empty())
        Note(one, "its builds are at " + std::string(project->elsewhere));
      return Pass(one);
    }
    const bool source_of_cupy = one.name == "cupy" && !one.locked;
    if (source_of_cupy) {
      Note(one, "on the package index it is source code and needs a CUDA toolkit; the plan takes its wheel");
    } else if (std::ranges::find(kOtherInFiles, one.name) != kOtherInFiles.end()) {
      if (one.name == "onnxruntime" || one.name == "paddlepaddle")
        Note(one, "a CPU-only package; " + one.name + "-gpu uses the GPU");
      if (one.name == "mxnet") Note(one, "a CPU-only package; mxnet-cu112 and the like use the GPU");
      return Pass(one);
    }
    std::string specifiers;
    for (const std::string& part : base::Split(one.specifiers, ',')) {
      if (IsReadable(part)) {
        specifiers += (specifiers.empty() ? "" : ",") + part;
      } else if (part.starts_with("==")) {
        Note(one, "a pre-release; the tables contain only final releases");
        return PassRelease(one, known, question_);
      } else {
        Note(one, "'" + base::Printable(part) + "' is not taken into account");
      }
    }
    if (LocalOf(specifiers) == "cpu") {
      Note(one, "a CPU build: it does not use the GPU");
      return Pass(one);
    }
    if (!specifiers.empty() && !HasRelease(known, specifiers, question_.host.machine))
      return PassRelease(one, known, question_);
    if (const std::string why = one.locked ? WhyOnCpu(known, specifiers) : ""; !why.empty()) {
      question_.provided.insert(known);
      Note(one, why + ": it runs on the CPU");
      return Pass(one);
    }
    AddWant(one, known, specifiers);
  }

  // A lock says all that is installed. "" = the GPU is used.
  std::string WhyOnCpu(const std::string& known, const std::string& specifiers) const {
    const Machine machine = question_.host.machine;
    if (!UsesGpuHere(known, specifiers, machine))
      return "no GPU support on " + knowledge::MachineWords(machine);
    const bool plugin = std::ranges::any_of(
        project_.dependencies, [](const Dependency& other) { return other.name.starts_with("jax-cuda"); });
    return known == "jax" && !plugin ? "the lock file has no CUDA plugin for jax" : "";
  }

  void AddWant(const Dependency& one, const std::string& known, std::string specifiers) {
    // Its marker holds here: nobody has to read it again.
    const size_t end = one.kind == RequirementKind::kNamed ? one.text.find(';') : std::string::npos;
    const std::string words = std::string(base::Trim(one.text.substr(0, end))) + PlaceWords(one.origin);
    const std::string local = LocalOf(specifiers);
    // The builds of these are those of their torch.
    if (FollowsTorch(known) && !local.empty()) {
      question_.limits.push_back({"torch", "", local, words});
      specifiers.erase(specifiers.find('+'), local.size() + 1);
    }
    std::string extra = one.extras;
    if (one.name.starts_with("cupy-cuda")) extra = one.name.substr(sizeof("cupy-") - 1);
    const std::string asked = one.name == "cupy" ? "" : one.name;
    wants_.push_back({known, std::move(specifiers), std::move(extra), words, asked, VariantOfName(one.name)});
  }

  void Constrain(const Dependency& one) {
    const std::string known = one.name.empty() ? "" : TableName(one.name);
    if (one.specifiers.empty() || !IsReadable(one.specifiers)) return;
    std::vector<Limit>& limits = known.empty() ? question_.other_limits : question_.limits;
    limits.push_back({known, one.specifiers, "", one.text + PlaceWords(one.origin), one.name});
  }

  // What packages require of these does not count; what their lines say does.
  void Override() {
    std::string names;
    for (const Dependency& one : project_.overrides) {
      const std::string known = one.name.empty() ? "" : TableName(one.name);
      question_.overridden.insert({known, one.name});
      Constrain(one);
      names += (names.empty() ? "" : ", ") + one.name;
    }
    if (names.empty()) return;
    Note(project_.overrides.front(),
         "overrides what packages require of " + names + "; uv accepts that, pip may refuse the result");
  }

  void AddOption(PipOption option) {
    const bool there = std::ranges::any_of(question_.pip_options, [&](const PipOption& other) {
      return other.name == option.name && other.value == option.value;
    });
    if (!there) question_.pip_options.push_back(std::move(option));
  }

  void UseIndex(const ProjectIndex& index) {
    const std::string words = base::Printable(index.address) + PlaceWords(index.origin);
    if (const size_t at = index.address.find(kTorchIndexes); at != std::string::npos) {
      const std::string rest = index.address.substr(at + kTorchIndexes.size());
      const std::string variant = base::Printable(rest.substr(0, rest.find('/')));
      const bool for_torch =
          index.packages.empty() || std::ranges::find(index.packages, "torch") != index.packages.end();
      if (variant.starts_with("cu") && for_torch) {
        question_.limits.push_back(
            {"torch", "", variant, "the index of " + variant + PlaceWords(index.origin)});
        // What the tables do not have of it stays with this index.
        const bool passes = std::ranges::any_of(question_.passed_through, [](const PassedThrough& passed) {
          return passed.name == "torch" || passed.name == "torchtext" || FollowsTorch(passed.name);
        });
        if (passes) AddOption({"--extra-index-url", index.address});
      } else if (variant == "cpu" && for_torch) {
        question_.notes.push_back(words + ": this index has CPU builds; the plan is for the GPU");
      } else if (variant == "nightly") {
        question_.notes.push_back(words + ": nightly builds are not in the tables");
      }
      return;  // the plan names the index of the build that it takes
    }
    const bool only = index.kind == IndexKind::kIndex && index.packages.empty();
    AddOption({index.kind == IndexKind::kFindLinks ? "--find-links"
               : only                              ? "--index-url"
                                                   : "--extra-index-url",
               index.address});
  }

  void UseCuda() {
    if (!project_.cuda || question_.cuda) return;
    std::string text = project_.cuda->specifiers;
    const std::string words = project_.cuda->text + PlaceWords(project_.cuda->origin);
    if (!text.starts_with("==")) {
      question_.notes.push_back(words + ": not taken into account");
      return;
    }
    text.erase(0, 2);
    while (text.ends_with('*') || text.ends_with('.')) text.pop_back();
    question_.cuda = base::Version::Parse(text);
    if (question_.cuda) {
      question_.cuda->parts.resize(std::min<size_t>(question_.cuda->parts.size(), 2));
      question_.cuda_words = words;
    }
  }

  const Project& project_;
  Question& question_;
  std::vector<Want> wants_;
};

}  // namespace

base::Version AssumedPython(const Host& host) {
  if (host.python) return knowledge::MinorOf(*host.python);
  if (host.python_here) return knowledge::MinorOf(*host.python_here);
  return base::Version{{3, 12}};
}

base::MarkerFacts FactsOf(const Host& host, const base::Version& python) {
  return {.python = python.ToString(),
          .cpu = host.machine == Machine::kLinuxArm ? "aarch64" : "x86_64",
          .windows = host.machine == Machine::kWindows};
}

void Ask(const Project& project, Question& question) { Asking(project, question).Run(); }

base::Result<void> AskWord(const std::string& word, Question& question) {
  auto want = ParseWant(word);
  if (want) {
    if (std::ranges::find(kOtherInFiles, want->asked) != kOtherInFiles.end()) want->asked.clear();
    question.wants.push_back(*std::move(want));
    return {};
  }
  if (want.error().code != base::ErrorCode::kNotFound) return std::unexpected(want.error());
  auto dependency = ParseDependency(word);
  if (!dependency) return std::unexpected(dependency.error());
  const std::string meant = MeantBy(dependency->name);
  if (!meant.empty())
    question.notes.push_back(dependency->name + ": not in the tables; did you mean " + meant + "?");
  question.passed_through.push_back({.name = dependency->name,
                                     .specifier = dependency->specifiers,
                                     .text = dependency->text,
                                     .kind = dependency->kind});
  return {};
}

void PassUnlisted(Question& question) {
  std::erase_if(question.wants, [&](const Want& want) {
    const bool of_system = want.asked.empty() || want.name == "cuda" || want.name == "cudnn";
    if (of_system || want.specifiers.empty() || HasRelease(want.name, want.specifiers, question.host.machine))
      return false;
    const auto dependency = ParseDependency(want.text);
    if (!dependency) return false;
    PassRelease(*dependency, want.name, question);
    return true;
  });
}

}  // namespace culprit::plan
