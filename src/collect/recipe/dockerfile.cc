// Dockerfiles, as docs.docker.com/reference/dockerfile describes them: directives, continued lines, heredocs,
// stages, ARG and ENV with their values in the lines below.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "collect/recipe/instructions.h"
#include "collect/recipe/parts.h"
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

// ["a", "b"]; nullopt if it is no list of texts.
std::optional<Words> ExecForm(std::string_view text) {
  if (!text.starts_with('[') || text.size() > kLongestList) return std::nullopt;
  const base::Json json = base::ParseJson(text);
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

// Those options, "--device", "--mount=type=cache,target=/x"; the longest file has few.
Words OptionsOf(std::string_view text) {
  Words options;
  while (text.starts_with("--")) {
    options.emplace_back(text.substr(0, text.find_first_of(" \t")));
    text = base::Trim(text.substr(options.back().size()));
  }
  return options;
}

// "--mount=type=bind,from=build,source=/usr/local/cuda,target=/opt/cuda"
bool MountsFromElsewhere(std::string_view option) {
  return option.starts_with("--mount=") &&
         (base::Contains(option, ",from=") || base::Contains(option, "=from="));
}

class DockerfileReader {
 public:
  DockerfileReader(std::string_view bytes, const std::string& path, const Variables& arguments)
      : lines_(bytes), arguments_(arguments), room_((128 << 10) + 16 * bytes.size()) {
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
        return Wrong(*instruction, "not a Dockerfile: expected FROM or ARG");
      if (!instruction->unended.empty())
        return Wrong(*instruction, "no line " + instruction->unended + " ends the heredoc");
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
  Substituted Filled(std::string_view text, bool quoted = true) {
    if (grown_ > room_) return {std::string(text), true};
    Substituted filled = Substitute(text, known_, lines_.escape(), quoted);
    grown_ += filled.text.size();
    filled.vague |= base::Contains(filled.text, "${");  // a build argument that is not known
    return filled;
  }

  void Read(const Instruction& instruction) {
    const std::string& name = instruction.name;
    if (name == "FROM") return From(instruction);
    if (name == "ARG") return Arg(instruction);
    if (name == "ENV") return Env(instruction);
    if (name == "RUN") return RunStep(instruction);
    if (name == "COPY" || name == "ADD") return Copy(instruction);
    if (name == "SHELL") stops_ = StopsAtFailure(ExecForm(instruction.rest.text).value_or(Words{}));
    if (name == "CMD" || name == "ENTRYPOINT") return Start(instruction.rest, StepKind::kStart);
    if (name == "HEALTHCHECK") return Health(instruction.rest);
  }

  void From(const Instruction& instruction) {
    const Variables* globals = recipe_.parts.empty() ? &known_ : &globals_;
    if (recipe_.parts.empty()) globals_ = known_;
    const Substituted filled = Substitute(WithoutOptions(instruction.rest.text), *globals, lines_.escape());
    const Words words = LineWords(filled.text);
    RecipePart part{.image = words.empty() ? "" : words.front(), .line = instruction.line};
    part.vague = filled.vague || base::Contains(part.image, "${");
    if (words.size() >= 3 && Capitals(words[1]) == "AS") part.as = words[2];
    known_.clear();
    for (size_t i = 0; i < recipe_.parts.size(); ++i) {
      if (!recipe_.parts[i].as.empty() && Capitals(recipe_.parts[i].as) == Capitals(part.image))
        part.from = i + 1;
    }
    if (part.from != 0) known_ = environments_[part.from - 1];
    for (const auto& [name, value] : known_) grown_ += name.size() + value.size();
    if (grown_ > room_) known_.clear();
    stops_ = false;
    if (part.from != 0) part.image.clear();
    part.name = part.as.empty() ? "stage " + std::to_string(recipe_.parts.size() + 1) : "stage " + part.as;
    recipe_.parts.push_back(std::move(part));
    environments_.push_back(known_);
  }

  void Arg(const Instruction& instruction) {
    for (const std::string& word : LineWords(Filled(instruction.rest.text).text)) {
      const size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      if (!environments_.empty() && environments_.back().contains(name)) continue;  // ENV wins
      if (const auto given = arguments_.find(name); given != arguments_.end()) {
        known_[name] = given->second;
      } else if (equals != std::string::npos) {
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
    struct Setting {
      std::string name;
      Substituted value;
      uint64_t line = 0;
    };
    std::vector<Setting> settings;  // each with the values from before this instruction
    size_t from = 0;
    for (const std::string& word : LineWords(Guarded(text))) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos) continue;
      const size_t at = text.find(word.substr(0, equals + 1), from);
      from = at == std::string_view::npos ? at : at + equals;
      settings.push_back({word.substr(0, equals), Filled(word.substr(equals + 1), false),
                          at == std::string_view::npos ? instruction.line : instruction.rest.LineAt(at)});
    }
    for (Setting& setting : settings) Set(std::move(setting.name), std::move(setting.value), setting.line);
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
    const Words options = OptionsOf(instruction.rest.text);
    const bool device = std::ranges::any_of(options, [](const std::string& option) {
      return option == "--device" || option.starts_with("--device=");
    });
    const bool mounts = std::ranges::any_of(options, MountsFromElsewhere);
    for (size_t i = before; i < stage().steps.size(); ++i) {
      stage().steps[i].device = device;
      stage().steps[i].mounts = mounts;
    }
  }
  void AddRun(const Instruction& instruction) {
    const std::string_view own = WithoutOptions(instruction.rest.text);
    if (const auto words = ExecForm(own)) {
      LinedText shell;
      shell.Add(Quoted(*words), instruction.line);
      return AddCommands(shell, stage().steps, stops_);
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
    // What the shell sets itself is filled in by AddCommands.
    Variables own;
    for (const std::string& name : AssignedIn(written.text)) own.insert(known_.extract(name));
    for (size_t i = 0; i < written.lines.size(); ++i) {
      const size_t begin = written.lines[i].first;
      const size_t end = i + 1 < written.lines.size() ? written.lines[i + 1].first : written.text.size();
      std::string_view piece = std::string_view(written.text).substr(begin, end - begin);
      if (base::Trim(shell.text).empty()) piece = WithoutOptions(piece);
      shell.Add(Filled(piece).text, written.lines[i].second);
    }
    AddCommands(shell, stage().steps, stops_, own);
    known_.merge(own);
  }

  // The number of the stage, by its name or its place; 0 if it is another image, or the context.
  size_t CopiedFrom(std::string_view text) {
    constexpr std::string_view kOption = "--from=";
    for (const std::string& option : OptionsOf(text)) {
      if (!option.starts_with(kOption)) continue;
      const std::string name = Filled(option.substr(kOption.size())).text;
      for (size_t i = 0; i + 1 < recipe_.parts.size(); ++i) {
        if (name == std::to_string(i) || (!name.empty() && Capitals(name) == Capitals(recipe_.parts[i].as)))
          return i + 1;
      }
    }
    return 0;
  }
  void Copy(const Instruction& instruction) {
    const std::string_view own = WithoutOptions(instruction.rest.text);
    auto words = ExecForm(own);
    const Substituted filled = Filled(own);
    RecipeStep step{.kind = StepKind::kCopy,
                    .words = words ? *std::move(words) : LineWords(filled.text),
                    .line = instruction.line,
                    .vague = filled.vague,
                    .from = CopiedFrom(instruction.rest.text)};
    if (!step.words.empty()) stage().steps.push_back(std::move(step));
  }

  void Start(const LinedText& text, StepKind kind) {
    if (const auto words = ExecForm(text.text)) return AddStart(*words, text.LineAt(0), stage(), kind);
    std::vector<RecipeStep> commands;
    AddCommands(text, commands);
    for (RecipeStep& command : commands) {
      command.kind = kind;
      stage().steps.push_back(std::move(command));
    }
  }
  // "--interval=30s CMD nvidia-smi", "NONE"
  void Health(const LinedText& text) {
    const std::string_view own = WithoutOptions(text.text);
    LinedText command;
    command.Add(own.starts_with("CMD") ? base::Trim(own.substr(3)) : own,
                text.LineAt(text.text.size() - own.size()));
    Start(command, StepKind::kHealth);
  }

  // Only the last stage becomes the image.
  void MarkPassing() {
    for (size_t i = 0; i + 1 < recipe_.parts.size(); ++i) recipe_.parts[i].passing = true;
  }

  Lines lines_;
  const Variables& arguments_;  // of the build
  snapshot::Recipe recipe_;
  bool stops_ = false;       // SHELL with -e
  size_t grown_ = 0, room_;  // of all lines, with the values of their variables
  Variables globals_, known_;
  std::vector<Variables> environments_;  // of each stage: what a stage that builds on it starts with
};

}  // namespace

base::Result<snapshot::Recipe> ParseDockerfile(std::string_view bytes, const std::string& path,
                                               const Variables& arguments) {
  return DockerfileReader(bytes, path, arguments).Run();
}

}  // namespace culprit::collect
