// Dockerfiles, as docs.docker.com/reference/dockerfile describes them: directives, continued lines, heredocs,
// stages, ARG and ENV with their values in the lines below.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "collect/recipe/recipe.h"
#include "collect/recipe/shell.h"

namespace culprit::collect {
namespace {

using snapshot::RecipePart;
using snapshot::RecipeStep;
using snapshot::StepKind;
using Words = std::vector<std::string>;

constexpr size_t kMostStages = 200;
constexpr size_t kLongestList = 64 << 10;

struct Instruction {
  std::string name;  // in capitals
  LinedText rest;    // continued lines in one
  LinedText heredoc;
  uint64_t line = 0;
};

std::string Capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capitals;
}

// The file as instructions: comments left out, lines joined, heredocs set apart.
class Lines {
 public:
  explicit Lines(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    while (!bytes.empty()) {
      std::string_view line = bytes.substr(0, bytes.find('\n'));
      bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines_.push_back(line);
    }
    ReadDirectives();
  }
  char escape() const { return escape_; }

  std::optional<Instruction> Next() {
    while (at_ < lines_.size() && IsBlank(lines_[at_])) ++at_;
    if (at_ >= lines_.size()) return std::nullopt;
    Instruction instruction{.line = at_ + 1};
    bool goes_on = true;
    for (bool first = true; goes_on && at_ < lines_.size(); ++at_) {
      std::string_view line = lines_[at_];
      if (!first && IsBlank(line)) continue;
      const std::string_view trimmed = base::Trim(line);
      goes_on = trimmed.ends_with(escape_);
      std::string_view own = goes_on ? trimmed.substr(0, trimmed.size() - 1) : trimmed;
      if (first) {
        const size_t end = std::min(own.find_first_of(" \t"), own.size());
        instruction.name = Capitals(own.substr(0, end));
        own = base::Trim(own.substr(end));
      }
      instruction.rest.Add(own, at_ + 1);
      if (goes_on) instruction.rest.text += ' ';
      first = false;
    }
    if (TakesHeredoc(instruction.name)) TakeHeredocs(instruction);
    return instruction;
  }

 private:
  static bool IsBlank(std::string_view line) {
    line = base::Trim(line);
    return line.empty() || line.front() == '#';
  }
  static bool TakesHeredoc(std::string_view name) { return name == "RUN" || name == "COPY" || name == "ADD"; }

  // "# escape=`" before anything else.
  void ReadDirectives() {
    for (const std::string_view line : lines_) {
      std::string_view text = base::Trim(line);
      if (!text.starts_with('#')) return;
      text = base::Trim(text.substr(1));
      const size_t equals = text.find('=');
      if (equals == std::string_view::npos) return;
      const std::string name = Capitals(base::Trim(text.substr(0, equals)));
      const std::string_view value = base::Trim(text.substr(equals + 1));
      if (name == "ESCAPE" && value == "`") escape_ = '`';
    }
  }

  // "<<EOF", "<<-EOF", "<<'EOF'": the lines up to EOF.
  void TakeHeredocs(Instruction& instruction) {
    std::string& text = instruction.rest.text;
    for (size_t at = text.find("<<"); at != std::string::npos; at = text.find("<<", at + 1)) {
      if (text.substr(at).starts_with("<<<")) {
        at += 2;
        continue;
      }
      size_t begin = at + 2;
      if (begin < text.size() && text[begin] == '-') ++begin;
      const size_t end = std::min(text.find_first_of(" \t;&|>)", begin), text.size());
      std::string word = text.substr(begin, end - begin);
      std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
      const bool name = !word.empty() && std::ranges::all_of(word, [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
      });
      if (!name) continue;
      for (; at_ < lines_.size() && base::Trim(lines_[at_]) != word; ++at_)
        instruction.heredoc.Add(std::string(lines_[at_]) + "\n", at_ + 1);
      if (at_ < lines_.size()) ++at_;
      text.replace(at, end - at, std::string(end - at, ' '));
    }
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  char escape_ = '\\';
};

// ["a", "b"]; nullopt if it is no list of texts.
std::optional<Words> ExecForm(std::string_view text) {
  if (!text.starts_with('[') || text.size() > kLongestList) return std::nullopt;
  const base::Json json = base::Json::parse(text, nullptr, false);
  if (!json.is_array()) return std::nullopt;
  Words words;
  for (const base::Json& item : json) {
    if (!item.is_string()) return std::nullopt;
    words.push_back(item.get<std::string>());
  }
  return words;
}

// "--mount=... --platform=...": options of the instruction itself.
std::string_view WithoutOptions(std::string_view text) {
  while (text.starts_with("--"))
    text = base::Trim(text.substr(std::min(text.find_first_of(" \t"), text.size())));
  return text;
}

bool HasOption(std::string_view text, std::string_view name) {
  while (text.starts_with("--")) {
    const std::string_view option = text.substr(0, text.find_first_of(" \t"));
    if (option.substr(0, option.find('=')) == name) return true;
    text = base::Trim(text.substr(option.size()));
  }
  return false;
}

class DockerfileReader {
 public:
  DockerfileReader(std::string_view bytes, const std::string& path) : lines_(bytes) {
    recipe_.path = path;
    recipe_.kind = snapshot::RecipeKind::kDockerfile;
  }

