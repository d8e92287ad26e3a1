#include "explain/explain.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "explain/known_facts.h"
#include "explain/nearest.h"

namespace culprit::explain {
namespace {

using knowledge::Advice;
using knowledge::Role;
using knowledge::Story;
using logs::Symptom;

constexpr double kShown = 0.08;  // causes below this are noise
constexpr double kTold = 0.3;    // if none is above this, the text does not tell
constexpr size_t kMostCauses = 6;
constexpr size_t kMostNear = 3;
constexpr size_t kMostLines = 4;          // evidence lines per cause
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

// The text with the symptom's values filled in; empty if it needs a value that is missing.
bool Fill(std::string_view text, const Symptom& symptom, auto&& add_ours, auto&& add_value) {
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    add_ours(text.substr(0, close == std::string_view::npos ? close : open));
    if (close == std::string_view::npos) break;
    const std::string_view value = symptom.attribute(text.substr(open + 1, close - open - 1));
    if (value.empty()) return false;
    add_value(value);
    text.remove_prefix(close + 1);
  }
  return true;
}

// The log chose the values: inside a command of the sentence, only what a shell reads as it is.
std::optional<std::string> Filled(std::string_view text, const Symptom& symptom) {
  std::string filled;
  bool command = false, safe = true;
  const bool whole = Fill(
      text, symptom,
      [&](std::string_view ours) {
        filled += ours;
        for (const char c : ours) command ^= c == '`';
      },
      [&](std::string_view value) {
        filled += value;
        safe &= !command || report::Word(value).Text() == value;
      });
  if (!whole || !safe) return std::nullopt;
  return filled;
}

// The same as a command; inside quotes only what needs none.
std::optional<report::Command> FilledCommand(std::string_view text, const Symptom& symptom) {
  report::Command filled;
  bool quoted = false;
  const bool whole = Fill(
      text, symptom,
      [&](std::string_view ours) {
        filled += report::FromTable(ours);
        for (const char c : ours) quoted ^= c == '\'' || c == '"';
      },
      [&](std::string_view value) { filled += quoted ? report::Plain(value) : report::Word(value); });
  if (!whole) return std::nullopt;
  return filled;
}

report::LogLine Line(const Symptom& symptom, const std::vector<report::LogInput>& inputs) {
  const report::LogInput input = symptom.input < inputs.size() ? inputs[symptom.input] : report::LogInput{};
  return {.file = inputs.size() > 1 ? input.name : "",
          .line = symptom.line,
          .text = symptom.text,
          .count = symptom.count,
          .watched = input.watched};
}

// The strongest story with advice provides the texts; if it has none, the next one, and finally the cause
// itself.
class Words {
 public:
  Words(std::vector<const Told*> told, const knowledge::Cause& cause)
      : told_(std::move(told)), cause_(cause) {
    std::erase_if(told_, [](const Told* one) { return one->story->advice == nullptr; });
  }

  std::string Of(std::string_view Advice::* part, std::string_view otherwise) const {
    for (const Told* told : told_) {
      const std::string_view words = told->story->advice->*part;
      if (words.empty()) continue;
      if (auto text = Filled(words, *told->symptom)) return *std::move(text);
    }
    return std::string(otherwise);
  }
  std::vector<report::Command> Commands() const {
    for (const Told* told : told_) {
      std::vector<report::Command> commands;
      for (const std::string_view command : told->story->advice->commands) {
        if (auto filled = FilledCommand(command, *told->symptom)) commands.push_back(*std::move(filled));
      }
      if (!commands.empty()) return commands;
      if (!told->story->advice->fix.empty()) break;  // commands of another fix would not match it
    }
    return {};
  }
  const knowledge::Cause& cause() const { return cause_; }

