// The error message with which a program ended. An uncaught exception printed by Python or C++ is decisive:
// if it does not mention CUDA, all earlier failures were survived.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/windows/path.h"
#include "explain/logs/clean_line.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kTerminate = "terminate called after throwing an instance of";
constexpr size_t kLongestWords = 300;
constexpr size_t kNearTheLast = 3;  // lines; an error without a traceback, as of the compiler, is the last

bool InExceptionName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// "ValueError: x", "torch.OutOfMemoryError: CUDA ...": a dotted name that ends as exceptions do.
bool IsExceptionLine(std::string_view line) {
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (name.empty() || name.size() > 80 || colon == std::string_view::npos) return false;
  if (!std::ranges::all_of(name, InExceptionName)) return false;
  for (const std::string_view ending : {"Error", "Exception", "Interrupt", "Exit"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

bool Indented(std::string_view line) { return line.empty() || line.front() == ' ' || line.front() == '\t'; }

bool Connects(std::string_view line) {
  return line.starts_with("During handling of the above exception") ||
         line.starts_with("The above exception was the direct cause");
}

// Python draws a group of exceptions as a tree: "  + Exception Group Traceback ...", "    | KeyError: 'x'".
bool OfGroup(std::string_view line) {
  const std::string_view text = base::Trim(line);
  return text == "|" || text.starts_with("| ") || text.starts_with("+ Exception Group Traceback") ||
         text.starts_with("+-+---") || text.starts_with("+------");
}

std::string WithoutTree(const std::string& line) {
  const std::string_view text = base::Trim(line);
  if (text.starts_with("+ Exception Group Traceback")) return std::string(kTraceback);
  if (text.starts_with('+') || text == "|") return "";
  return std::string(text.substr(2));
}

// Where the chain of exceptions that ends with the traceback at `last` begins.
size_t BeginOfChain(const std::vector<std::string>& lines, size_t last) {
  size_t begin = last;
  while (begin > 0) {
    size_t above = begin - 1;
    while (above > 0 && lines[above].empty()) --above;
    if (!Connects(lines[above])) break;
    size_t earlier = above;
    while (earlier > 0 && lines[earlier] != kTraceback) --earlier;
    if (lines[earlier] != kTraceback) break;
    begin = earlier;
  }
  return begin;
}

// Names of files stand in every traceback, and a folder may have any name.
bool SpeaksOfCuda(std::string_view line) {
  if (base::Trim(line).starts_with("File \"")) return false;
  static constexpr std::array<std::string_view, 14> kWords = {
      "cuda", "cudnn", "cublas", "cufft", "cusparse", "cusolver", "nvidia",
      "nccl", "nvrtc", "nvml",   "nvcc",  "gpu",      "libcu",    "ptx"};
  const std::string folded = base::FoldCase(line);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return base::Contains(folded, word); });
}

// `begin`: of the group that it is in, or its own.
void OfTraceback(const std::vector<std::string>& lines, size_t begin, size_t traceback, LastError& error) {
  size_t at = traceback + 1;
  while (at < lines.size() && Indented(lines[at])) ++at;
  if (at == lines.size()) return;
  error = {.words = lines[at], .from = BeginOfChain(lines, begin), .end = LastError::End::kTraceback};
}

void OfTerminate(const std::vector<std::string>& lines, size_t at, LastError& error) {
  error = {.words = std::string(base::Trim(lines[at])), .from = at, .end = LastError::End::kTerminate};
  if (at + 1 < lines.size() && base::Trim(lines[at + 1]).starts_with("what():"))
    error.words = base::Trim(base::Trim(lines[at + 1]).substr(std::string_view("what():").size()));
}

}  // namespace

LastError FindLastError(const std::vector<std::string>& raw) {
  std::vector<std::string> lines;
  lines.reserve(raw.size());
  size_t group = raw.size();  // where the group that is being read began
  std::vector<size_t> begins;
  for (const std::string& line : raw) {
    std::string text = logs::CleanLine(line).text;
    const bool of_group = OfGroup(text);
    if (!of_group) group = raw.size();
    if (of_group && group == raw.size()) group = lines.size();
    begins.push_back(of_group ? group : lines.size());
    lines.push_back(of_group ? WithoutTree(text) : std::move(text));
  }
  while (!lines.empty() && base::Trim(lines.back()).empty()) lines.pop_back();
  LastError error;
  for (size_t at = 0; at < lines.size(); ++at) {
    if (lines[at] == kTraceback) {
      OfTraceback(lines, begins[at], at, error);
    } else if (lines[at].starts_with(kTerminate)) {
      OfTerminate(lines, at, error);
    } else if (IsExceptionLine(lines[at]) && error.end == LastError::End::kNone) {
      const bool last = at + kNearTheLast >= lines.size();
      error = {.words = lines[at], .from = at, .end = last ? LastError::End::kLine : LastError::End::kNone};
    }
  }
  for (size_t at = error.from; at < lines.size() && !error.words.empty(); ++at)
    error.of_cuda = error.of_cuda || SpeaksOfCuda(lines[at]);
  if (error.words.size() > kLongestWords) error.words = error.words.substr(0, kLongestWords) + " ...";
  return error;
}

bool EndedBy(const record::Run& run, const LastError& error) {
  switch (error.end) {
    case LastError::End::kTraceback:
    case LastError::End::kLine:
      return run.signal.empty() && run.exit_status == 1;
    case LastError::End::kTerminate:
      return run.signal == "SIGABRT" || run.exit_status == 134;
    case LastError::End::kNone:
      break;
  }
  return false;
}

}  // namespace culprit::run
