// A library that a log misses: whether this machine has it, and whether what it has can be loaded.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "explain/settle.h"
#include "loader/library_copies.h"

namespace culprit::explain {
namespace {

using base::LoadOutcome;
using logs::Symptom;
using Settlements = std::vector<Settlement>;

std::string_view MissingCause(std::string_view family) {
  if (family == "cudnn") return "cudnn-missing";
  if (family == "cudnn-part") return "cudnn-sublibrary-missing";
  if (family == "other") return "dependent-missing";
  return "cuda-library-missing";
}

// A log often shows libraries that a program tried and did without, so what this machine has of them decides
// only where nothing else failed.
bool NothingElseFailed(std::span<const Symptom> symptoms) {
  return std::ranges::all_of(symptoms, [](const Symptom& symptom) {
    return symptom.role() != knowledge::Role::kFailure || symptom.kind() == "library-not-found";
  });
}

// Of a file that stands where a loader looks: what it would make of it.
LoadOutcome OutcomeHere(const rules::Scene& scene, const std::string& path) {
  const snapshot::FileFacts& file = scene.view.Open(path);
  const LoadOutcome outcome = loader::OutcomeOfFile(file);
  if (file.elf == nullptr || outcome != LoadOutcome::kFound) return outcome;
  // Loaders of another CPU may be there to cross-compile; the first one is of this machine.
  const auto& loaders = scene.snapshot.loaders;
  const bool fits = loaders.empty() || std::ranges::any_of(loaders, [&](const snapshot::LoaderFacts& loader) {
                      return loader.machine == file.elf->machine && loader.bits == file.elf->bits() &&
                             (loader.bits == 32 || loader.machine == loaders.front().machine);
                    });
  if (fits) return outcome;
  return file.elf->bits() == 64 ? LoadOutcome::kWrongMachine : LoadOutcome::kWrongClass;
}

// In a directory that nobody may enter, every name is "not readable".
bool Listed(snapshot::FileView& view, const std::string& directory, const std::string& name) {
  const auto items = view.List(directory);
  return items && std::ranges::find(*items, name, &snapshot::DirectoryItem::name) != items->end();
}

// A file of this name that no loader can use.
bool ByDamage(const std::vector<std::string>& directories, const rules::Scene& scene, const std::string& name,
              bool decides, Settlements& settlements) {
  for (const std::string& directory : directories) {
    const std::string path = base::JoinPath(directory, name);
    const LoadOutcome outcome = OutcomeHere(scene, path);
    const std::string_view cause = CauseOfDamage(outcome);
    if (cause.empty() || (outcome == LoadOutcome::kNotReadable && !Listed(scene.view, directory, name)))
      continue;
    Settlement damaged{std::string(cause), true, fmt::format("{}: {}", path, Name(outcome))};
    damaged.decides = decides;
    settlements.push_back(std::move(damaged));
    return true;
  }
  return false;
}

// The same library of another release: then `check` says that the program was built for another one.
std::string OtherRelease(const std::vector<std::string>& directories, snapshot::FileView& view,
                         const std::string& name) {
  const size_t so = name.find(".so.");
  if (so == std::string::npos) return "";
  for (const loader::LibraryCopy& copy : loader::FindCopies(directories, view, name.substr(0, so + 3))) {
    if (!base::Contains(copy.path, "/stubs/")) return copy.path;
  }
  return "";
}

// Nothing of this name is here.
void ByAbsence(const Symptom& symptom, const std::vector<std::string>& directories, const rules::Scene& scene,
               bool decides, Settlements& settlements) {
  const std::string name(base::BaseName(symptom.attribute("library")));
  const std::string_view family = symptom.attribute("family"), major = symptom.attribute("major");
  const std::string says = fmt::format("no {} in the usual places on this machine", name);
  settlements.push_back({"search-path", false, says});
  // Without the main library of this cuDNN, it is not a part that is missing.
  const std::string main = "libcudnn.so." + std::string(major);
  const bool part = family == "cudnn-part";
  const bool whole = part && !major.empty() && loader::FindCopies(directories, scene.view, main).empty();
  if (part && !whole) return settlements.push_back({std::string(MissingCause(family)), true, says});
  const std::string& wanted = whole ? main : name;
  Settlement absent{std::string(MissingCause(whole ? "cudnn" : family)), true,
                    fmt::format("no {} in the usual places on this machine", wanted)};
  const std::string other = OtherRelease(directories, scene.view, wanted);
  if (!other.empty() && family != "other") {
    absent.cause = family == "cuda" ? "cuda-version-mismatch" : "cudnn-version-mismatch";
    absent.says = fmt::format("{} is required, this machine has {}", wanted, other);
  }
  absent.decides = decides;
  settlements.push_back(std::move(absent));
}

}  // namespace

std::string_view CauseOfDamage(base::LoadOutcome outcome) {
  using enum base::LoadOutcome;
  switch (outcome) {
    case kEmptyFile:
    case kTooShort:
    case kTruncated:
    case kNotElf:
    case kBadHeader:
      return "corrupt-library";
    case kWrongClass:
    case kWrongMachine:
      return "bitness-mismatch";
    case kDanglingLink:
    case kLinkLoop:
      return "broken-symlink";
    case kNotReadable:
      return "permissions";
    default:
      return "";
  }
}

void SettleByCopies(std::span<const Symptom> symptoms, const rules::Scene& scene, Settlements& settlements) {
  const std::vector<std::string> directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  // Of a machine that only --host tells about, no file is known, and none is missing.
  const auto is_known = [&](const std::string& directory) { return scene.view.List(directory).has_value(); };
  if (std::ranges::none_of(directories, is_known)) return;
  const bool decides = NothingElseFailed(symptoms);
  for (const Symptom& symptom : symptoms) {
    const std::string_view family = symptom.attribute("family");
    const bool ours = family == "cudnn" || family == "cudnn-part" || family == "cuda";
    if (symptom.kind() != "library-not-found" || symptom.attribute("os") == "windows") continue;
    if (!ours && family != "other") continue;
    const std::string name(base::BaseName(symptom.attribute("library")));
    auto copies = loader::FindCopies(directories, scene.view, name);
    std::erase_if(copies, [&](const loader::LibraryCopy& copy) {
      return !CauseOfDamage(OutcomeHere(scene, copy.path)).empty();
    });
    if (!copies.empty()) {
      const std::string& path = copies.front().path;
      const std::string says = fmt::format("{} is on this machine: {}", name, path);
      settlements.push_back({"search-path", true, says});
      settlements.push_back({std::string(MissingCause(family)), false, says});
      if (family == "cudnn-part") settlements.push_back({"cudnn-missing", false, says});
      continue;
    }
    if (ByDamage(directories, scene, name, decides && ours, settlements)) continue;
    ByAbsence(symptom, directories, scene, decides && ours, settlements);
  }
}

}  // namespace culprit::explain