 private:
  std::vector<const Told*> told_;
  const knowledge::Cause& cause_;
};

report::LikelyCause Describe(std::string_view slug, double score, const Differential& differential,
                             const std::vector<report::LogInput>& inputs) {
  std::vector<const Told*> speaking;
  for (const Told& told : differential.told()) {
    if (told.story->cause == slug && told.weight > 0) speaking.push_back(&told);
  }
  // Between equals the first of the table.
  std::ranges::sort(speaking, [](const Told* a, const Told* b) {
    return a->weight != b->weight ? a->weight > b->weight : a->story < b->story;
  });
  static constexpr knowledge::Cause kUnnamed{};
  const knowledge::Cause* found = knowledge::FindCause(slug);
  const knowledge::Cause& cause = found == nullptr ? kUnnamed : *found;
  const Words words(speaking, cause);
  report::LikelyCause likely{.cause = std::string(slug),
                             .code = words.Of(&Advice::code, cause.code),
                             .confidence = static_cast<int>(std::min(score, 0.99) * 100 + 0.5) / 100.0,
                             .summary = words.Of(&Advice::says, cause.title),
                             .because = words.Of(&Advice::because, ""),
                             .separate_by = words.Of(&Advice::check, cause.check),
                             .fix = words.Of(&Advice::fix, cause.fix),
                             .commands = words.Commands(),
                             .avoid = words.Of(&Advice::avoid, cause.avoid)};
  for (const Told* told : speaking) {
    const report::LogLine line = Line(*told->symptom, inputs);
    const bool known = std::ranges::any_of(likely.evidence, [&](const report::LogLine& other) {
      return other.line == line.line && other.file == line.file;
    });
    if (!known && likely.evidence.size() < kMostLines) likely.evidence.push_back(line);
    for (std::string& fact : KnownFacts(*told->symptom)) {
      if (std::ranges::find(likely.known, fact) == likely.known.end())
        likely.known.push_back(std::move(fact));
    }
  }
  std::ranges::sort(likely.evidence, {},
                    [](const report::LogLine& line) { return std::tie(line.file, line.line); });
  return likely;
}

// What the machine says about a cause. A fact that confirms it makes the better sentence, and a finding of
// `check` knows the file and has the better fix.
void AddFacts(report::LikelyCause& likely, std::span<const Settlement> settlements) {
  const Settlement* confirmed = nullptr;
  std::string because;
  for (const Settlement& settlement : settlements) {
    if (settlement.cause != likely.cause) continue;
    if (std::ranges::find(likely.settled, settlement.says) == likely.settled.end()) {
      likely.settled.push_back(settlement.says);
    }
    const bool better =
        confirmed == nullptr ||
        (confirmed->finding == nullptr && confirmed->fix.text.empty() && settlement.finding != nullptr);
    if (settlement.confirms && better) confirmed = &settlement;
    if (settlement.confirms && because.empty()) because = settlement.because;
  }
  if (confirmed == nullptr) return;
  const report::Finding* finding = confirmed->finding;
  likely.summary = finding == nullptr ? confirmed->says : finding->summary;
  if (!because.empty()) likely.because = because;
  if (!confirmed->fix.text.empty()) {
    likely.fix = confirmed->fix.text;
    likely.commands = confirmed->fix.commands;
    likely.separate_by.clear();
    likely.avoid.clear();
  }
  if (finding == nullptr) return;
  likely.code = finding->code;
  if (finding->fix.text.empty()) return;
  likely.fix = finding->fix.text;
  likely.commands = finding->fix.commands;
}

// What stands there and could not be told.
std::vector<report::LogLine> UnknownErrors(const report::Explanation& explanation) {
  std::vector<report::LogLine> unknown;
  for (const report::LogInput& input : explanation.inputs) {
    for (report::LogLine line : input.ends_with) {
      if (explanation.inputs.size() > 1) line.file = input.name;
      unknown.push_back(std::move(line));
    }
  }
  return unknown.empty() && !explanation.near.empty() ? explanation.first_failure : unknown;
}

// Vague words resemble everything; the words of a message resemble a few others.
void AddNearest(report::Explanation& explanation) {
  if (explanation.unknown.empty()) return;
  const auto nearest = NearestSymptoms(explanation.unknown.front().text, kMostNear);
  if (!nearest.empty()) explanation.near.clear();
  for (const Nearby& nearby : nearest) {
    const knowledge::Cause* cause = knowledge::FindCause(nearby.cause);
    std::string words;
    for (const std::string& word : nearby.words) words += (words.empty() ? "\"" : ", \"") + word + "\"";
    explanation.near.push_back({.cause = std::string(nearby.cause),
                                .summary = std::string(cause->title),
                                .because = "known messages of this cause have the words " + words + " too",
                                .evidence = {explanation.unknown.front()},
                                .separate_by = std::string(cause->check),
                                .fix = std::string(cause->fix)});
  }
  if (explanation.near.size() > kMostNear) explanation.near.resize(kMostNear);
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
  for (const Story& story : knowledge::Stories()) {
    Told loudest{.story = &story};
    for (const Symptom& symptom : symptoms) {
      if (symptom.kind() != story.symptom || !Tells(story, symptom, symptoms)) continue;
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
                            std::span<const Settlement> settlements) {
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
  const bool told = !ranked.empty() && ranked.front().second >= kTold;
  for (const auto& [cause, score] : ranked) {
    auto& causes = told ? explanation.causes : explanation.near;
    causes.push_back(Describe(cause, score, differential, explanation.inputs));
    AddFacts(causes.back(), settlements);
  }
  const Symptom* first = FirstSpeaking(symptoms);
  if (first != nullptr) explanation.first_failure.push_back(Line(*first, explanation.inputs));
  if (!told) {
    explanation.unknown = UnknownErrors(explanation);
    AddNearest(explanation);
  }
  return explanation;
}

}  // namespace culprit::explain
