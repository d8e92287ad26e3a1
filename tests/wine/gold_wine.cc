// Compares our model of the Windows loader with Wine's loader, on generated trees of tiny DLLs: which file
// each load uses, everything that it loads with it, the code if it fails. generate.cc says what the trees
// contain, docs/windows-loader.md where Wine is known to differ from Windows.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

#include "base/text.h"
#include "collect/live_file_view.h"
#include "gold/options.h"
#include "system/system.h"
#include "wine.h"

namespace culprit::wine {
namespace {

constexpr size_t kTreesPerProcess = 100;

struct Case {
  Tree tree;
  std::vector<Expected> expected;
};

struct Tally {
  size_t trees = 0, loads = 0, failures = 0, deep = 0, programs = 0, functions = 0, wrong = 0;
  std::array<size_t, kDifferences> differences{};
  std::map<std::string, size_t> features;
};

std::string Described(const Ending& ending) {
  if (ending.code != 0) return "code " + std::to_string(ending.code);
  std::string text = ending.path.empty() ? "good" : ending.path;
  for (const std::string& module : ending.modules) text += "\n      + " + module;
  return text;
}

void Print(const Case& one) {
  std::printf("  tree %s (gold_wine --seed %llu)%s\n", one.tree.name.c_str(),
              static_cast<unsigned long long>(one.tree.seed), one.tree.safe_mode ? "" : ", safe mode off");
  std::printf("%s", PlanOf(one.tree, one.expected).c_str());
  for (const TreeFile& file : one.tree.files) {
    std::printf("  file %s kind %d machine %d:", file.path.c_str(), static_cast<int>(file.kind),
                static_cast<int>(file.dll.machine));
    for (const Import& import : file.dll.imports)
      std::printf(" %s(%zu)", import.dll.c_str(), import.names.size());
    for (const auto& [name, target] : file.dll.forwarders)
      std::printf(" %s=%s", name.c_str(), target.c_str());
    std::printf("\n");
  }
}

// A bare name, and two modules with this name are loaded: Windows gives the first one.
bool IsSecondModule(const Ending& wine, const Ending& expected) {
  return wine.code == 0 && expected.code == 0 && wine.modules == expected.modules &&
         base::BaseName(wine.path) == base::BaseName(expected.path) &&
         std::ranges::count(wine.modules, wine.path) == 1 &&
         std::ranges::count(wine.modules, expected.path) == 1;
}

// False: Wine does something other than expected.
bool Compare(const Case& one, const Heard& heard, Tally& tally) {
  size_t question = 0;
  for (size_t i = 0; i < one.expected.size(); ++i) {
    const Expected& expected = one.expected[i];
    ++tally.loads;
    if (!expected.consequence) ++tally.differences[static_cast<size_t>(expected.difference)];
    tally.failures += expected.windows.code != 0 ? 1 : 0;
    tally.deep += expected.in_dependency ? 1 : 0;
    if (i >= heard.endings.size()) {
      std::printf("WRONG: Wine's answer %zu is missing\n", i);
      return false;
    }
    Ending ending = heard.endings[i];
    if (expected.wine.code != 0 || ending.code != 0) ending.modules = expected.wine.modules;
    if (ending != expected.wine && IsSecondModule(ending, expected.wine)) {
      ++tally.differences[static_cast<size_t>(Difference::kSecondModule)];
    } else if (ending != expected.wine) {
      std::printf("WRONG: answer %zu\n    Wine:  %s\n    model: %s\n    Windows, says the model: %s\n", i,
                  Described(heard.endings[i]).c_str(), Described(expected.wine).c_str(),
                  Described(expected.windows).c_str());
      return false;
    }
    if (expected.difference == Difference::kUnexplained) {
      std::printf("WRONG: answer %zu differs from Windows, and nothing explains it: %s\n", i,
                  Described(expected.windows).c_str());
      return false;
    }
    if (one.tree.operations.back().kind == Operation::Kind::kRun) continue;
    for (const auto& [dll, function] : expected.missing_functions) {
      ++tally.functions;
      if (question < heard.functions.size() && !heard.functions[question++]) continue;
      std::printf("WRONG: Wine finds %s in %s\n", function.c_str(), dll.c_str());
      return false;
    }
  }
  return true;
}

// Trees that share a process. Search defaults cannot be reverted, only set again: trees that start by setting
// them share a separate process.
std::vector<std::vector<const Case*>> Groups(const std::vector<Case>& cases) {
  std::map<std::pair<bool, bool>, std::vector<const Case*>> kinds;
  for (const Case& one : cases) kinds[{!one.tree.safe_mode, one.tree.changes_defaults}].push_back(&one);
  std::vector<std::vector<const Case*>> groups;
  for (const auto& [kind, trees] : kinds) {
    for (size_t i = 0; i < trees.size(); ++i) {
      if (i % kTreesPerProcess == 0) groups.emplace_back();
      groups.back().push_back(trees[i]);
    }
  }
  return groups;
}

void RunGroup(Wine& wine, const std::vector<const Case*>& group, bool show, Tally& tally) {
  std::string plan;
  for (const Case* one : group) plan += PlanOf(one->tree, one->expected);
  const auto heard = Listen(wine.Run(plan));
  for (size_t i = 0; i < group.size(); ++i) {
    ++tally.trees;
    for (const std::string& feature : group[i]->tree.features) ++tally.features[feature];
    tally.programs += group[i]->tree.features.contains("program") ? 1 : 0;
    const bool answered = i < heard.size() && heard[i].first == group[i]->tree.name;
    const bool good = answered && Compare(*group[i], heard[i].second, tally);
    if (!good) ++tally.wrong;
    if (!good || show) Print(*group[i]);
  }
}

int Main(int argc, char** argv) {
  const std::string driver = GOLD_WINE_DRIVER;
  if (driver.empty()) {
    std::printf("skipped: there is no compiler for Windows (x86_64-w64-mingw32-gcc)\n");
    return gold::kSkipped;
  }
  const gold::Options options =
      gold::ParseOptions(argc, argv, {.program = "gold_wine", .seed = 20240905, .count = 320});
  const auto start = std::chrono::steady_clock::now();
  const char* given = std::getenv("CULPRIT_WINE");
  Wine wine(given == nullptr ? GOLD_WINE_TOOL : given, options.keep.empty() ? GOLD_WINE_PREFIX : options.keep,
            driver);
  std::vector<Case> cases(options.seeds.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    cases[i].tree = GenerateTree(options.seeds[i], "t" + std::to_string(i));
    wine.Write(cases[i].tree);
  }
  auto root = system::RootedSystem(wine.drive_c());
  if (!root) throw std::runtime_error(root.error().message);
  const auto tree_system = system::WindowsTree(std::move(*root));
  collect::LiveFileView view(*tree_system);
  for (Case& one : cases) one.expected = Expect(one.tree, view);
  const auto modelled = std::chrono::steady_clock::now();

  Tally tally;
  wine.Run("safe\t1\n");  // an earlier run may have been interrupted
  bool safe_mode = true;
  for (const auto& group : Groups(cases)) {
    if (group.front()->tree.safe_mode != safe_mode) {
      safe_mode = !safe_mode;
      wine.Run(safe_mode ? "safe\t1\n" : "safe\t0\n");
    }
    RunGroup(wine, group, options.show, tally);
  }
  const auto end = std::chrono::steady_clock::now();
  const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
  std::printf(
      "%zu trees: %zu loads (%zu fail on Windows, %zu of them below the DLL asked for), %zu "
      "programs, %zu missing functions "
      "asked for; %zu wrong; %.1f s, %.1f of them in Wine\n",
      tally.trees, tally.loads, tally.failures, tally.deep, tally.programs, tally.functions, tally.wrong,
      seconds(start, end), seconds(modelled, end));
  for (size_t i = 1; i < kDifferences; ++i) {
    if (tally.differences[i] == 0) continue;
    std::printf("  known difference: %s (%zu)\n", Words(static_cast<Difference>(i)), tally.differences[i]);
  }
  if (options.features) {
    for (const auto& [feature, count] : tally.features) std::printf("  %5zu %s\n", count, feature.c_str());
  }
  return tally.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace culprit::wine

int main(int argc, char** argv) {
  try {
    return culprit::wine::Main(argc, argv);
  } catch (const culprit::wine::NoWine& why) {
    std::printf("skipped: %s\n", why.what());
    return culprit::gold::kSkipped;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gold_wine: %s\n", error.what());
    return 2;
  }
}
