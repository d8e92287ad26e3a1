// Python environments: their packages and frameworks. A moved environment counts as the same one in another
// place.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "diff/parts.h"
#include "rules/kit/python/package_of_file.h"

namespace culprit::diff {
namespace {

using snapshot::Framework;
using snapshot::PythonEnvironment;
using snapshot::PythonPackage;

bool SpeaksOfCuda(std::string_view name) {
  static constexpr std::string_view kBeginnings[] = {
      "nvidia",     "cuda",     "cudnn",       "cupy",     "torch",  "pytorch",  "triton",
      "tensorflow", "jax",      "onnxruntime", "tensorrt", "paddle", "libcudnn", "bitsandbytes",
      "ctranslate", "xformers", "flash-attn",  "nccl",     "mxnet",  "keras",    "vllm"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view start) { return name.starts_with(start); });
}

std::string KeyOf(std::string_view package, const PythonEnvironment& environment) {
  return std::string(package) + " in " + environment.prefix;
}

std::string Shown(const PythonPackage* package) { return package == nullptr ? "none" : package->version; }

void AddPackages(Parts& parts, const PythonEnvironment& before, const PythonEnvironment& after) {
  std::vector<std::string> others;  // packages that have nothing to do with CUDA
  std::vector<std::string> other_names;
  Align(
      before.packages, after.packages, [](const PythonPackage& package) { return package.name; },
      [&](const std::string& name, const PythonPackage* was, const PythonPackage* is) {
        if (was != nullptr && is != nullptr && was->version == is->version) return;
        const std::string line = name + " " + Shown(was) + " -> " + Shown(is);
        if (!SpeaksOfCuda(name) && !parts.mentions.contains(name)) {
          others.push_back(line);
          other_names.push_back(KeyOf(name, after));
          return;
        }
        const std::string installer = is != nullptr && !is->installer.empty()     ? is->installer + " "
                                      : was != nullptr && !was->installer.empty() ? was->installer + " "
                                                                                  : "";
        parts.Add({.how = HowOf(was != nullptr, is != nullptr),
                   .kind = report::DifferenceKind::kPackage,
                   .subject = KeyOf(name, after),
                   .summary = installer + line + " in " + after.prefix,
                   .before = Shown(was),
                   .after = Shown(is),
                   .suspicion = is == nullptr ? 60 : 58},
                  {name, KeyOf(name, after), KeyOf(name, before), is == nullptr ? "" : is->record,
                   was == nullptr ? "" : was->record});
      });
  if (others.empty()) return;
  report::Difference difference{
      .kind = report::DifferenceKind::kPackage,
      .subject = "other packages in " + after.prefix,
      .summary = others.size() == 1 ? others.front() + " in " + after.prefix
                                    : std::to_string(others.size()) + " other packages in " + after.prefix,
      .suspicion = 18};
  if (others.size() > 1) difference.leads_to = std::move(others);
  parts.Add(std::move(difference), std::move(other_names));
}

std::string Shown(const Framework* framework) {
  if (framework == nullptr) return "none";
  std::string text = framework->version;
  if (framework->cpu_only) return text + " without CUDA";
  if (!framework->cuda.empty()) text += " for CUDA " + framework->cuda;
  return text;
}

void AddFrameworks(Parts& parts, const PythonEnvironment& before, const PythonEnvironment& after) {
  Align(
      before.frameworks, after.frameworks, [](const Framework& framework) { return framework.name; },
      [&](const std::string& name, const Framework* was, const Framework* is) {
        if (Shown(was) == Shown(is)) return;
        const std::string package = (is == nullptr ? *was : *is).package;
        parts.Add({.how = HowOf(was != nullptr, is != nullptr),
                   .kind = report::DifferenceKind::kFramework,
                   .subject = name + " in " + after.prefix,
                   .summary = name + " in " + after.prefix + ": " + Shown(was) + " -> " + Shown(is),
                   .before = Shown(was),
                   .after = Shown(is),
                   .suspicion = 59},
                  {name, name + " in " + after.prefix, package, (is == nullptr ? *was : *is).directory});
        const size_t effect = parts.list.size() - 1;
        parts.Explain(effect, parts.Find(report::DifferenceKind::kPackage,
                                         {KeyOf(package, after), KeyOf(name, after)}));
      });
}

// Files that differ from their package's records, even if the files themselves were not recorded.
void AddDamage(Parts& parts, const PythonEnvironment& before, const PythonEnvironment& after) {
  for (const PythonPackage& package : after.packages) {
    if (package.damaged.empty()) continue;
    const PythonPackage* was = before.Find(package.name);
    for (const snapshot::DamagedFile& file : package.damaged) {
      if (was != nullptr &&
          std::ranges::find(was->damaged, file.path, &snapshot::DamagedFile::path) != was->damaged.end())
        continue;
      const bool missing = file.problem == snapshot::FileDamage::kMissing;
      parts.Add({.how = missing ? report::Differs::kRemoved : report::Differs::kChanged,
                 .kind = report::DifferenceKind::kFile,
                 .subject = file.path,
                 .summary = file.path + (missing ? " is gone, " : " differs from the installed one, ") +
                            "a file of " + package.name + " " + package.version,
                 .before = OrNone(file.expected),
                 .after = missing ? "none" : OrNone(file.actual),
                 .suspicion = 54},
                {file.path, std::string(base::BaseName(file.path))});
      parts.Explain(parts.list.size() - 1,
                    parts.Find(report::DifferenceKind::kPackage, {KeyOf(package.name, after)}));
    }
  }
}

void AddEnvironment(Parts& parts, const PythonEnvironment* was, const PythonEnvironment* is) {
  if (was == nullptr || is == nullptr) {
    const PythonEnvironment& one = was == nullptr ? *is : *was;
    std::string frameworks;
    for (const Framework& framework : one.frameworks)
      frameworks += (frameworks.empty() ? "" : ", ") + framework.name + " " + framework.version;
    parts.Add({.how = HowOf(was != nullptr, is != nullptr),
               .kind = report::DifferenceKind::kPackage,
               .subject = one.prefix,
               .summary = "Python environment " + one.prefix + (is == nullptr ? " is gone" : " is new") +
                          (frameworks.empty() ? "" : " (" + frameworks + ")"),
               .before = was == nullptr ? "none" : std::string(base::Word(one.why)),
               .after = is == nullptr ? "none" : std::string(base::Word(one.why)),
               .suspicion = frameworks.empty() ? 25 : 46},
              {one.prefix, one.interpreter});
    return;
  }
  if (was->prefix != is->prefix)
    parts.remarks.push_back("the Python environment " + was->prefix + " is compared with " + is->prefix);
  if (was->python != is->python) {
    parts.Add(
        {.kind = report::DifferenceKind::kPackage,
         .subject = "Python in " + is->prefix,
         .summary = "Python in " + is->prefix + ": " + OrNone(was->python) + " -> " + OrNone(is->python),
         .before = OrNone(was->python),
         .after = OrNone(is->python),
         .suspicion = 52},
        {is->interpreter, is->prefix});
  }
  AddPackages(parts, *was, *is);
  AddFrameworks(parts, *was, *is);
  AddDamage(parts, *was, *is);
}

std::string BelowSite(const PythonEnvironment& environment, const std::string& path) {
  for (const std::string& site : environment.site_packages) {
    if (path.starts_with(site + "/")) return path.substr(site.size() + 1);
  }
  return "";
}

std::string OwnerIn(Parts& parts, const PythonEnvironment& environment, const std::string& path) {
  const std::string below = BelowSite(environment, path);
  if (below.empty()) return "";
  if (const PythonPackage* package = rules::PackageOf(environment, path)) return package->name;
  for (const Framework& framework : environment.frameworks) {
    if (path.starts_with(framework.directory + "/"))
      return framework.package.empty() ? framework.name : framework.package;
  }
  std::string top = below.substr(0, below.find('/'));
  if (const size_t end = top.find(".libs"); end != std::string::npos) top.resize(end);
  if (const size_t end = top.find('-'); end != std::string::npos) top.resize(end);  // NAME-VERSION.dist-info
  std::ranges::replace(top, '_', '-');
  return parts.PackagesIn(environment).contains(top) ? top : "";
}

}  // namespace

