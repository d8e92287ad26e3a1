#include "explain/logs/mention.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"
#include "explain/logs/re2_piece.h"
#include "explain/logs/text_kind.h"

namespace culprit::logs {
namespace {

// Counts what the lines of a text look like.
struct LineKinds {
  size_t lines = 0;        // not blank
  size_t code = 0;         // look like source code
  size_t code_starts = 0;  // start like source code only
  size_t headings = 0, bullets = 0, links = 0, fences = 0, table_rules = 0, spans = 0,
         bold = 0;  // Markdown bold
  size_t patch = 0, commits = 0, whole_commits = 0, found_in = 0;
  bool traceback = false;
  bool fenced = false;  // the line stands inside a fence, where `# command` is a prompt and no heading
};

// The line under a title, as long as the title is. Programs print longer ones around what they say, and a
// banner is framed by its own sign.
bool Underlines(std::string_view line, std::string_view title) {
  static const LazyRE2 kRule(R"(^(?:={4,}|-{4,})$)");
  constexpr size_t kLonger = 4;
  return Has(line, kRule) && !title.empty() && title.front() != line.front() &&
         line.size() <= title.size() + kLonger && title.size() <= line.size() + kLonger;
}

void Count(std::string_view line, std::string_view previous, LineKinds& kinds) {
  static const LazyRE2 kCodeEnd(R"([;{}]\s*$|\)\s*:\s*$|["'],\s*$)");
  static const LazyRE2 kCodeStart(
      R"(^\s*(?:#include|#define|#pragma|import [\w{*]|from [\w.]+ import|def \w+\(|class \w+|static const|constexpr|const \w+|namespace |template|std::|module\.exports|export (?:default|const|let|var|async|function|class|type|interface|enum|\{|\*)|function |func |fn |pub |msgid|msgstr|switch |case \w+:|return |if \(|else \{|try:|except ))");
  static const LazyRE2 kHeading(R"(^#{1,6} \w)"), kBullet(R"(^\s*(?:[-*]|\d+\.) [\[\x60*A-Za-z])"),
      kLink(R"(\]\()"), kFence("^\\s*(?:```|~~~)"), kTableRule(R"(^\|\s*:?-{3,})"), kSpan("`[^`']+`"),
      kBold(R"(^\*\*.+\*\*)");
  static const LazyRE2 kPatch(R"(^(?:diff --git |@@ -\d|--- a/|\+\+\+ b/|From [0-9a-f]{40} ))"),
      kCommit(R"(^(?:commit [0-9a-f]{40}|\^?[0-9a-f]{7,40} [(A-Za-z]))"),
      kFoundIn(
          R"(^[\w./+-]+\.(?:cc|cpp|cxx|cu|cuh|c|h|hpp|py|js|ts|go|rs|java|md|rst|txt|in|cmake|yml|yaml|toml):\d+:)");
  ++kinds.lines;
  kinds.code += Has(line, kCodeEnd) || Has(line, kCodeStart) ? 1 : 0;
  kinds.code_starts += Has(line, kCodeStart) ? 1 : 0;
  if (Has(line, kFence)) kinds.fenced = !kinds.fenced;
  kinds.headings += !kinds.fenced && (Has(line, kHeading) || Underlines(line, previous)) ? 1 : 0;
  kinds.bullets += !kinds.fenced && Has(line, kBullet) ? 1 : 0;
  kinds.links += Has(line, kLink) ? 1 : 0;
  kinds.fences += Has(line, kFence) ? 1 : 0;
  kinds.table_rules += Has(line, kTableRule) ? 1 : 0;
  kinds.spans += Has(line, kSpan) ? 1 : 0;
  kinds.bold += Has(line, kBold) ? 1 : 0;
  kinds.patch += Has(line, kPatch) ? 1 : 0;
  kinds.commits += Has(line, kCommit) ? 1 : 0;
  kinds.whole_commits += line.starts_with("commit ") && Has(line, kCommit) ? 1 : 0;
  const bool happened = line.find("error:") != std::string_view::npos ||
                        line.find(" Assertion ") != std::string_view::npos;  // from a compiler, from a kernel
  kinds.found_in += Has(line, kFoundIn) && !happened ? 1 : 0;
  kinds.traceback = kinds.traceback ||
                    line.find("Traceback (most recent call last)") != std::string_view::npos ||
                    line.find("  File \"") != std::string_view::npos;
}

// Words that people write before an error they talk about, and programs hardly ever do.
bool ReadsAsSentence(std::string_view before) {
  static const LazyRE2 kWord(
      R"((?i)(?:^|[\s(])(?:the|an?|that|this|is|was|were|are|when|if|we|you|i|they|it|with|about|like|and|or|of|on|in|for|to|from|after|because|says?|said|sees?|saw|means?|gets?|got|fix(?:e[sd])?|avoids?|handles?|explains?|reports?|shows?|instead|such|as|by|see|every|whether|no longer)(?:[\s,.:;)]|$))");
  static const LazyRE2 kLog(
      R"((?i)error\s*[:=(]|errors?\]|exception|warning|traceback|\bfatal|failed|failure|\blevel=|\d\d:\d\d:\d\d|\]:|[EWF]\d{4} |[EWIF] \w+/|nvrm|xid|terminate called|what\(\):|\.(?:cc|cpp|cu|py|h|c|go):\d+)");
  if (Has(before, kLog)) return false;
  size_t words = 0;
  re2::StringPiece rest = Piece(before);
  while (words < 2 && RE2::FindAndConsume(&rest, *kWord)) {
    ++words;
    if (!rest.empty()) rest = {rest.data() - 1, rest.size() + 1};  // the space may start the next word
  }
  return words >= 2;
}

bool InsideQuotes(std::string_view before, std::string_view after, char quote) {
  return std::ranges::count(before, quote) % 2 == 1 && after.find(quote) != std::string_view::npos;
}

}  // namespace

bool OnlyMentions(std::string_view beginning) {
  if (IsNoReport(KindOf(beginning))) return true;
  const std::vector<std::string> lines = base::Split(beginning, '\n');
  if (std::ranges::count_if(lines, [](const auto& line) { return !base::Trim(line).empty(); }) < 5)
    return false;
  LineKinds kinds;
  std::string_view previous;
  for (const std::string& line : lines) {
    if (!base::Trim(line).empty()) Count(line, previous, kinds);
    previous = line;
  }
  if (kinds.headings * 10 >= kinds.lines * 8) kinds.headings = 0;  // everything is commented out
  if (kinds.patch > 1) return true;
  if (kinds.commits > 2 && (kinds.commits * 10 >= kinds.lines * 3 || kinds.whole_commits > 1)) return true;
  if (kinds.found_in * 10 >= kinds.lines * 5) return true;
  if (kinds.traceback) return false;
  if (kinds.lines >= 8 && kinds.code_starts > 2 && kinds.code * 10 >= kinds.lines * 4) return true;
  const size_t marks = size_t{kinds.headings > 1} + size_t{kinds.bullets > 1} + size_t{kinds.links > 0} +
                       size_t{kinds.fences > 1} + size_t{kinds.table_rules > 0} + size_t{kinds.spans > 1} +
                       size_t{kinds.bold > 1};
  return kinds.headings > 0 && marks >= 2;
}

bool SpeaksOfCuda(std::string_view text) {
  static const LazyRE2 kCuda(
      R"((?i)cuda|cudnn|cublas|nvidia|nvcc|nvrtc|\bnv(?:ml|jit|enc|dec|link|jpeg|comp|shmem)|\bcu(?:tensor|statevec|sparse|fft|rand|solver|dss)|\w\.cuh?\b|fatbinary|optix|\bnpp|nccl|\bptx|tensorrt|torch|tensorflow|\bjax|cupy|onnxruntime|paddle|geforce|quadro|tesla|\b[rg]tx\b|\bsm_\d|triton|caffe|mxnet|llama|vllm|diffusers|xformers|flash[-_]attn|nvinfer|\bxla|dnn library)");
  static const LazyRE2 kGpu(R"((?i)\bgpus?\b|vram|\b(?:graphics|video) cards?\b|显存|顯存)");
  static const LazyRE2 kOthers(
      R"((?i)\bamd(?:gpu)?\b|\bradv\b|advanced micro devices|radeon|rocm|\bhip\w*|opencl|\bcl_?(?:platform|device)|\bmps\b|metal|vulkan|intel\(r\)|\bi915\b)");
  return Has(text, kCuda) || (Has(text, kGpu) && !Has(text, kOthers));
}

bool StatesNoNvidia(std::string_view text) {
  static const LazyRE2 kStated(
      R"((?i)\b(?:i|we) (?:do not|don['’]?t) (?:even )?(?:have|own) (?:an? |any )?nvidia\b|\b(?:machine|computer|laptop|notebook|pc|system|server|box|board|here|it|i|we) (?:has|have|is without) (?:no|neither) nvidia (?:card|gpu|hardware|graphics|device)|\bno nvidia (?:card|gpu|hardware|graphics)[^.\n]{0,30}\b(?:in (?:this|that|my|the)|here|whatsoever|at all)\b)");
  // Nobody wants a GPU there.
  static const LazyRE2 kWithout(
      R"((?i)\b(?:i|we)(?: only| just|'m only| am only)? run(?:ning)? (?:it |this |that |them |everything )?(?:only )?on (?:the |a )?cpu\b|\b(?:i|we) (?:have|own) no (?:nvidia |dedicated |discrete )?(?:gpu|graphics card)|\b(?:this|my) (?:machine|laptop|runner) (?:has no|is without an?|is cpu[- ]only|doesn't have an?|does not have an?) ?(?:nvidia )?(?:gpu|graphics card)?\b)");
  // A program says so, too.
  static const LazyRE2 kInstalled(R"((?i)no nvidia gpu installed in this system is supported)");
  const bool personal =
      std::ranges::any_of(std::to_array<std::string_view>(
                              {"I ", "We ", "we ", "y laptop", "y machine", "his machine", "his runner"}),
                          [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  return (Has(text, kStated) || (personal && Has(text, kWithout))) && !Has(text, kInstalled);
}

bool IsGuess(std::string_view line) {
  static const LazyRE2 kGuess(
      R"((?i)\b(?:maybe|perhaps|possibly|(?:can|may|might|could) (?:be|have been) (?:caused|due|related)|(?:not sure|unsure|wonder\w*) (?:if|whether)|(?:could|can|might) (?:it|this|that) be|is (?:it|this|that) because|i (?:guess|suspect))\b)");
  return Has(line, kGuess);
}

bool IntroducesError(std::string_view beginning) {
  static const LazyRE2 kIntroduced(  // not in a comment
      R"((?im)^(?:[^#\n][^\n]*)?\b(?:(?:this|these|following|below) (?:fatal |strange |weird |runtime |cuda )*(?:error|exception|warning|crash)s?(?: message| log| output)?s?|(?:fail(?:s|ed)?|crash(?:es|ed)?|ends?|stops?|dies|exits?) (?:with|in)|it (?:says|prints|complains|breaks|crashes))\b)");
  return Has(beginning, kIntroduced);
}

bool AsksForHelp(std::string_view beginning) {
  // Nothing comes back: there is no error to show.
  static const LazyRE2 kHangs(
      R"((?i)\bnever (?:comes? back|returns|finishes|completes|gets past)\b|\bhangs (?:forever|there|until|at|in|after)\b|\bnothing (?:more )?after this\b)");
  static const std::
      array<LazyRE2, 8>
          kKinds =
              {
                  // Somebody tells what they did or have; documents speak to "you".
                  LazyRE2(
                      R"((?m)(?:^|[\s(">*])[Ii](?:['’](?:m|ve|d|ll))? [a-z]+|(?i:\bmy) [a-z]+|\b(?i:we) (?:see|saw|get|got|had|ran|tried|noticed|observed?|upgraded|are (?:seeing|getting|using|running|facing)|can ?not|can't)\b|\bour [a-z\x60]+)"),
                  LazyRE2(
                      R"((?i)\b(?:i|we)(?: am|'m| are|'re| have|'ve| just| also| always| still| keep)* (?:get|got|getting|receive|receiving|received|see|seeing|face|facing|faced|encounter(?:ed|ing)?|run into|ran into|tr(?:y|ied|ying) to|can ?not|can't|could ?n[o']t)\b)"),
                  LazyRE2(
                      R"((?i)\b(?:i|we)(?: have|'ve| only have| just)* (?:installed|upgraded?|updated|compiled|built)\b[\s\S]{0,400}\b(?:error|fail|mismatch|missing|not found|crash)|\bwhen (?:i|we) (?:try|run|start|import|execute|launch)\b|\bwhen i\s+(?:am |was )?(?:build|compil|install|load|train|us)\w*\b[\s\S]{0,200}\b(?:error|fails?|failed|crash\w*)\b|\b(?:i|we) (?:try|tried|run|ran|want)\b[\s\S]{0,200}\b(?:error|it says|it fails|ends in)\b)"),
                  LazyRE2(
                      R"((?i)\bany (?:help|ideas?|suggestions?)\b|\bplease help\b|\bhow (?:to|can i|do i|should i) (?:fix|solve|overcome|resolve|deal with)\b|\bdo you have (?:any|some|a) (?:idea|solution|suggestion|clue)|\bhas any(?:one|body) (?:else )?(?:seen|had|got|met|faced|encountered|solved)\b|\bis this (?:an issue|a bug|a problem)\b|\bwhat (?:am i|is) (?:doing )?wrong\b)"),
                  LazyRE2(
                      R"((?i)\bwhat(?:'s| is| could be| might be) the (?:problem|reason|issue|cause)\b|\b(?:does any(?:one|body)|any(?:one|body)(?: else)?) (?:know|have|having|facing|seeing|met|encounter\w*)\b|\b(?:can|could) (?:any(?:one|body)|some(?:one|body)|you)(?: please)? (?:help|advise|tell me)\b|\bwhat (?:should|must|do|can|could) i (?:need to |have to )?do\b|\bmy (?:gpu|card|machine|computer|laptop|pc|server|system|program|code|driver|setup)\b)"),
                  LazyRE2(
                      R"((?i)(?:^|\n)[#*\s]*(?:steps to reproduce|to reproduce|expected behaviou?r|actual behaviou?r|describe the (?:bug|issue|problem)|(?:bug|issue) (?:report|description|summary)|what (?:happened|is returned|operating system|version)|error (?:screenshots|logs?|message)|your environment|relevant log output|name and version|(?:current|observed) behaviou?r|reproduction steps)\b|(?:^|\n)\s*(?:#{1,6} ?|\*\*)(?:description|(?:the )?problem|expected|actual|observed|what (?:i|we) (?:did|tried|expected))\b[^\n]{0,20}\n|(?:^|\n)[#*\s]*environment(?: details| info\w*)?[*: ]*\n\s*[-*]*\s*\**(?:os|operating system|platform|python|gpu|pytorch|torch|cuda|driver)\b)"),
                  // A title, and below it where it happened.
                  LazyRE2(
                      R"(^\s*# [^\n]+\n(?:[^#\n][^\n]*|\n)*?(?:Traceback \(most recent call last\)|[ \t]*File "[^"\n]+", line \d+))"),
                  // Chinese, Japanese, Korean, Russian, Spanish
                  LazyRE2("报错|出错|请问|怎么解决|怎么办|如何解决|求助|求大神|怎么回事|什么原因|是什么问题|"
                          "エラーが|해결|"
                          "오류가|에러가|ошибк|me (?:da|sale) "
                          "(?:un|este) error"),
              };
  // Others answer already: a chat, a mail that quotes questions, a list of questions and answers.
  static const LazyRE2 kAnswered(
      R"((?m)(?:^\[\d\d:\d\d\] \w+: .*\n[\s\S]*){2}|^>[^>\n]*\?$|\?\*\*$|(?i)frequently asked)");
  const TextKind of_text = KindOf(beginning);
  if (Has(beginning, kAnswered) || (IsNoReport(of_text) && of_text != TextKind::kTroubleshooting))
    return false;
  return Has(beginning, kHangs) ||
         std::ranges::any_of(kKinds, [&](const LazyRE2& kind) { return Has(beginning, kind); });
}

namespace {

// Lines in which nothing happens, wherever in them an error appears.
bool IsQuietLine(std::string_view line) {
  static const std::array<LazyRE2, 11> kKinds = {
      LazyRE2(R"(^\s*(?://+|/\*|;|<!--|\.\.)\s+\w|^\s+\*\s(?:\S+\s)*\S+$)"),  // a comment, without columns
      LazyRE2(
          R"((?i)\bignor(?:e|ed|ing) (?:the |import |load(?:ing)? )*(?:errors?|exceptions?) (?:when|while|from|of)\b)"),
      LazyRE2(R"(^\s*[-*] \[[ xX]\] )"),                       // a task
      LazyRE2(R"(^\s*(?:error|warning|note)?\s*CUL\d{4}\b)"),  // our own catalog
      LazyRE2(R"(^\s*\d+:\s.*\((?:fatal|continued)\)\s*$)"),   // LD_DEBUG: lookups that may fail
      LazyRE2(R"(^\s*[iIwW]! )"),                              // cuDNN's log: tried and skipped
      LazyRE2(R"(^\s*(?:\d+[:-])?\s*[A-Z][A-Z0-9_]+\s*=\s*\d+\s*,?\s*(?:/[/*].*)?$)"),  // an enumeration
      LazyRE2(R"(^\w+\{[^}]*\} [\d.e+-]+$)"),                                           // a metric
      LazyRE2(
          R"(\b(?:return|case)\s+["'\w]+.*;|\bswitch \(|^\s*(?:const|static|constexpr|#define)\s.*[{;]\s*$)"),
      LazyRE2(R"(^\[\d\d:\d\d\] \w+: [a-z])"),  // a chat
      LazyRE2(R"(^\+[A-Za-z#])"),               // a line that a patch adds
  };
  return std::ranges::any_of(kKinds, [&](const LazyRE2& kind) { return Has(line, kind); });
}

// What a program says about what may be wrong, and what to try.
bool IsAdvice(std::string_view before) {
  static const LazyRE2 kAdvice(
      R"((?i)^\s*(?:[-*]|\d+[.)])?\s*(?:please |you (?:may|can|could|should|might|need)|make sure|ensure |check (?:that|if|whether)|try |consider |(?:possible|common|likely|potential) (?:reason|cause)|this (?:may|can|could|might|usually|often|is (?:usually|often|probably))|it (?:may|can|could|might) be|perhaps |maybe |if (?:you|the|this|your)\b|hint: |note: |tip: ))");
  return Has(before, kAdvice);
}

// A compiler's warning at a line of source code, a test that passed or was skipped, what says of itself that
// it does no harm, a plug-in that NCCL tried to load and does without: what it cannot do without is a WARN
// (https://github.com/NVIDIA/nccl/issues/162 and /1231).
bool IsHarmlessByForm(std::string_view line) {
  static const LazyRE2 kForms(
      R"(^\s*\S+(?:\(\d+\)|:\d+(?::\d+)?): warning\b|^\s*(?:\d+/\d+ Test +#\d+: |\d+ - )\S+ *\.\.+ *(?:Passed|\*+Skipped|\*+Not Run)\b|^\s*(?:ok \d+ |\[ +OK \])|\b(?:PASSED|XFAIL|SKIPPED)\b|(?i:[,;:-] skipp(?:ing|ed)(?: (?:gpu |cuda )?tests?)?\W*$|\baccepting this combination\b|\b(?:can|may) be safely ignored\b)|\bNCCL INFO\b.*(?:dlerror=|Plugin load|cannot open shared object file|undefined symbol|(?i:could not find|unable to load|failed to (?:open|load|find)))|\bNo plugin found \(\S+\), using internal implementation)");
  return line.find("FAILED") == std::string_view::npos && Has(line, kForms);
}

// Words in the same sentence that make of an error a case, a definition or something that it was not.
bool IsSupposed(std::string_view before) {
  static const LazyRE2 kSupposed(
      R"((?i)\bif (?:you|users?|one|some(?:one|body)|any(?:one|body)) (?:ever |do |still |then |also )*(?:gets?|sees?|encounters?|receives?|runs? into|hits?|faces?|meets?)\b[^.!?]*$|(?:\(say|\blet'?s say|(?:^|[.!?(] ?)(?:suppose|imagine|assume)|\bhypothetical\w*)\b[^.!?]*$|^\W*(?:(?:error|code|status)\W+)?-?\d+ (?:is?|means?|stands for|maps to|should be)\W*$|\b(?:should|would)(?: rather| better| have)? (?:be|been|give[ns]?|raised?|thrown?|returned?|printed?|reported?)\b[^.!?]{0,30}$|\b(?:is|was|are|were)(?:n't| not) (?:an? |the |about (?:an? |the )?)\W*$|\b(?:instead of|rather than) (?:an? |the |just |only |plain |generic |cryptic |obscure |bare |raw )*(?:\W*|['\x22\x60][^'\x22\x60]{0,80})$)");
  // What a change cures: "- Fixed `...` with batch size 1".
  static const LazyRE2 kCured(
      R"((?i)^[\W\d]*(?:(?:feat|fix|chore|docs|perf|refactor|test|build|ci)(?:\([\w./-]+\))?!?: )?(?:fix(?:e[sd])?|catch(?:es)?|handles?|avoids?|avoided|prevents?|prevented|suppress(?:es|ed)?|silenced?|resolve[sd]?|quieten)\b[^.!?:'\x22\x60]*(?:['\x22\x60][^'\x22\x60]*)?$)");
  return Has(before, kSupposed) || Has(before, kCured);
}

// A comment or a heading, a field with words for people, advice for one system.
bool IsRemark(std::string_view line) {
  static const LazyRE2 kRemark(
      R"(^\s*#+\s+\w|^\s*(?:- )?(?:name|summary|description|title|expr|run|desc|help|subject):|\?[*\s]*$|^\s*On (?:Linux|Windows|macOS), (?:you |try |please ))");
  return Has(line, kRemark);
}

// key = text, except for keys that programs use to report errors.
bool IsSetting(std::string_view line, std::string_view before) {
  static const LazyRE2 kSpaced(R"(^\s*[\w.-]+ +=\s)"), kBare(R"(^\s*[\w.-]+\s*=\s*$)");
  static const LazyRE2 kReport(
      R"((?i)^\s*(?:\w*error|err|status|reason|message|msg|result|what|cause|details?|stderr|stdout|\w*exception)\s*[:=]\s*$)");
  if (Has(line, kSpaced)) return !Has(line.substr(0, line.find('=') + 1), kReport);
  return Has(before, kBare) && !Has(before, kReport);
}

// A line that somebody put into quotation marks as a whole shows what a program said.
bool IsShownWhole(std::string_view line, char quote) {
  line = base::Trim(line);
  while (line.starts_with("> ") || line.starts_with("- ") || line.starts_with("* ")) line.remove_prefix(2);
  while (line.ends_with('.') || line.ends_with(':')) line.remove_suffix(1);
  return line.size() > 2 && line.front() == quote && line.back() == quote &&
         std::ranges::count(line, quote) % 2 == 0;
}

// A string literal, or words in quotation marks; not the quotes of a structured log.
Mention Quoted(std::string_view line, std::string_view before, std::string_view after) {
  static const LazyRE2 kCode(
      R"(^[+\-\s]*(?:raise|throw|return|case|printf|fprintf|print|echo|assert\w*|EXPECT_\w+|ASSERT_\w+|std::|if |elif |in |const |static |char |string |#define|[{\[(]|"|'|\w+\s*=|\w+\s*:\W*$|\w+\())");
  static const LazyRE2 kReport(
      R"re((?i)\w*error|fail|fatal|exception|warn|"?\b(?:level|msg|message|log|severity|desc)"?\s*[:=])re");
  static const LazyRE2 kOnlyReport(
      R"re((?i)^\s*(?:\w*error|err|reason|message|msg|what|stderr|\w*exception)\s*[:=]\s*"$)re");
  static const LazyRE2 kStructured(
      R"re("(?:level|msg|message|log|severity|stream|time|ts)"\s*:|\b(?:level|msg|time)=)re");
  static const LazyRE2 kTraceback(R"re(^\s*File "[^"]*$)re");
  if (IsShownWhole(line, '`') || IsShownWhole(line, '"') || Has(before, kTraceback)) return Mention::kNone;
  if (InsideQuotes(before, after, '`')) return Mention::kTalk;
  // A line that starts with the name of an exception, or of a program that has an error, is what was printed.
  static const LazyRE2 kRaised(
      R"(^\s*[\w.]*(?:Error|Exception|Warning): |^\s*[\w.-]+: (?i:error|fatal|failed|warning)\b)");
  const bool code = Has(before, kCode) && !Has(before, kRaised);
  if (!InsideQuotes(before, after, '"') && !(code && InsideQuotes(before, after, '\'')))
    return Mention::kNone;
  if (Has(before, kOnlyReport) || (!code && Has(before, kReport)) || Has(line, kStructured))
    return Mention::kNone;
  return code ? Mention::kNever : Mention::kTalk;
}

}  // namespace

bool IsTyped(std::string_view line) {
  static const LazyRE2 kPrompt(
      R"(^\s*(?:\([\w.-]+\) ?)?(?:[\w.-]+@[\w.-]+[^$#%>]*[$#%>] |(?:ba|da|k|z)?sh-[\d.]+[$#] |[$#%>] |>>> |In ?\[\d+\]: |[A-Za-z]:\\[^>]*> ?|PS [^>]*> ?|(?:\S*/)?python[\d.]* -c ))");
  return Has(line, kPrompt);
}

Mention MentionAt(std::string_view line, size_t begin, bool is_first) {
  static const LazyRE2 kTest("::test_"), kSkipped(R"(\b(?:SKIPPED|XFAIL)\b[^)]{0,80}$)");
  static const LazyRE2 kOver(
      R"((?i)^[^.;]{0,120}\b(?:is|are|was|were|has been|have been) (?:now |already |finally )?(?:gone|fixed|solved|resolved)(?: (?:now|again|in [\w.#-]+))?(?:\W*$|[,;] (?:the )?(?:next|now|then|here)\b))"),
      kBut(R"((?i)\b(?:but|yet|however|still|again)\b)");
  static const LazyRE2 kCommand(R"(\b(?:grep|rg|echo|printf|sed|awk|git (?:commit|log)|assert)\b[^|]*$)");
  // A match may extend beyond the quotation, so the search for its end starts at the beginning.
  const std::string_view before = line.substr(0, begin), after = line.substr(begin);
  if (IsSupposed(before) || IsHarmlessByForm(line)) return Mention::kDenied;
  if (Has(after, kOver) && !Has(after, kBut)) return Mention::kDenied;
  if (IsQuietLine(line) || IsSetting(line, before) || Has(before, kCommand)) return Mention::kNever;
  if (Has(before, kSkipped)) return Mention::kDenied;
  if (Has(line, kTest) && line.find("FAILED") == std::string_view::npos) return Mention::kNever;
  const Mention quoted = Quoted(line, before, after);
  if (quoted != Mention::kNone) return quoted;
  // The title of an issue that is the message itself.
  static const LazyRE2 kTitle(
      R"(^# .*(?:\bError: |[A-Za-z](?:Error|Exception): |:\d+: (?:fatal )?error: |\b[Ee]rror ?: ["'\x60]?[A-Z]))");
  if (is_first && Has(line, kTitle)) line.remove_prefix(2);
  // A program names the place in its source, however much like a sentence the rest is.
  static const LazyRE2 kPlace(
      R"((?i)\b(?:at|in) (?:file )?['"]?[\w./\\-]+\.(?:cc?|cpp|cxx|cuh?|h|hpp|py|f90)['"]?(?:,? (?:in |at )?line |:)\d+)");
  if (Has(before, kPlace)) return Mention::kNone;
  return IsRemark(line) || IsAdvice(before) || ReadsAsSentence(before) ? Mention::kTalk : Mention::kNone;
}

}  // namespace culprit::logs
