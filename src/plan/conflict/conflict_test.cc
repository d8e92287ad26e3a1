// The explanation step by step, on named conflicts: requirements -> smallest set, graph, simplified graph,
// words.
#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/packages/release.h"
#include "plan/commands/requirements.h"
#include "plan/conflict/conflict_graph.h"
#include "plan/conflict/conflict_words.h"

namespace culprit::plan {
namespace {

BuildTable& AllBuilds() {
  static BuildTable builds;
  return builds;
}

struct Named {
  const char* name;
  std::vector<std::string> wants;
  std::string driver, gpu, python;
  std::vector<std::string> smallest;  // the smallest conflict
  std::string root;                   // what a node of the graph says
};

// Each is a thread that people have: an old GPU, an old driver, Python, two frameworks in one environment.
const std::vector<Named>& NamedConflicts() {
  static const std::vector<Named> conflicts = {
      {"Kepler", {"torch>=2.4"}, "470.82.01", "3.7", "", {"torch>=2.4", "GPU sm_37"}, "no code for sm_37"},
      {"driver 470",
       {"torch>=2.9"},
       "470.82.01",
       "",
       "",
       {"torch>=2.9", "driver 470.82.01"},
       "CUDA 13 needs driver >= 580; this host has 470.82.01"},
      {"Python 3.12",
       {"tensorflow==2.10.*"},
       "",
       "",
       "3.12",
       {"tensorflow==2.10.*", "Python 3.12"},
       "no wheel for Python 3.12"},
      {"two cuDNN",
       {"torch==2.6.*", "ctranslate2==4.4.*"},
       "",
       "",
       "",
       {"torch==2.6.*", "ctranslate2==4.4.*"},
       "uses cuDNN 8"}};
  return conflicts;
}

Question Asked(const Named& named) {
  Question question;
  for (const std::string& want : named.wants) question.wants.push_back(ParseWant(want).value());
  if (!named.driver.empty()) question.host.driver = knowledge::Known(named.driver);
  if (!named.gpu.empty()) question.host.gpus = {knowledge::Known(named.gpu)};
  if (!named.python.empty()) question.host.python = knowledge::Known(named.python);
  return question;
}

size_t Count(const std::vector<ConflictNode>& graph) {
  size_t count = graph.size();
  for (const ConflictNode& node : graph) count += Count(node.below);
  return count;
}

bool Says(const std::vector<ConflictNode>& graph, const std::string& part) {
  return std::ranges::any_of(graph, [&](const ConflictNode& node) {
    return node.text.find(part) != std::string::npos || Says(node.below, part);
  });
}

TEST(Conflict, TheSmallestSetIsFoundAndNothingInItCanBeLeftOut) {
  for (const Named& named : NamedConflicts()) {
    const Question question = Asked(named);
    const auto smallest = SmallestConflict(question, AllBuilds());
    std::vector<std::string> words;
    for (const Requirement& one : smallest) words.push_back(one.words);
    std::ranges::sort(words);
    std::vector<std::string> expected = named.smallest;
    std::ranges::sort(expected);
    EXPECT_EQ(words, expected) << named.name;
    for (const Requirement& one : smallest) {
      const auto without = Without(question, {one});
      EXPECT_TRUE(std::ranges::any_of(without, [](const Question& q) { return IsSolvable(q, AllBuilds()); }))
          << named.name << " without " << one.words;
    }
  }
}

TEST(Conflict, TheGraphNamesWhatExcludesEachBuildWithItsSource) {
  for (const Named& named : NamedConflicts()) {
    const auto graph = GraphOf(MakeUniverse(Asked(named), AllBuilds()));
    EXPECT_TRUE(Says(graph, named.root)) << named.name;
    EXPECT_FALSE(graph.front().source.empty()) << named.name << ": " << graph.front().text;
  }
}

TEST(Conflict, SimplifyingDropsRepetitionsAndKeepsTheReason) {
  const ConflictNode reason{"torch 2.6.0: no code for sm_37", "row", false, {}};
  ConflictNode repeats{"torch 2.6.0: no code for sm_37", "row", false, {reason}};
  EXPECT_EQ(Simplify({repeats, reason}), (std::vector<ConflictNode>{reason}));
  for (const Named& named : NamedConflicts()) {
    const auto graph = GraphOf(MakeUniverse(Asked(named), AllBuilds()));
    const auto simple = Simplify(graph);
    EXPECT_LE(Count(simple), Count(graph)) << named.name;
    EXPECT_TRUE(Says(simple, named.root)) << named.name;
    EXPECT_EQ(Simplify(simple), simple) << named.name << ": once is enough";
  }
}

TEST(Conflict, WordsAreIndentedBelowWhatTheyExplain) {
  const std::vector<ConflictNode> graph = {
      {"a 1 to 3: requires b", "one", false, {{"b 2: no wheel", "two", true, {}}}},
      {"a 4: no code", "three", false, {}}};
  const std::vector<report::ConflictLine> lines = {{"a 1 to 3: requires b", "one", 0},
                                                   {"b 2: no wheel (--allow unknown permits it)", "two", 1},
                                                   {"a 4: no code", "three", 0}};
  EXPECT_EQ(LinesOf(graph), lines);
  EXPECT_EQ(ConflictHeadline({{.words = "torch>=2.4"}, {.words = "driver 470.82"}, {.words = "GPU sm_37"}},
                             Certain::kYes),
            "torch>=2.4, driver 470.82 and GPU sm_37 do not work together");
  EXPECT_EQ(ConflictHeadline({{.words = "flash-attn"}, {.words = "GPU sm_70"}}, Certain::kNo),
            "could not tell whether flash-attn and GPU sm_70 work together");
  EXPECT_EQ(ConflictHeadline({{.words = "torch>=99"}}, Certain::kYes), "torch>=99 is not available");
}

}  // namespace
}  // namespace culprit::plan
