#include "explain/logs/text_kind.h"

#include <re2/re2.h>

#include <algorithm>
#include <initializer_list>

#include "explain/logs/re2_piece.h"

namespace culprit::logs {
namespace {

constexpr size_t kTitleBytes = 40;  // bytes

// Looks for words before a pattern is compiled.
bool HasOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// What a program printed when it failed stands there.
bool ShowsError(std::string_view text) {
  static const LazyRE2 kPrinted(
      R"((?im)^traceback \(|^\s*file "[^"\n]+", line \d|^[^\n]{0,80}\b\w*(?:error|exception|fatal|failed)\w*\s?[:!]|^\s*[\w.]*(?:error|exception)\b|\bcore dumped\b|terminate called|panicked at|^```)");
  return Has(text, kPrinted);
}

bool IsWish(std::string_view beginning) {
  static const LazyRE2 kWish(
      R"((?i)^[#\s]*\[(?:fea|fr|feature|enhancement|rfe)(?: request| proposal)?\]|describe the solution you'd like)");
  static const LazyRE2 kRequest(
      R"((?i)\bfeature request\b|^[^\n]{0,120}\bit would be (?:nice|great|good|helpful|useful|handy) (?:if|to|when)\b)");
  static const LazyRE2 kForm(
      R"((?i)(?:\bor|/)\s?(?:a )?feature request\b)");  // "the problem or feature request"
  // "Could you print a warning where it goes to the CPU?"
  static const LazyRE2 kAsks(
      R"((?i)\b(?:could|would|can) (?:you|we|it|topaz|the \w+)(?: please| maybe| perhaps| also| at least)* (?:(?:print|emit|show|log|raise|add|display|give) (?:an?|some|the) (?:\w+ )?(?:warning|message|notice|hint|note|flag|option|switch|check|fallback)|warn\b|fall back\b))");
  return Has(beginning, kWish) || (Has(beginning, kRequest) && !Has(beginning, kForm)) ||
         (HasOneOf(beginning, {"ould ", "an you", "an we"}) && Has(beginning, kAsks) &&
          !ShowsError(beginning));
}

// "# Detect a failed import" as the title, and nobody speaks of a failure of their own.
bool IsTitledAsChange(std::string_view beginning) {
  static const LazyRE2 kTitle(
      R"(^#{1,2} (?:Add|Allow|Avoid|Bump|Catch|Clarify|Detect|Disable|Document|Enable|Ensure|Fix|Handle|Hide|Ignore|Improve|Refactor|Remove|Rename|Replace|Silence|Skip|Teach|Warn)\b)");
  static const LazyRE2 kOwn(
      R"((?i)\b(?:i|i'm|i've|my|me|help|please|we (?:see|saw|get|got|cannot|can't))\b|\?)");
  return Has(beginning, kTitle) && !Has(beginning, kOwn);
}

bool IsChange(std::string_view beginning) {
  static const LazyRE2 kChange(
      R"((?i)^\W*(?:this|the) (?:pr|mr|pull request|merge request|patch|commit|changeset|change) (?:adds?|fix\w*|makes?|catch\w*|handl\w+|remov\w+|updat\w+|chang\w+|mov\w+|introduc\w+|implement\w*|rais\w+|avoid\w*|improv\w+|replac\w+|allow\w*|prevent\w*|quieten\w*|silenc\w+|lets|teaches|is|will)\b|\b(?:before|after) this (?:pr|mr|patch)\b|\bwith this (?:pr|mr|patch|pull request),? (?:it|they|users?|one|you) (?:can |will |now )?(?:prints?|shows?|gets?|sees?|raises?|warns?|falls? back|uses?|works?|no longer)\b)");
  // "The build fails because ... . This PR leaves it out."
  static const LazyRE2 kThen(
      R"((?i)[.!?:]\s+(?:this|the|my) (?:pr|mr|pull request|merge request|patch) (?:adds|fixes|makes|catches|handles|removes|updates|changes|moves|introduces|implements|raises|avoids|improves|replaces|allows|prevents|silences|lets|teaches|leaves|skips|disables|enables|drops|turns|switches)\b)");
  // What only reviewers and their tools write, and what only a pull request has.
  static const LazyRE2 kReviewed(
      R"((?im)^\W*(?:differential revision|reviewed[- ]by|signed-off-by|co-authored-by|test plan|pull request resolved):|^\W*(?:resolves|closes|fixes) #\d+\W*$|^[>\s]*(?:thanks[,!.]? |lgtm[,!.]? )?merged\b[^\n]{0,3}(?:$|[,.!—-])|^#{1,3} (?:verification|test plan|testing done|how (?:was|has) this (?:been )?tested|what does this (?:pr|mr) do|type of change|(?:the )?(?:fix|changes))\b)");
  // "fix: ...", "* bugfix: ..." as the title; "Fix is ready, PR follows."
  static const LazyRE2 kCommit(
      R"((?i)^[\s*+-]*(?:bug ?fix|feat|fix|chore|refactor)(?:\([\w./-]+\))?!?: |\b(?:fix|patch)(?: is)? (?:ready|prepared)\b|\b(?:pr|patch|mr)(?: to)? follows?\b)");
  // "Release notes 4.2: fixed ...", "What's new in 2.1"
  static const LazyRE2 kNews(
      R"((?i)^\W*(?:release notes?|change ?log|what(?:'s| is) (?:new|changed)|new in|announcing|we (?:are (?:happy|pleased|glad) to|have just) (?:announce|release))\b)");
  const bool reviewed =
      HasOneOf(beginning, {"evision", "eviewed", "igned-off", "uthored", "est plan", "est Plan", "esolve",
                           "s #", "erged", "erification", "tested", "esting done", "does this",
                           "ype of change", "# Fix", "# The fix", "# Changes"}) &&
      Has(beginning, kReviewed);
  const bool committed =
      HasOneOf(beginning.substr(0, kTitleBytes), {"fix", "Fix", "feat", "chore", "refactor"}) ||
      HasOneOf(beginning, {"ollow", "ready", "prepared"});
  return Has(beginning, kChange) || Has(beginning, kThen) || IsTitledAsChange(beginning) ||
         (Has(beginning, kNews) && !ShowsError(beginning)) ||
         ((reviewed || (committed && Has(beginning, kCommit))) && !ShowsError(beginning));
}

// It begins by saying what, or asks whether to do it.
bool IsTask(std::string_view beginning) {
  static const LazyRE2 kOpens(
      R"((?i)^\W*(?:add|put|change|update|remove|replace|bump|document|move|rename|allow|expose|introduce|implement|refactor|consider|investigate|extend|silence|drop) (?:\x60|(?:an?|the|our|this|these|some|more|support|options?|docs|documentation|tests?)\b))"),
      kProposes(
          R"((?i)^\W*(?:we (?:should|may want to|might want to)|i(?:'d| would) (?:show|propose|suggest)|i propose)\b|(?:^|[.!?;)]\s+)(?:can|could|shall|should) we (?:\w+ )?(?:silence|hide|print|document|change|drop|remove|skip|suppress|mention)\b)");
  return Has(beginning, kOpens) || Has(beginning, kProposes);
}

// Somebody's report has one of these at most.
bool IsTroubleshooting(std::string_view beginning) {
  static const LazyRE2 kProblem(R"((?im)^[#>*\s-]*(?:problem|symptom|error|issue)s?[*:]{1,4} )"),
      kCause(R"((?im)^[#>*\s-]*(?:cause|reason|explanation)s?[*:]{1,4} )"),
      kQuestion(R"((?m)^[#>*\s-]*Q\d*[:.)] )"), kAnswer(R"((?m)^[#>*\s-]*A\d*[:.)][*]* )");
  return (Has(beginning, kProblem) && Has(beginning, kCause)) ||
         (Has(beginning, kQuestion) && Has(beginning, kAnswer));
}

// "Can I use this with cpu only?" in the first sentence.
bool IsQuestion(std::string_view beginning) {
  static const LazyRE2 kAsks(
      R"((?i)^\W*(?:(?:hi|hello|hey)\b[^\n.!?]{0,30}[,.!]?\s+)?(?:(?:can|could|does|do|is|will|would|must) (?:i|it|this|that|we|one|you|there|the \w+)\b[^?\n]{0,80}\b(?:without (?:an? |any )?(?:nvidia |cuda )?(?:gpu|card|cuda)|no (?:nvidia )?gpu|(?:cpu|amd|radeon)[- ]only|only (?:on |with )?(?:the |a )?cpu|(?:on|with|for) (?:an? |the |my )?(?:cpu|amd|radeon|intel|mac\b|apple))|how much (?:v?ram|gpu memory|memory|of a gpu))[^?\n]{0,60}\?)");
  return HasOneOf(beginning, {"?"}) && Has(beginning, kAsks) && !ShowsError(beginning);
}

}  // namespace

TextKind KindOf(std::string_view beginning) {
  if (IsWish(beginning)) return TextKind::kWish;
  if (IsChange(beginning)) return TextKind::kChange;
  if (IsTask(beginning)) return TextKind::kTask;
  if (IsTroubleshooting(beginning)) return TextKind::kTroubleshooting;
  return IsQuestion(beginning) ? TextKind::kQuestion : TextKind::kOther;
}

bool AsksWhetherHarmful(std::string_view text) {
  static const LazyRE2 kAsks(
      R"((?i)\bshould (?:i|we) (?:care|worry|be (?:worried|concerned))\b|\bdo (?:i|we) (?:need|have) to (?:care|worry)\b|\b(?:anything|something) to worry about\b|\bdo(?:es)? (?:it|this|that|these|they) (?:matter|hurt)\b|\b(?:can|may|could) (?:i|we|it|this|that|they|these)(?: \w+){0,2} ?(?:be )?(?:safely )?ignored?\b[^.\n]{0,40}\?|\b(?:is|are) (?:it|this|that|these|they) (?:safe to ignore|harmless|bad|harmful|serious)\b[^.\n]{0,20}\?|,? \bbad(?: or not bad)?\?|\bmean(?:s)? (?:that )?(?:something|anything) is (?:broken|wrong)\?)");
  return HasOneOf(text, {"?"}) && Has(text, kAsks);
}

}  // namespace culprit::logs
