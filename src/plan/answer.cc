#include "plan/answer.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"
#include "plan/universe/bounds.h"
#include "plan/universe/builds.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;

constexpr std::array kRoles = {PackageRole::kDriver, PackageRole::kToolkit,   PackageRole::kCudnn,
                               PackageRole::kPython, PackageRole::kFramework, PackageRole::kCompanion,
                               PackageRole::kLibrary};

// Companions of torch come from the same index as their torch.
void FollowTorch(const Universe& universe, const Choice& choice, PlannedPackage& planned) {
  if (planned.name != "torchvision" && planned.name != "torchaudio") return;
  for (size_t p = 0; p < choice.size(); ++p) {
    if (universe.packages[p].name != "torch" || choice[p] == kNone) continue;
    const Candidate& torch = universe.at(p, choice[p]);
    planned.channel = torch.channel;
    if (torch.channel.kind == report::ChannelKind::kTorchIndex) planned.version += "+" + torch.variant;
  }
}

PlannedPackage Planned(const Universe& universe, const Choice& choice, size_t package) {
  const Package& whole = universe.packages[package];
  const Candidate& chosen = universe.at(package, choice[package]);
  PlannedPackage planned;
  planned.name = chosen.distribution.empty() ? whole.name : chosen.distribution;
  planned.version = chosen.version;
  planned.channel = chosen.channel;
  planned.role = whole.role;
  planned.extra = chosen.extra;
  planned.from_source = chosen.from_source;
  planned.wanted = std::ranges::find(universe.wants, package) != universe.wants.end();
  FollowTorch(universe, choice, planned);
  return planned;
}

// The extras that the user asked for, beside those of the build.
void AddExtras(const Question& question, const Universe& universe, size_t package, PlannedPackage& planned) {
  for (size_t i = 0; i < question.wants.size() && i < universe.wants.size(); ++i) {
    if (universe.wants[i] != package || universe.packages[package].name == "cupy") continue;
    for (const std::string& extra : base::SplitWords(question.wants[i].extra, ", ")) {
      const std::vector<std::string> have = base::Split(planned.extra, ',');
      const bool there = std::ranges::any_of(have, [&](const std::string& one) { return one == extra; });
      if (!there && !extra.starts_with("cuda")) planned.extra += (planned.extra.empty() ? "" : ",") + extra;
    }
  }
}

const Installed* InstalledAs(const Question& question, const std::string& name) {
  const auto same = [&](const Installed& installed) {
    std::string other = installed.package;
    std::ranges::replace(other, '_', '-');
    return other == name;
  };
  const auto at = std::ranges::find_if(question.installed, same);
  return at == question.installed.end() ? nullptr : &*at;
}

void SetPresence(const Question& question, const Universe& universe, const Choice& choice, size_t package,
                 PlannedPackage& planned) {
  const Host& host = question.host;
  if (planned.role == PackageRole::kDriver) {
    planned.present = host.driver && universe.at(package, choice[package]).number == *host.driver;
    if (host.driver && !planned.present) planned.was = universe.at(package, 0).version;
    return;
  }
  if (planned.role == PackageRole::kPython) {
    const auto here = host.python_here ? host.python_here : host.python;
    if (host.python_here) {
      const base::Version& number = universe.at(package, choice[package]).number;
      planned.present = here->part(0) == number.part(0) && here->part(1) == number.part(1);
      if (!planned.present) planned.was = host.python_here->ToString();
    }
    return;
  }
  // Of the system, not the package of pip that has the same name.
  if (planned.role == PackageRole::kToolkit || planned.channel.OfNvidia()) {
    planned.present =
        planned.role == PackageRole::kToolkit && IsHere(host, universe.at(package, choice[package]).number);
    return;
  }
  bool torch_stays = true;
  for (size_t i = 0; i < universe.installed.size(); ++i) {
    const size_t other = universe.installed[i];
    if (universe.packages[other].name == "torch") torch_stays = universe.here[i] == choice[other];
    if (other == package) planned.present = universe.here[i] == choice[package];
  }
  const Installed* installed = InstalledAs(question, planned.name);
  // The same release, for another build of torch.
  const bool follows = planned.name == "torchvision" || planned.name == "torchaudio";
  if (follows && !torch_stays && installed != nullptr && installed->version != planned.version)
    planned.present = false;
  if (installed != nullptr && planned.role == PackageRole::kCompanion &&
      installed->version == planned.version && !follows)
    planned.present = true;
  if (installed != nullptr && !planned.present) planned.was = installed->version;
}