std::string OwnerOf(Parts& parts, const std::string& path) {
  for (const Side* side : {&parts.after, &parts.before}) {
    const auto& environments = side->scene.stack().environments;
    if (!environments) continue;
    for (const PythonEnvironment& environment : *environments) {
      if (const std::string owner = OwnerIn(parts, environment, path); !owner.empty())
        return KeyOf(owner, environment);
    }
  }
  return "";
}

void AddPython(Parts& parts) {
  const auto [was, is] = BothOf(parts, "the Python environments", parts.before.scene.stack().environments,
                                parts.after.scene.stack().environments);
  if (was == nullptr) return;
  std::vector<const PythonEnvironment*> gone, come;
  Align(
      *was, *is, [](const PythonEnvironment& environment) { return environment.prefix; },
      [&](const std::string&, const PythonEnvironment* a, const PythonEnvironment* b) {
        if (a != nullptr && b != nullptr) {
          AddEnvironment(parts, a, b);
        } else if (a != nullptr) {
          gone.push_back(a);
        } else {
          come.push_back(b);
        }
      });
  // The one that is active here and the one that was active there are the two that the user means.
  const auto active = [](const PythonEnvironment* environment) {
    return environment->why != snapshot::EnvironmentWhy::kFound;
  };
  const auto old_one = std::ranges::find_if(gone, active);
  const auto new_one = std::ranges::find_if(come, active);
  if (old_one != gone.end() && new_one != come.end()) {
    AddEnvironment(parts, *old_one, *new_one);
    gone.erase(old_one);
    come.erase(new_one);
  }
  for (const PythonEnvironment* environment : gone) AddEnvironment(parts, environment, nullptr);
  for (const PythonEnvironment* environment : come) AddEnvironment(parts, nullptr, environment);
}

}  // namespace culprit::diff