  base::Result<snapshot::Recipe> Run() {
    while (auto instruction = lines_.Next()) {
      if (instruction->name == "FROM" && recipe_.parts.size() >= kMostStages)
        return Wrong(*instruction, "too many stages");
      if (instruction->name == "FROM" && base::Trim(instruction->rest.text).empty())
        return Wrong(*instruction, "FROM without an image");
      if (instruction->name != "FROM" && instruction->name != "ARG" && recipe_.parts.empty())
        return Wrong(*instruction, "neither FROM nor ARG: not a Dockerfile");
      Read(*instruction);
    }
    if (recipe_.parts.empty())
      return base::Fail(base::ErrorCode::kBadFormat,
                        base::Printable(recipe_.path) + ": a Dockerfile without FROM");
    MarkPassing();
    return std::move(recipe_);
  }

 private:
  std::unexpected<base::Error> Wrong(const Instruction& at, const std::string& what) const {
    return base::Fail(base::ErrorCode::kBadFormat,
                      base::Printable(recipe_.path) + ":" + std::to_string(at.line) + ": " + what);
  }
  RecipePart& stage() { return recipe_.parts.back(); }
  Substituted Filled(std::string_view text) const { return Substitute(text, known_, lines_.escape()); }

  void Read(const Instruction& instruction) {
    const std::string& name = instruction.name;
    if (name == "FROM") return From(instruction);
    if (name == "ARG") return Arg(instruction);
    if (name == "ENV") return Env(instruction);
    if (name == "RUN") return RunStep(instruction);
    if (name == "COPY" || name == "ADD") return Copy(instruction);
    if (name == "CMD" || name == "ENTRYPOINT") return Start(instruction);
  }

  void From(const Instruction& instruction) {
    const Variables* globals = recipe_.parts.empty() ? &known_ : &globals_;
    if (recipe_.parts.empty()) globals_ = known_;
    const Substituted filled = Substitute(WithoutOptions(instruction.rest.text), *globals, lines_.escape());
    const Words words = LineWords(filled.text);
    RecipePart part{
        .image = words.empty() ? "" : words.front(), .line = instruction.line, .vague = filled.vague};
    if (words.size() >= 3 && Capitals(words[1]) == "AS") part.as = words[2];
    known_.clear();
    for (size_t i = 0; i < recipe_.parts.size(); ++i) {
      if (!recipe_.parts[i].as.empty() && Capitals(recipe_.parts[i].as) == Capitals(part.image)) {
        part.from = i + 1;
        known_ = environments_[i];
      }
    }
    if (part.from != 0) part.image.clear();
    part.name = part.as.empty() ? "stage " + std::to_string(recipe_.parts.size() + 1) : "stage " + part.as;
    recipe_.parts.push_back(std::move(part));
    environments_.push_back(known_);
  }

  void Arg(const Instruction& instruction) {
    for (const std::string& word : LineWords(Filled(instruction.rest.text).text)) {
      const size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      if (equals != std::string::npos) {
        known_[name] = word.substr(equals + 1);
      } else if (const auto global = globals_.find(name); global != globals_.end()) {
        known_.try_emplace(name, global->second);
      }
    }
  }