// Wheels for two CUDA majors that put files of one name into one directory.
std::string SharedFolder(const std::string& name) {
  for (const std::string_view stem : {"nvidia-cudnn-cu", "nvidia-nccl-cu"}) {
    if (name.starts_with(stem)) return std::string(stem);
  }
  return "";
}

void AddRemoved(const Question& question, const Universe& universe, const Choice& choice,
                report::Plan& plan) {
  for (size_t i = 0; i < universe.installed.size(); ++i) {
    const size_t package = universe.installed[i];
    const Package& whole = universe.packages[package];
    if (choice[package] != kNone) continue;
    PlannedPackage gone{.name = whole.name, .channel = report::ChannelKind::kPypi, .role = whole.role};
    if (universe.here[i] != kNone) gone.name = universe.at(package, universe.here[i]).distribution;
    if (whole.role == PackageRole::kLibrary) {
      const std::string folder = SharedFolder(whole.name);
      const auto rival = std::ranges::find_if(plan.packages, [&](const PlannedPackage& planned) {
        return !folder.empty() && SharedFolder(planned.name) == folder;
      });
      if (rival == plan.packages.end()) continue;
      gone.because.push_back({"its files overwrite those of " + rival->name, ""});
    } else {
      gone.because.push_back({"no version of it works with the requested packages", ""});
    }
    if (const Installed* installed = InstalledAs(question, gone.name)) gone.version = installed->version;
    plan.removed.push_back(std::move(gone));
  }
}

// A build of torch from PyTorch's own index pins CUDA packages in versions that no table has; other packages
// that need one of them accept that version.
std::string TorchThatBrings(const Question& question, const Universe& universe, const Choice& choice,
                            size_t package) {
  const std::string& name = universe.packages[package].name;
  const auto asked = std::ranges::find(universe.wants, package);
  if (universe.packages[package].role != PackageRole::kLibrary || asked != universe.wants.end()) return "";
  for (size_t p = 0; p < universe.packages.size(); ++p) {
    if (universe.packages[p].name != "torch" || choice[p] == kNone) continue;
    const Candidate& torch = universe.at(p, choice[p]);
    if (torch.channel.kind == report::ChannelKind::kPypi || torch.row == nullptr) return "";
    const bool wheels =
        LibrariesOf(*torch.row, question.host.machine) == knowledge::LibrariesFrom::kNvidiaPip;
    if (!wheels && name != "triton") return "";
    const uint32_t major = knowledge::Known(torch.row->cuda).part(0);
    const std::string suffix = "-cu" + std::to_string(major);
    if (name == "triton") return InstalledAs(question, name) == nullptr ? "torch " + torch.version : "";
    const bool cuda = name.starts_with("nvidia-") && !name.starts_with("nvidia-cudnn");
    const bool numbered = name.find("-cu1") != std::string::npos;
    if (cuda && (numbered ? name.ends_with(suffix) : major >= 13)) return "torch " + torch.version;
  }
  return "";
}

// Whether a jax that is chosen comes with a jaxlib of its own, from a page of links.
bool JaxBringsJaxlib(const Universe& universe, const Choice& choice, size_t package) {
  if (universe.packages[package].name != "jaxlib") return false;
  for (size_t p = 0; p < universe.packages.size(); ++p) {
    if (universe.packages[p].name == "jax" && choice[p] != kNone)
      return universe.at(p, choice[p]).channel.kind == report::ChannelKind::kPage;
  }
  return false;
}

// What the lines of the question say of a package, joined.
std::string AskedOf(const Question& question, const std::string& name) {
  std::string specifiers;
  for (const Want& want : question.wants) {
    if (want.name == name && !want.specifiers.empty())
      specifiers += (specifiers.empty() ? "" : ",") + want.specifiers;
  }
  return specifiers;
}

// A release from before the tables: pip finds it.
void PassBefore(const Question& question, const Universe& universe, size_t package, report::Plan& plan) {
  const Package& whole = universe.packages[package];
  const std::string& before = whole.candidates.back().before;
  std::string specifiers = AskedOf(question, whole.name);
  specifiers += (specifiers.empty() ? "<" : ",<") + before;
  const std::string text = whole.name + specifiers;
  plan.passed_through.push_back({.name = whole.name, .specifier = specifiers, .text = text});
  plan.notes.push_back("no release of " + whole.name + " in the tables (" + before + " to " +
                       whole.candidates.front().version + ") fits; an older one may: " + text);
}

