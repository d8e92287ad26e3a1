#include "explain/explain.h"

#include <algorithm>

#include "base/text.h"
#include "explain/describe.h"

namespace culprit::explain {
namespace {

using knowledge::Role;
using knowledge::Story;
using logs::Symptom;

constexpr double kShown = 0.08;  // causes below this are noise
constexpr double kTold = 0.3;    // if none is above this, the text does not tell
constexpr double kHinted = 0.5;  // the same, of a text with nothing but vague words
constexpr size_t kMostCauses = 6;
constexpr double kMuffled = 0.35;         // factor for a consequence next to a failure
constexpr double kLater = 0.9;            // factor for a failure after the first
constexpr double kDoubtLeft = 0.1;        // after a fact confirmed it
constexpr uint64_t kSameMoment = 2;       // lines
constexpr double kDecidedAlone = 0.5;     // a fact decides for a cause that no line speaks of
constexpr double kBesideADecision = 0.3;  // factor for the other causes

// "family=cudnn,cudnn-part": one of the values, "!x" = not x, "*" = anything.
bool Holds(std::string_view condition, const Symptom& symptom) {
  const size_t equals = condition.find('=');
  const std::string_view have = symptom.attribute(condition.substr(0, equals));
  for (const std::string& want : base::Split(condition.substr(equals + 1), ',')) {
    if (want == "*"             ? !have.empty()
        : want.starts_with('!') ? have != std::string_view(want).substr(1)
                                : have == want)
      return true;
  }
  return false;
}

// "lists-library major=9", "!context-wsl": whether the log, apart from this symptom, has (not) such a
// symptom.
bool Beside(std::string_view wanted, std::span<const Symptom> symptoms, const Symptom& self) {
  const bool absent = wanted.starts_with('!');
  if (absent) wanted.remove_prefix(1);
  const std::vector<std::string> words = base::SplitWords(wanted, " ");
  const bool found = std::ranges::any_of(symptoms, [&](const Symptom& other) {
    return &other != &self && other.kind() == words.front() &&
           std::all_of(words.begin() + 1, words.end(),
                       [&](const std::string& word) { return Holds(word, other); });
  });
  return found != absent;
}

bool Tells(const Story& story, const Symptom& symptom, std::span<const Symptom> symptoms) {
  return std::ranges::all_of(story.where,
                             [&](std::string_view condition) { return Holds(condition, symptom); }) &&
         std::ranges::all_of(story.with,
                             [&](std::string_view wanted) { return Beside(wanted, symptoms, symptom); });
}

const Symptom* FirstFailure(std::span<const Symptom> symptoms) {
  const auto first = std::ranges::find(symptoms, Role::kFailure, &Symptom::role);
  return first == symptoms.end() ? nullptr : &*first;
}

// The line that people should read first.
const Symptom* FirstSpeaking(std::span<const Symptom> symptoms) {
  for (const Role role : {Role::kFailure, Role::kConsequence, Role::kHint}) {
    const auto first = std::ranges::find(symptoms, role, &Symptom::role);
    if (first != symptoms.end()) return &*first;
  }
  return nullptr;
}

double Loudness(const Symptom& symptom, const Symptom* first_failure) {
  if (first_failure == nullptr || symptom.role() == Role::kContext) return 1;
  if (symptom.role() == Role::kConsequence || symptom.role() == Role::kHint) return kMuffled;
  const bool later =
      symptom.input != first_failure->input || symptom.line > first_failure->line + kSameMoment;
  return later ? kLater : 1;
}

// Lines of every input, with its name where there are several.
std::vector<report::LogLine> LinesOf(const report::Explanation& explanation,
                                     std::vector<report::LogLine> report::LogInput::* part) {
  std::vector<report::LogLine> lines;
  for (const report::LogInput& input : explanation.inputs) {
    for (report::LogLine line : input.*part) {
      if (explanation.inputs.size() > 1) line.file = input.name;
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string_view Name(Role role) {
  switch (role) {
    case Role::kFailure:
      return "failure";
    case Role::kConsequence:
      return "consequence";
    case Role::kHint:
      return "hint";
    case Role::kContext:
      return "context";
    case Role::kHarmless:
      return "harmless";
  }
  return "";
}

}  // namespace

Differential::Differential(std::span<const Symptom> symptoms) {
  const Symptom* first_failure = FirstFailure(symptoms);
  const bool failed = std::ranges::any_of(symptoms, [](const Symptom& symptom) {
    return symptom.role() != Role::kContext && symptom.role() != Role::kHarmless;
  });
  if (!failed) return;
  const bool windows = PlatformOf(symptoms) == base::Platform::kWindows;
  for (const Story& story : knowledge::Stories()) {
    const bool on_linux = windows && knowledge::FindCause(story.cause)->on_linux;
    Told loudest{.story = &story};
    for (const Symptom& symptom : symptoms) {
      if (symptom.kind() != story.symptom || !Tells(story, symptom, symptoms)) continue;
      if (on_linux && symptom.attribute("os") != "linux") continue;
      const double weight = story.weight / 100.0 * Loudness(symptom, first_failure);
      if (std::abs(weight) > std::abs(loudest.weight)) {
        loudest.symptom = &symptom;
        loudest.weight = weight;
      }
    }
    if (loudest.symptom != nullptr) told_.push_back(loudest);
  }
  for (const Told& told : told_) {
    if (told.weight <= 0) continue;
    double& score = scores_[told.story->cause];
    score = 1 - (1 - score) * (1 - told.weight);
  }
  for (const Told& told : told_) {
    const auto score = scores_.find(told.story->cause);
    if (told.weight < 0 && score != scores_.end()) score->second *= 1 + told.weight;
  }
}

void Differential::Settle(std::span<const Settlement> settlements) {
  // What is decided needs no story; what the same facts do not decide for can only be a consequence.
  if (std::ranges::any_of(settlements, &Settlement::decides)) {
    for (auto& [cause, score] : scores_) {
      const bool decided = std::ranges::any_of(settlements, [&](const Settlement& settlement) {
        return settlement.decides && settlement.cause == cause;
      });
      if (!decided) score *= kBesideADecision;
    }
  }
  for (const Settlement& settlement : settlements) {
    if (settlement.decides) scores_.try_emplace(settlement.cause, kDecidedAlone);
    const auto score = scores_.find(settlement.cause);
    if (score == scores_.end()) continue;
    score->second = settlement.confirms ? 1 - (1 - score->second) * kDoubtLeft : score->second * kDoubtLeft;
  }
}

report::Explanation Explain(std::span<const Symptom> symptoms, std::vector<report::LogInput> inputs,
                            std::span<const Settlement> facts) {
  std::vector<Settlement> settlements(facts.begin(), facts.end());
  if (facts.empty()) SettleByText(symptoms, settlements);
  report::Explanation explanation{.inputs = std::move(inputs)};
  for (const Symptom& symptom : symptoms) {
    explanation.symptoms.push_back({.symptom = std::string(symptom.kind()),
                                    .signature = std::string(symptom.signature->id),
                                    .role = std::string(Name(symptom.role())),
                                    .harmless = symptom.role() == knowledge::Role::kHarmless,
                                    .note = std::string(symptom.signature->note),
                                    .where = Line(symptom, explanation.inputs),
                                    .captures = {symptom.attributes.begin(), symptom.attributes.end()}});
  }
  Differential differential(symptoms);
  differential.Settle(settlements);
  std::vector<std::pair<std::string_view, double>> ranked(differential.scores().begin(),
                                                          differential.scores().end());
  std::erase_if(ranked, [](const auto& entry) { return entry.second < kShown; });
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (ranked.size() > kMostCauses) ranked.resize(kMostCauses);
  const double enough = std::ranges::any_of(symptoms, &Symptom::speaks) ? kTold : kHinted;
  const bool told = !ranked.empty() && ranked.front().second >= enough;
  for (const auto& [cause, score] : ranked) {
    auto& causes = told ? explanation.causes : explanation.near;
    causes.push_back(Describe(cause, score, differential, symptoms, explanation.inputs));
    AddFacts(causes.back(), settlements);
  }
  const Symptom* first = FirstSpeaking(symptoms);
  if (first != nullptr) explanation.first_failure.push_back(Line(*first, explanation.inputs));
  if (!told) {
    explanation.unknown = LinesOf(explanation, &report::LogInput::ends_with);
    if (explanation.unknown.empty() && !explanation.near.empty())
      explanation.unknown = explanation.first_failure;
    AddNearest(explanation, PlatformOf(symptoms));
    if (explanation.unknown.empty())
      explanation.mentioned = LinesOf(explanation, &report::LogInput::mentions);
  }
  return explanation;
}

}  // namespace culprit::explain
