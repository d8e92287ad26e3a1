// What the texts of a record show: symptoms, names of libraries. The logs of cuDNN and of the driver also
// list mere attempts, so only their errors count.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "explain/logs/clean_line.h"
#include "explain/logs/read_text.h"
#include "explain/logs/text_stream.h"
#include "knowledge/libraries.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

constexpr size_t kLongestName = 255;
constexpr std::string_view kQuietLevels[] = {"INFO", "DEBUG", "TRACE"};

// Progress bars return to the start of their line; what they overwrite is a line of its own here.
std::string InLines(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      lines += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      lines += '\n';
    }
  }
  return lines;
}

// Messages of cuDNN begin with E!, W! or I! and go on until the next one.
std::string ErrorsOnly(record::Channel name, const std::string& text) {
  if (name != record::Channel::kCudnnLog) return text;
  std::string errors;
  bool heard = false;
  for (const std::string& line : base::Split(text, '\n')) {
    const bool begins = line.size() > 2 && line[1] == '!' && (line[2] == ' ' || line[2] == '.');
    if (begins) heard = line.starts_with("E!");
    if (heard) errors += line + "\n";
  }
  return errors;
}

void Read(const std::string& text, size_t input, uint64_t lines_before, Heard& heard, uint64_t& lines) {
  logs::TextStream stream(text);
  auto read = logs::ReadLog(stream, input, logs::Origin::kWatched);
  if (!read) return;
  for (logs::Symptom& symptom : read->symptoms) {
    symptom.line += lines_before;
    symptom.last_line += lines_before;
    heard.symptoms.push_back(std::move(symptom));
  }
  lines += read->lines;
}

bool IsOutput(const record::Text& text) { return text.name == record::Channel::kOutput; }
bool OfATool(const record::Text& text) {
  return text.name == record::Channel::kSanitizer || text.name == record::Channel::kDebugger;
}

bool InName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+';
}

bool IsFailure(const logs::Symptom& symptom) {
  return symptom.role() == knowledge::Role::kFailure || symptom.role() == knowledge::Role::kConsequence;
}

// The program asked a library that is not CUDA's for a function that it does not have: Python then says
// AttributeError, while a library that cannot be linked is an ImportError or OSError.
bool AskedInVain(const logs::Symptom& symptom) {
  return symptom.kind() == "symbol-missing" && base::Contains(symptom.text, "AttributeError: ") &&
         knowledge::FindLibrary(base::BaseName(symptom.attribute("library"))) == nullptr;
}

// A package manager ran.
bool Installs(const record::Run& run) {
  static constexpr std::array<std::string_view, 13> kManagers = {
      "pip",     "pip3", "uv",  "conda", "mamba", "micromamba", "apt",
      "apt-get", "dpkg", "dnf", "yum",   "rpm",   "poetry"};
  const auto manager = [](const std::string& word) {
    return std::ranges::find(kManagers, base::BaseName(word)) != kManagers.end();
  };
  return std::ranges::any_of(run.command, manager) ||
         std::ranges::any_of(run.processes, [&](const record::Process& process) {
           return manager(process.program) || std::ranges::any_of(process.arguments, manager);
         });
}

// The last words of the output, and what was survived before them.
void HearTheEnd(const record::Run& run, Heard& heard) {
  size_t input = 0;
  for (size_t i = 0, read = 0; i < run.texts.size(); ++i) {
    const record::Text& text = run.texts[i];
    if (OfATool(text) || text.name == record::Channel::kCudaLog) continue;
    if (IsOutput(text)) {
      const bool cut = !text.end.empty();
      const auto lines = base::Split(InLines(cut ? text.end : text.beginning), '\n');
      LastError last = FindLastError(lines);
      const auto before =
          cut ? static_cast<size_t>(std::ranges::count(InLines(text.beginning), '\n')) + text.left_out_lines
              : size_t{0};
      if (!last.words.empty()) {
        heard.last = std::move(last);
        heard.last.from += before + 1;
        input = read;
      }
    }
    ++read;
  }
  if (!run.failed() || heard.last.of_cuda || !EndedBy(run, heard.last)) return;
  const auto told = [&](const logs::Symptom& symptom) {
    return symptom.input == input && symptom.last_line >= heard.last.from;
  };
  heard.own_error = std::ranges::none_of(
      heard.symptoms, [&](const logs::Symptom& symptom) { return IsFailure(symptom) && told(symptom); });
  if (heard.own_error) std::erase_if(heard.symptoms, IsFailure);
}