// Beside requirements that the tables do not know, pip may have to take an older release of a package whose
// version no GPU depends on: ">=1.25,<=2.4.6". "" = exactly the one that was chosen.
std::string RangeForPip(const Question& question, const Universe& universe, size_t package,
                        const PlannedPackage& planned) {
  const std::string& name = universe.packages[package].name;
  const knowledge::Project* project = knowledge::FindProject(name);
  const bool no_gpu = project == nullptr || project->gpu == knowledge::GpuUse::kNone;
  if (question.passed_through.empty() || !planned.wanted || planned.present || planned.from_source ||
      !no_gpu || (knowledge::WheelsOf(name).empty() && name != "tensorflow-cpu"))
    return "";
  std::string range;
  for (const std::string& part : base::Split(AskedOf(question, name), ',')) {
    if (part.starts_with("==") && !part.ends_with(".*")) return "";
    if (!part.empty() && !part.starts_with('<')) range += part + ",";
  }
  return range + "<=" + planned.version;
}

// Where another package of the index than the one that was asked for has the build.
void NoteOtherNames(const Question& question, const Universe& universe, const Choice& choice,
                    std::vector<std::string>& notes) {
  for (size_t i = 0; i < question.wants.size(); ++i) {
    const std::string& asked = question.wants[i].asked;
    const size_t package = universe.wants[i];
    if (asked.empty() || choice[package] == kNone) continue;
    const Candidate& chosen = universe.at(package, choice[package]);
    if (chosen.row == nullptr || chosen.distribution == asked) continue;
    const std::string number = chosen.number.ToString();
    if (asked == universe.packages[package].name) {
      notes.push_back(asked + " " + number + " is for the CPU only; " + chosen.distribution +
                      " is the build for the GPU");
      continue;
    }
    const auto listed = knowledge::DistributionsOf(asked);
    if (!listed.empty() &&
        std::ranges::find(listed, number, &knowledge::Distribution::version) == listed.end())
      notes.push_back("the package index has no wheel of " + asked + " " + number + "; " +
                      chosen.distribution + " " + number + " takes its place");
  }
}

}  // namespace

std::vector<PlannedPackage> WantedOf(const Universe& universe, const std::vector<size_t>& wants,
                                     const Choice& choice) {
  std::vector<PlannedPackage> wanted;
  for (const size_t package : wants) {
    if (choice[package] != kNone && universe.at(package, choice[package]).before.empty())
      wanted.push_back(Planned(universe, choice, package));
  }
  return wanted;
}

void WriteAnswer(const Question& question, const Universe& universe, const Choice& choice,
                 report::Plan& plan) {
  const Narrowed narrowed = Narrow(universe, universe.roots);
  std::map<std::string, std::string> brought;  // by the torch that brings them
  for (const PackageRole role : kRoles) {
    std::vector<size_t> packages;
    for (const size_t want : universe.wants) {
      if (universe.packages[want].role == role && std::ranges::find(packages, want) == packages.end())
        packages.push_back(want);
    }
    for (size_t p = 0; p < universe.packages.size(); ++p) {
      if (universe.packages[p].role == role && std::ranges::find(packages, p) == packages.end())
        packages.push_back(p);
    }
    for (const size_t p : packages) {
      if (choice[p] == kNone) continue;
      if (const std::string torch = TorchThatBrings(question, universe, choice, p); !torch.empty()) {
        if (universe.packages[p].name == "triton") continue;  // every torch brings it
        std::string& names = brought[torch];
        names += (names.empty() ? "" : ", ") + universe.packages[p].name;
        continue;
      }
      if (JaxBringsJaxlib(universe, choice, p)) continue;
      if (!universe.at(p, choice[p]).before.empty()) {
        PassBefore(question, universe, p, plan);
        continue;
      }
      PlannedPackage planned = Planned(universe, choice, p);
      AddExtras(question, universe, p, planned);
      SetPresence(question, universe, choice, p, planned);
      planned.range = RangeForPip(question, universe, p, planned);
      planned.because = BoundsOf(question, universe, narrowed, choice, p);
      plan.packages.push_back(std::move(planned));
    }
  }
  for (const size_t want : universe.wants) {
    if (choice[want] != kNone && universe.at(want, choice[want]).code_unknown)
      plan.code_unknown.push_back(universe.packages[want].name);
  }
  AddRemoved(question, universe, choice, plan);
  NoteOtherNames(question, universe, choice, plan.notes);
  AddNotes(question, universe, narrowed, choice, plan.notes);
  for (const auto& [torch, names] : brought)
    plan.notes.push_back(names + ": in the versions that " + torch + " requires");
}

}  // namespace culprit::plan