  void Env(const Instruction& instruction) {
    const std::string_view text = instruction.rest.text;
    const size_t end = std::min(text.find_first_of(" \t="), text.size());
    if (end < text.size() && text[end] != '=') {  // ENV NAME the rest
      Set(std::string(text.substr(0, end)), Filled(base::Trim(text.substr(end))), instruction.line);
      return;
    }
    // Each with the values from before this instruction.
    const Variables before = known_;
    for (const std::string& word : LineWords(Guarded(text))) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos) continue;
      const size_t at = text.find(word.substr(0, equals + 1));
      Set(word.substr(0, equals), Substitute(word.substr(equals + 1), before, lines_.escape(), false),
          at == std::string_view::npos ? instruction.line : instruction.rest.LineAt(at));
    }
  }
  // Signs of a shell mean nothing here.
  static std::string Guarded(std::string_view text) {
    std::string guarded;
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote != 0 && c == quote)
        quote = 0;
      else if (quote == 0 && (c == '"' || c == '\''))
        quote = c;
      const bool brace = c == '{' && i > 0 && text[i - 1] == '$';
      if (quote == 0 && !brace && std::string_view(";|&()>#").find(c) != std::string_view::npos)
        guarded += '\\';
      guarded += c;
    }
    return guarded;
  }
  void Set(std::string name, Substituted value, uint64_t line) {
    known_[name] = value.text;
    environments_.back()[name] = value.text;
    stage().steps.push_back({.kind = StepKind::kSet,
                             .words = {std::move(name), std::move(value.text)},
                             .line = line,
                             .vague = value.vague});
  }

  void RunStep(const Instruction& instruction) {
    const size_t before = stage().steps.size();
    AddRun(instruction);
    if (!HasOption(instruction.rest.text, "--device")) return;
    for (size_t i = before; i < stage().steps.size(); ++i) stage().steps[i].device = true;
  }
  void AddRun(const Instruction& instruction) {
    const std::string_view own = WithoutOptions(instruction.rest.text);
    if (const auto words = ExecForm(own)) {
      LinedText shell;
      shell.Add(Quoted(*words), instruction.line);
      return AddCommands(shell, stage().steps);
    }
    AddShell(instruction.rest);
    if (!instruction.heredoc.text.empty()) {
      const bool alone = base::Trim(own).empty() || base::Trim(own) == "bash" || base::Trim(own) == "sh";
      if (alone) return AddShell(instruction.heredoc);
      // `python3 <<EOF`: the text that it is given.
      if (!stage().steps.empty()) stage().steps.back().words.push_back(instruction.heredoc.text);
    }
  }
  void AddShell(const LinedText& written) {
    LinedText shell;
    for (size_t i = 0; i < written.lines.size(); ++i) {
      const size_t begin = written.lines[i].first;
      const size_t end = i + 1 < written.lines.size() ? written.lines[i + 1].first : written.text.size();
      std::string_view piece = std::string_view(written.text).substr(begin, end - begin);
      if (base::Trim(shell.text).empty()) piece = WithoutOptions(piece);
      shell.Add(Filled(piece).text, written.lines[i].second);
    }
    AddCommands(shell, stage().steps);
  }

  void Copy(const Instruction& instruction) {
    const std::string_view own = WithoutOptions(instruction.rest.text);
    auto words = ExecForm(own);
    const Substituted filled = Filled(own);
    RecipeStep step{.kind = StepKind::kCopy,
                    .words = words ? *std::move(words) : LineWords(filled.text),
                    .line = instruction.line,
                    .vague = filled.vague};
    if (!step.words.empty()) stage().steps.push_back(std::move(step));
  }

  void Start(const Instruction& instruction) {
    if (auto words = ExecForm(instruction.rest.text)) {
      stage().steps.push_back(
          {.kind = StepKind::kStart, .words = *std::move(words), .line = instruction.line});
      return;
    }
    std::vector<RecipeStep> commands;
    AddCommands(instruction.rest, commands);
    for (RecipeStep& command : commands) {
      command.kind = StepKind::kStart;
      stage().steps.push_back(std::move(command));
    }
  }

  // Only the last stage becomes the image.
  void MarkPassing() {
    for (size_t i = 0; i + 1 < recipe_.parts.size(); ++i) recipe_.parts[i].passing = true;
  }

  Lines lines_;
  snapshot::Recipe recipe_;
  Variables globals_, known_;
  std::vector<Variables> environments_;  // of each stage: what a stage that builds on it starts with
};

}  // namespace

base::Result<snapshot::Recipe> ParseDockerfile(std::string_view bytes, const std::string& path) {
  return DockerfileReader(bytes, path).Run();
}

}  // namespace culprit::collect