// Whether the line around this place tells how things go, by its level: "NCCL INFO ... Could not find:
// libnccl-env.so".
bool IsInformation(std::string_view text, size_t at) {
  const size_t begin = text.rfind('\n', at) + 1;  // 0 if there is none
  const std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  return std::ranges::any_of(kQuietLevels, [&](std::string_view level) {
    const size_t found = line.find(level);
    if (found == std::string_view::npos) return false;
    const size_t after = found + level.size();
    return (found == 0 || !InName(line[found - 1])) && (after == line.size() || !InName(line[after]));
  });
}

}  // namespace

std::string WholeText(const record::Text& text) {
  if (text.left_out == 0) return text.beginning + text.end;
  return text.beginning + fmt::format("\n[{} bytes left out]\n", text.left_out) + text.end;
}

bool Heard::Failure() const {
  return std::ranges::any_of(symptoms.begin(), symptoms.begin() + static_cast<std::ptrdiff_t>(of_texts),
                             IsFailure);
}

Heard ReadTexts(const record::Run& run) {
  Heard heard;
  for (const record::Text& text : run.texts) {
    // kernel_errors.h reads those of tools. Of the driver's, the calls that failed are facts already, and
    // which of them matters is decided in run_calls.cc: healthy programs have such lines.
    if (OfATool(text) || text.name == record::Channel::kCudaLog) continue;
    const size_t input = heard.inputs.size();
    uint64_t lines = 0;
    Read(ErrorsOnly(text.name, InLines(text.beginning)), input, 0, heard, lines);
    if (!text.end.empty()) {
      const uint64_t before = lines + text.left_out_lines;
      Read(ErrorsOnly(text.name, InLines(text.end)), input, before, heard, lines);
      lines += text.left_out_lines;
    }
    heard.inputs.push_back({std::string(base::Word(text.name)), lines});
  }
  // Hints count only if there is nothing but a text.
  std::erase_if(heard.symptoms, [](const auto& symptom) { return symptom.role() == knowledge::Role::kHint; });
  std::erase_if(heard.symptoms, AskedInVain);
  // A damaged archive is a damaged package where packages are installed; elsewhere it is the program's data.
  if (!Installs(run))
    std::erase_if(heard.symptoms,
                  [](const logs::Symptom& symptom) { return symptom.kind() == "package-damaged"; });
  HearTheEnd(run, heard);
  heard.of_texts = heard.symptoms.size();
  return heard;
}

void AddLine(Heard& heard, const std::string& line) {
  if (heard.inputs.empty() || !heard.inputs.back().watched)
    heard.inputs.push_back({.name = "watch", .watched = true});
  const uint64_t before = heard.inputs.back().lines;
  uint64_t lines = 0;
  Read(line + "\n", heard.inputs.size() - 1, before, heard, lines);
  ++heard.inputs.back().lines;
}

std::vector<std::string> LibrariesNamed(const record::Run& run) {
  std::vector<std::string> names;
  for (const record::Text& text : run.texts) {
    if (!IsOutput(text)) continue;
    for (const std::string* part : {&text.beginning, &text.end}) {
      for (size_t at = part->find(".so"); at != std::string::npos; at = part->find(".so", at + 3)) {
        size_t begin = at, end = at + 3;
        while (begin > 0 && at - begin < kLongestName && InName((*part)[begin - 1])) --begin;
        while (end < part->size() && end - at < kLongestName && InName((*part)[end])) ++end;
        while (end > at + 3 && (*part)[end - 1] == '.') --end;  // of a sentence
        if (begin < at && !IsInformation(*part, at)) names.push_back(part->substr(begin, end - begin));
      }
    }
  }
  std::ranges::sort(names);
  const auto [first, last] = std::ranges::unique(names);
  names.erase(first, last);
  return names;
}

bool EndedSilently(const record::Run& run, const Heard& heard) {
  return run.failed() && !heard.Failure() && heard.last.words.empty();
}

}  // namespace culprit::run
