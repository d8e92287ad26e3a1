#include "explain/logs/error_lines.h"

#include <re2/re2.h>

#include <array>

#include "base/text.h"
#include "explain/logs/clean_line.h"
#include "explain/logs/mention.h"
#include "explain/logs/re2_piece.h"

namespace culprit::logs {
namespace {

constexpr size_t kLongestLine = 4 << 10;  // bytes of a line
constexpr size_t kShownError = 400;

// From the surest to the weakest.
enum Kind : size_t { kException, kCrash, kErrorWord, kKinds };

const std::array<RE2, kKinds>& Patterns() {
  static const std::array<RE2, kKinds> kPatterns = {
      RE2(R"((?:^|[\s\]|:])((?:[A-Za-z_][\w.]*[.:])?[A-Z]\w*(?:Error|Exception|Failure|Fault|NotFound)(?:: |:$|\()|^\s*[A-Za-z_][\w.]*(?:Error|Exception)$|^Exception\b|^Traceback \(most recent call last\)|[Uu]nhandled [Ee]xception))"),
      RE2(R"((?i)(\bsegmentation fault\b|\bcore dumped\b|^abort(?:ed)?\b|terminate called|panicked at|stack smashing|\bbus error\b|illegal instruction|assertion .{0,300}failed|^killed$|^(?:g?make|ninja)(?:\[\d+\])?: (?:\*\*\*|build stopped)|non-zero exit (?:status|code)|\bexit(?:ed)?(?: with)? (?:code|status|value)[: ]+(?:[1-9]|-\d)|returned a non-zero code))"),
      RE2(R"((?i)(?:^|[\s\]|>("'])((?:(?:fatal|internal|compiler|link(?:er)?|runtime|unexpected|unknown) )?(?:error|fatal)(?:\s*[:!\]]|\s+[A-Z]{1,3}\d{3,5}\b|\s+(?:code|number)\s*-?\d+\b|\s+-?[1-9]\d*(?:[:,;)]|$))|(?-i:\b(?:FATAL|CRITICAL|PANIC|SEVERE|ERROR)\b|^E\d{4} |^\[[EF] )|^error (?:using|in) \w|^cmake error\b|\blevel=(?:error|fatal)))"),
  };
  return kPatterns;
}

// Where the line says that something went wrong, and how surely.
std::optional<std::pair<Kind, size_t>> FindError(std::string_view line) {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    re2::StringPiece words;
    if (RE2::PartialMatch(Piece(line), Patterns()[kind], &words))
      return std::pair(static_cast<Kind>(kind), static_cast<size_t>(words.data() - line.data()));
  }
  return std::nullopt;
}

}  // namespace

bool TellsOfSuccess(std::string_view line) {
  static const LazyRE2 kSuccess(
      R"((?i)\bno errors?\b|\b0 (?:errors?|failed|failures)\b|errors?\s*[=:]\s*0\b|\.\.\. ok$|\bpassed\b|"(?:get|post|head) /|^\w[\w. ]*(?:, [\w.\[\]%/ ]+){4,}$|^\s*(?:requirement already satisfied|successfully (?:installed|uninstalled|built)|collecting [\w.-]+))");
  return RE2::PartialMatch(Piece(line), *kSuccess);
}

bool TellsOfFetching(std::string_view line) {
  static const LazyRE2 kFetching(
      R"re((?i)pull access denied|\bmanifest (?:for \S+ )?(?:unknown|not found)|(?:fail\w*|unable|could not|couldn't) (?:to )?(?:fetch|clone|resolve (?:host|proxy)|access 'https?:|connect to \S+ port)|fatal: clone of|^CONFLICT \(|\bmerge conflict|is already in use by container|\bNO_PUBKEY\b|Permission denied \(publickey|certificate[ _]verify[ _]failed|Max retries exceeded|\b[45]\d\d (?:client|server) error\b|\b404 not found\b|\bnpm ERR!|ImagePullBackOff|fail\w* to pull image|failed to solve: |returned a non-zero code)re");
  return RE2::PartialMatch(Piece(line), *kFetching);
}

std::optional<ErrorLine> EndingError(std::string_view text, bool talk) {
  std::array<std::optional<ErrorLine>, kKinds> found;
  uint64_t number = 0;
  for (const std::string& line : base::Split(text, '\n')) {
    ++number;
    const std::string cleaned = CleanLine(std::string_view(line).substr(0, kLongestLine)).text;
    const auto error = FindError(cleaned);
    if (!error || TellsOfSuccess(cleaned)) continue;
    const Mention mention = MentionAt(cleaned, error->second, number == 1);
    if (mention > Mention::kTalk || (mention == Mention::kTalk && !talk)) continue;
    auto& known = found[error->first];
    if (known && error->first == kErrorWord) continue;  // what follows an error follows from it
    known = {number, std::string(base::Trim(std::string_view(cleaned).substr(0, kShownError)))};
  }
  for (const auto& line : found) {
    if (line) return line;
  }
  return std::nullopt;
}

std::optional<ErrorLine> OrdinaryException(std::string_view text) {
  static const LazyRE2 kException(R"(^\s*(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception): )");
  // Frameworks raise these for everything, or only pass on that another process failed.
  static const LazyRE2 kOfAnything(
      R"(\b(?:Runtime|Internal|System|Import|ModuleNotFound|ChildFailed|CalledProcess|XlaRuntime|JaxRuntime|Assertion)Error\b)"),
      kOfMachine(R"((?i)\bdevices?\b|memory|librar|\bdll\b|\.so\b|driver|kernel|accelerator|backend)");
  std::optional<ErrorLine> last;
  uint64_t number = 0;
  for (const std::string& line : base::Split(text, '\n')) {
    ++number;
    const std::string cleaned = CleanLine(std::string_view(line).substr(0, kLongestLine)).text;
    if (!RE2::PartialMatch(cleaned, *kException) || MentionAt(cleaned, 0) != Mention::kNone) continue;
    last = {number, std::string(base::Trim(std::string_view(cleaned).substr(0, kShownError)))};
  }
  const bool other = last && (RE2::PartialMatch(last->text, *kOfAnything) ||
                              RE2::PartialMatch(last->text, *kOfMachine) || SpeaksOfCuda(last->text));
  return other ? std::nullopt : last;
}

namespace {

// What a scheduler, a formatter or a linter says of its own work; how fast something is; what is planned.
bool TellsOfOtherTools(std::string_view line) {
  static const LazyRE2 kTools(
      R"((?i)^\W*\d+/\d+ nodes are available|\b(?:clang-format|clang-tidy|cpplint|roslint|flake8|pylint|black|ruff|isort|pre-commit|mypy|codespell)\b|\bDUE TO (?:TIME LIMIT|PREEMPTION)\b|\bparse error at \(\S+/templates/|\blibva error\b|\bvaInitialize\b|\b(?:most of|(?:almost|nearly) all(?: of)?) the time\b|\bany plans? (?:to|for|on|of)\b|^[#\s]*(?:\[\w+\] ?)?support (?:for|of) )");
  return RE2::PartialMatch(Piece(line), *kTools);
}

}  // namespace

bool IsBesideThePoint(std::string_view line) {
  return TellsOfSuccess(line) || TellsOfFetching(line) || TellsOfOtherTools(line) || IsOfOtherMakers(line);
}

}  // namespace culprit::logs
