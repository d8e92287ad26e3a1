// Variables of the environment; those that are lists, element by element.
#include <algorithm>

#include "base/text.h"
#include "diff/parts.h"

namespace culprit::diff {
namespace {

using Elements = std::vector<std::string>;

// What separates the elements of a variable; "" if it is not a list.
std::string_view SeparatorsOf(std::string_view name, bool windows) {
  if (name == "LD_PRELOAD") return ": ";
  if (name == "LD_LIBRARY_PATH") return ":;";
  if (name == "CUDA_VISIBLE_DEVICES" || name == "NVIDIA_VISIBLE_DEVICES" ||
      name == "NVIDIA_DRIVER_CAPABILITIES")
    return ",";
  if (name == "PATH" || name.ends_with("PATH")) return windows ? ";" : ":";
  return "";
}

int SuspicionOf(std::string_view name) {
  if (name.starts_with("LD_") || name.ends_with("VISIBLE_DEVICES")) return 62;
  if (name == "HOME" || name.starts_with("SLURM") || name == "SUDO_USER") return 10;
  if (name == "PATH" || name.starts_with("PYTHON")) return 45;
  if (name == "VIRTUAL_ENV" || name.starts_with("CONDA")) return 35;
  return 50;
}

bool Has(const Elements& list, const std::string& element) {
  return std::ranges::find(list, element) != list.end();
}

std::string Listed(const Elements& list) {
  std::string text;
  for (size_t i = 0; i < list.size() && i < 3; ++i) text += (i == 0 ? "" : ", ") + list[i];
  if (list.size() > 3) text += " and " + std::to_string(list.size() - 3) + " more";
  return text;
}

// "/usr/lib added in front, /opt/lib removed"
std::string InWords(const Elements& before, const Elements& after) {
  std::string words;
  const auto say = [&](const std::string& text) { words += (words.empty() ? "" : ", ") + text; };
  for (size_t i = 0; i < after.size();) {
    if (Has(before, after[i])) {
      ++i;
      continue;
    }
    const size_t first = i;
    Elements run;
    for (; i < after.size() && !Has(before, after[i]); ++i) run.push_back(after[i]);
    const bool all = first == 0 && i == after.size();
    say(Listed(run) + " added" +
        (all                 ? ""
         : first == 0        ? " in front"
         : i == after.size() ? " at the end"
                             : " after " + after[first - 1]));
  }
  Elements gone;
  for (const std::string& element : before) {
    if (!Has(after, element)) gone.push_back(element);
  }
  if (!gone.empty()) say(Listed(gone) + " removed");
  return words.empty() ? "the same elements in another order" : words;
}

void AddVariable(Parts& parts, const std::string& name, const std::string* before, const std::string* after,
                 bool windows) {
  report::Difference difference{.how = HowOf(before != nullptr, after != nullptr),
                                .kind = report::DifferenceKind::kVariable,
                                .subject = name,
                                .before = before == nullptr ? "not set" : *before,
                                .after = after == nullptr ? "not set" : *after,
                                .suspicion = SuspicionOf(name)};
  std::vector<std::string> names = {name};
  const std::string_view separators = SeparatorsOf(name, windows);
  if (separators.empty() || before == nullptr || after == nullptr) {
    difference.summary = before == nullptr  ? name + " is set to \"" + *after + "\""
                         : after == nullptr ? name + " is no longer set, was \"" + *before + "\""
                                            : name + ": \"" + *before + "\" -> \"" + *after + "\"";
  }
  if (!separators.empty()) {
    const Elements was = before == nullptr ? Elements() : base::SplitWords(*before, separators);
    const Elements is = after == nullptr ? Elements() : base::SplitWords(*after, separators);
    if (before != nullptr && after != nullptr) {
      if (was == is) return;  // spelled differently, and the same
      difference.summary = name + ": " + InWords(was, is);
    }
    for (const std::string& element : is) {
      if (!Has(was, element)) names.push_back(element);
    }
    for (const std::string& element : was) {
      if (!Has(is, element)) names.push_back(element);
    }
  }
  parts.Add(std::move(difference), std::move(names));
}

}  // namespace

void AddVariables(Parts& parts) {
  const auto& before = parts.before.scene.snapshot.environment;
  const auto& after = parts.after.scene.snapshot.environment;
  const bool windows = parts.after.scene.OnWindows();
  Align(
      before, after, [](const auto& entry) { return entry.first; },
      [&](const std::string& name, const auto* was, const auto* is) {
        if (was != nullptr && is != nullptr && was->second == is->second) return;
        AddVariable(parts, name, was == nullptr ? nullptr : &was->second,
                    is == nullptr ? nullptr : &is->second, windows);
      });
}

}  // namespace culprit::diff
