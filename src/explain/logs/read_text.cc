#include "explain/logs/read_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "explain/logs/log_reader.h"
#include "explain/logs/mention.h"
#include "explain/logs/re2_piece.h"
#include "explain/logs/text_kind.h"
#include "explain/logs/unwrap.h"

namespace culprit::logs {
namespace {

using knowledge::Role;

constexpr size_t kPasted = 64 << 10;  // bytes; more is not pasted by a person

bool Fails(const Symptom& symptom) {
  return symptom.role() != Role::kContext && symptom.role() != Role::kHarmless;
}

LogReader Read(std::string_view text, size_t input, uint64_t at_least) {
  LogReader reader(input, at_least);
  while (!text.empty()) {
    const std::span<char> room = reader.Room();
    const size_t count = text.copy(room.data(), room.size());
    text.remove_prefix(count);
    reader.Added(count);
  }
  reader.Flush();
  return reader;
}

// What tells more: failures first.
std::pair<std::ptrdiff_t, std::ptrdiff_t> Loudness(const std::vector<Symptom>& symptoms) {
  return {std::ranges::count(symptoms, Role::kFailure, &Symptom::role),
          std::ranges::count_if(symptoms, Fails)};
}

bool IsGuessed(const Symptom& symptom) { return symptom.role() == Role::kHint && IsGuess(symptom.text); }

// Whether the program itself marked the line as a notice, after which it goes on.
bool IsNotice(const Symptom& symptom, Origin origin) {
  static const RE2 kLevel(R"((?:^|[\s:])[IW] (?:tensorflow|external)/|^[IW]\d{4} \d\d:)");
  return symptom.role() == Role::kConsequence || symptom.role() == Role::kHint ||
         (origin == Origin::kPasted && RE2::PartialMatch(Piece(symptom.text), kLevel));
}

// A program said that it goes on without the GPU, and later ended by an exception that has nothing to do with
// it: then what it said is not why.
std::optional<ErrorLine> EndedOtherwise(const std::vector<Symptom>& symptoms, const LogReader::Tail& tail,
                                        Origin origin) {
  const auto ends_it = [&](const Symptom& symptom) { return Fails(symptom) && !IsNotice(symptom, origin); };
  if (std::ranges::none_of(symptoms, Fails) || std::ranges::any_of(symptoms, ends_it)) return std::nullopt;
  std::optional<ErrorLine> error = OrdinaryException(tail.text);
  const bool later = error && std::ranges::all_of(symptoms, [&](const Symptom& symptom) {
                       return !Fails(symptom) || symptom.last_line < error->line + tail.first_line - 1;
                     });
  return later ? error : std::nullopt;
}

// Somebody asks only whether what a program says does harm, and nothing ended by it.
bool IsOnlyWondered(std::string_view text) {
  static const LazyRE2 kEnded(
      R"((?im)^traceback \(|core dumped|terminate called|\b(?:crash|abort|exit)(?:s|es|ed|ing)?\b|\b(?:does ?n[o']t|did ?n[o']t|can ?not|can't|won't) (?:start|work|run|load|use|find)\b|\bfails?\b)");
  return AsksWhetherHarmful(text) && !Has(text, kEnded);
}

// What to ask of a text whose lines were joined.
struct Mending {
  bool only_sure = false;   // nothing else says that something failed
  bool only_clear = false;  // an error stands there: vague words do not explain it
};

// What failed once the lines are as they were; empty if that tells no more than what is `known`.
std::vector<Symptom> SymptomsOfMended(std::string_view text, const LogReader& reader, size_t input,
                                      const std::vector<Symptom>& known, Mending mending) {
  for (const Unwrapped& way : Unwrap(text)) {
    if (mending.only_sure && !way.sure) continue;
    std::vector<Symptom> symptoms = Read(way.text, input, reader.shown_lines()).symptoms();
    std::erase_if(symptoms, [&](const Symptom& symptom) { return reader.Denies(*symptom.signature); });
    if (Loudness(symptoms) <= Loudness(known)) continue;
    if (mending.only_clear && std::ranges::none_of(symptoms, &Symptom::speaks)) continue;
    const auto original = [&](uint64_t line) {
      return line == 0 || line > way.numbers.size() ? line : way.numbers[line - 1];
    };
    for (Symptom& symptom : symptoms) {
      symptom.line = original(symptom.line);
      symptom.last_line = original(symptom.last_line);
    }
    return symptoms;
  }
  return {};
}

}  // namespace

base::Result<ReadText> ReadLog(base::ByteStream& stream, size_t input, Origin origin) {
  LogReader reader(input);
  while (true) {
    const auto got = stream.Read(reader.Room());
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    reader.Added(*got);
  }
  reader.Flush();
  ReadText read{.symptoms = reader.symptoms(), .lines = reader.lines(), .unknown = {}};
  if (const Symptom* mentioned = reader.Mentioned(); mentioned != nullptr)
    read.mentioned = ErrorLine{mentioned->line, mentioned->text};
  if (reader.only_mentions() && !reader.asks_for_help()) return read;
  const LogReader::Tail tail = reader.tail();
  std::optional<ErrorLine> error = EndedOtherwise(read.symptoms, tail, origin);
  if (error) {
    std::erase_if(read.symptoms, Fails);
    read.unknown = ErrorLine{error->line + tail.first_line - 1, std::move(error->text)};
    return read;
  }
  // A program goes on, and somebody wonders about what it says: nothing failed.
  if (origin == Origin::kPasted && read.lines <= LogReader::kLongestRequest && IsOnlyWondered(tail.text)) {
    std::erase_if(read.symptoms, Fails);
    return read;
  }
  if (std::ranges::all_of(read.symptoms, [](const Symptom& one) { return !Fails(one) || IsGuessed(one); })) {
    error = EndingError(tail.text, reader.asks_for_help());
    if (error) std::erase_if(read.symptoms, IsGuessed);  // beside what is shown, a guess is no evidence
  }
  const bool known = std::ranges::any_of(read.symptoms, Fails);
  if (!tail.is_cut && tail.text.size() <= kPasted) {
    const bool troubled = known || error || reader.asks_for_help();
    auto mended = SymptomsOfMended(tail.text, reader, input, read.symptoms,
                                   {.only_sure = !troubled, .only_clear = error.has_value()});
    if (!mended.empty()) return ReadText{.symptoms = std::move(mended), .lines = read.lines, .unknown = {}};
  }
  // Something went wrong; then what is only spoken of is what it was.
  if (error && read.lines <= LogReader::kLongestRequest) {
    auto spoken = reader.SymptomsWith(true);
    std::erase_if(spoken, IsGuessed);
    if (std::ranges::any_of(spoken, Fails))
      return ReadText{.symptoms = std::move(spoken), .lines = read.lines, .unknown = {}};
  }
  if (error) read.unknown = ErrorLine{error->line + tail.first_line - 1, std::move(error->text)};
  return read;
}

}  // namespace culprit::logs
