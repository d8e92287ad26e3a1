#include "explain/describe.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "explain/known_facts.h"
#include "explain/logs/mention.h"
#include "explain/nearest.h"

namespace culprit::explain {
namespace {

using knowledge::Advice;
using logs::Symptom;

constexpr size_t kMostLines = 4;  // evidence lines per cause
constexpr size_t kMostNear = 3;

// The text with the symptom's values filled in, {library}, or {library|NAME} with what stands there instead;
// false if it needs a value that is missing.
bool Fill(std::string_view text, const Symptom& symptom, auto&& add_ours, auto&& add_value) {
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    add_ours(text.substr(0, close == std::string_view::npos ? close : open));
    if (close == std::string_view::npos) break;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const size_t bar = std::min(name.find('|'), name.size());
    const std::string_view value = symptom.attribute(name.substr(0, bar));
    if (value.empty() && bar == name.size()) return false;
    value.empty() ? add_ours(name.substr(bar + 1)) : add_value(value);
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

// The strongest story with advice provides the texts; if it has none, the next one, and finally the cause
// itself.
class Words {
 public:
  Words(std::vector<const Told*> told, base::Platform platform)
      : loudest_(told.empty() ? Symptom{} : *told.front()->symptom), told_(std::move(told)) {
    std::erase_if(told_, [](const Told* one) { return one->story->advice == nullptr; });
    doable_ = told_;
    if (platform == base::Platform::kWindows)
      std::erase_if(doable_, [](const Told* one) { return one->story->advice->on_linux; });
  }

  // What happened, and why.
  std::string Story(std::string_view Advice::* part, std::string_view otherwise) const {
    return Of(part, otherwise, told_);
  }
  // What to do about it.
  std::string ToDo(std::string_view Advice::* part, std::string_view otherwise) const {
    return Of(part, otherwise, doable_);
  }
  std::vector<report::Command> Commands() const {
    for (const Told* told : doable_) {
      std::vector<report::Command> commands;
      for (const std::string_view command : told->story->advice->commands) {
        if (auto filled = FilledCommand(command, *told->symptom)) commands.push_back(*std::move(filled));
      }
      if (!commands.empty()) return commands;
      if (!told->story->advice->fix.empty()) break;  // commands of another fix would not match it
    }
    return {};
  }

 private:
  std::string Of(std::string_view Advice::* part, std::string_view otherwise,
                 const std::vector<const Told*>& from) const {
    for (const Told* told : from) {
      const std::string_view words = told->story->advice->*part;
      if (words.empty()) continue;
      if (auto text = Filled(words, *told->symptom)) return *std::move(text);
    }
    if (auto text = Filled(otherwise, loudest_)) return *std::move(text);
    return Filled(otherwise, Symptom{}).value_or(std::string(otherwise));
  }

  Symptom loudest_;
  std::vector<const Told*> told_;
  std::vector<const Told*> doable_;  // of these, what the system of the log can do
};

// The texts of a cause, for the system that the log comes from.
knowledge::Cause TextsOf(std::string_view slug, base::Platform platform) {
  const bool windows = platform == base::Platform::kWindows;
  const knowledge::Cause* found = knowledge::FindCause(slug);
  knowledge::Cause cause = found == nullptr ? knowledge::Cause{} : *found;
  if (windows && !cause.windows_check.empty()) cause.check = cause.windows_check;
  if (windows && !cause.windows_fix.empty()) cause.fix = cause.windows_fix;
  return cause;
}

}  // namespace

report::LogLine Line(const Symptom& symptom, const std::vector<report::LogInput>& inputs) {
  const report::LogInput input = symptom.input < inputs.size() ? inputs[symptom.input] : report::LogInput{};
  return {.file = inputs.size() > 1 ? input.name : "",
          .line = symptom.line,
          .text = symptom.text,
          .count = symptom.count,
          .watched = input.watched};
}

report::LikelyCause Describe(std::string_view slug, double score, const Differential& differential,
                             std::span<const Symptom> symptoms, const std::vector<report::LogInput>& inputs) {
  std::vector<const Told*> speaking;
  for (const Told& told : differential.told()) {
    if (told.story->cause == slug && told.weight > 0) speaking.push_back(&told);
  }
  // Between equals the first of the table.
  std::ranges::sort(speaking, [](const Told* a, const Told* b) {
    return a->weight != b->weight ? a->weight > b->weight : a->story < b->story;
  });
  const base::Platform platform = PlatformOf(symptoms);
  const knowledge::Cause cause = TextsOf(slug, platform);
  const Words words(speaking, platform);
  report::LikelyCause likely{.cause = std::string(slug),
                             .code = words.Story(&Advice::code, cause.code),
                             .confidence = static_cast<int>(std::min(score, 0.99) * 100 + 0.5) / 100.0,
                             .summary = words.Story(&Advice::says, cause.title),
                             .because = words.Story(&Advice::because, ""),
                             .separate_by = words.ToDo(&Advice::check, cause.check),
                             .fix = words.ToDo(&Advice::fix, cause.fix),
                             .commands = words.Commands(),
                             .avoid = words.ToDo(&Advice::avoid, cause.avoid)};
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
    auto& facts = settlement.of_text ? likely.known : likely.settled;
    if (std::ranges::find(facts, settlement.says) == facts.end()) facts.push_back(settlement.says);
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

// Vague words resemble everything; the words of a message resemble a few others.
void AddNearest(report::Explanation& explanation, base::Platform platform) {
  // An error that does not speak of GPUs is hardly ever about them.
  if (explanation.unknown.empty() || !logs::SpeaksOfCuda(explanation.unknown.front().text)) return;
  const auto nearest = NearestSymptoms(explanation.unknown.front().text, kMostNear);
  if (!nearest.empty()) explanation.near.clear();
  for (const Nearby& nearby : nearest) {
    const knowledge::Cause cause = TextsOf(nearby.cause, platform);
    std::string words;
    for (const std::string& word : nearby.words) words += (words.empty() ? "\"" : ", \"") + word + "\"";
    explanation.near.push_back(
        {.cause = std::string(nearby.cause),
         .summary = std::string(cause.title),
         .because = "it shares the words " + words + " with known messages of this cause",
         .evidence = {explanation.unknown.front()},
         .separate_by = Words({}, platform).ToDo(&Advice::check, cause.check),
         .fix = Words({}, platform).ToDo(&Advice::fix, cause.fix)});
  }
  if (explanation.near.size() > kMostNear) explanation.near.resize(kMostNear);
}

}  // namespace culprit::explain
