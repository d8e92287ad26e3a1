#include "image/singularity.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/json.h"
#include "base/text.h"

namespace culprit::image {
namespace {

constexpr const char* kFolder = "/.singularity.d";
constexpr uint64_t kScriptLimit = 1 << 20;
constexpr size_t kMostScripts = 100, kLongestValue = 64 << 10;
constexpr int kDeepestDefault = 4;
// Where both look if an image says nothing.
constexpr const char* kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

using Variables = std::map<std::string, std::string>;

bool IsNameLetter(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

size_t NameLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsNameLetter(text[length])) ++length;
  return length > 0 && std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? 0 : length;
}

class ShellReader {
 public:
  ShellReader(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {}

  std::optional<std::vector<std::string>> Words() {
    std::vector<std::string> words;
    while (Skip()) {
      std::string word;
      if (!Word(word, /*closing=*/'\0', 0)) return std::nullopt;
      words.push_back(std::move(word));
    }
    if (!ok_) return std::nullopt;
    return words;
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }

  // To the next word; false at the end of the command. What begins another command cannot be read.
  bool Skip() {
    while (!AtEnd() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (AtEnd() || text_[at_] == '#') return false;
    if (text_[at_] == ';' && base::Trim(text_.substr(at_ + 1)).empty()) return false;
    ok_ = std::string_view(";&|()<>").find(text_[at_]) == std::string_view::npos;
    return ok_;
  }

  // Up to a blank, or up to `closing` for the word in ${NAME:-WORD}.
  bool Word(std::string& word, char closing, int depth) {
    while (!AtEnd()) {
      const char c = text_[at_];
      if (closing != '\0' ? c == closing : c == ' ' || c == '\t' || c == ';') return true;
      if (word.size() > kLongestValue || std::string_view("`&|()<>*?[").find(c) != std::string_view::npos)
        return false;
      ++at_;
      if (c == '\'') {
        const size_t end = text_.find('\'', at_);
        if (end == text_.npos) return false;
        word += text_.substr(at_, end - at_);
        at_ = end + 1;
      } else if (c == '"') {
        if (!Quoted(word, depth)) return false;
      } else if (c == '\\') {
        if (AtEnd()) return false;
        word += text_[at_++];
      } else if (c == '$') {
        if (!Variable(word, depth)) return false;
      } else {
        word += c;
      }
    }
    return closing == '\0';
  }

  bool Quoted(std::string& word, int depth) {
    while (!AtEnd()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c == '`' || word.size() > kLongestValue) return false;
      if (c == '\\' && !AtEnd() && std::string_view("\"\\$`").find(text_[at_]) != std::string_view::npos) {
        word += text_[at_++];
      } else if (c == '$') {
        if (!Variable(word, depth)) return false;
      } else {
        word += c;
      }
    }
    return false;
  }

  // After "$".
  bool Variable(std::string& word, int depth) {
    const bool braces = !AtEnd() && text_[at_] == '{';
    if (braces) ++at_;
    const size_t length = NameLength(text_.substr(at_));
    if (length == 0) return false;
    const std::string name(text_.substr(at_, length));
    at_ += length;
    const std::string value = base::ValueOf(variables_, name);
    if (!braces) {
      word += value;
      return true;
    }
    std::string otherwise;
    const bool with_default = text_.substr(at_).starts_with(":-");
    if (with_default) {
      at_ += 2;
      if (depth >= kDeepestDefault || !Word(otherwise, '}', depth + 1)) return false;
    }
    if (AtEnd() || text_[at_] != '}') return false;
    ++at_;
    word += value.empty() && with_default ? otherwise : value;
    return word.size() <= kLongestValue;
  }

  std::string_view text_;
  const Variables& variables_;
  size_t at_ = 0;
  bool ok_ = true;
};

// How a line changes the depth of what runs only under a condition.
int Nesting(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t;"));
  constexpr std::array<std::string_view, 5> kOpen = {"if", "case", "for", "while", "until"};
  constexpr std::array<std::string_view, 3> kClose = {"fi", "esac", "done"};
  int depth = 0;
  if (std::ranges::find(kOpen, word) != kOpen.end()) ++depth;
  const auto words = base::SplitWords(line, " \t;");
  const bool closes = !words.empty() && std::ranges::find(kClose, words.back()) != kClose.end();
  return closes || std::ranges::find(kClose, word) != kClose.end() ? depth - 1 : depth;
}

void Export(std::string_view line, Variables& variables) {
  const std::string_view rest = base::Trim(line.substr(std::string_view("export").size()));
  const auto words = ShellWords(rest, variables);
  if (!words) {
    if (const size_t length = NameLength(rest); length < rest.size() && rest[length] == '=')
      variables.erase(std::string(rest.substr(0, length)));
    return;
  }
  for (const std::string& word : *words) {
    const size_t length = NameLength(word);
    if (length > 0 && length < word.size() && word[length] == '=')
      variables.insert_or_assign(word.substr(0, length), word.substr(length + 1));
  }
}

// OCI_CMD='"python3" "train.py"' in the runscript of an image that was built from a Docker image.
std::vector<std::string> WordsOf(std::string_view script, std::string_view name) {
  for (const std::string& line : base::Split(std::string(script), '\n')) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != '=') continue;
    const auto quoted = ShellWords(std::string_view(line).substr(name.size() + 1), {});
    if (!quoted || quoted->size() != 1) return {};
    return ShellWords(quoted->front(), {}).value_or(std::vector<std::string>());
  }
  return {};
}

void ReadLabels(const std::string& text, ImageConfig& config) {
  const base::Json json = base::ParseJson(text);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) config.labels.emplace(name, value.get<std::string>());
  }
}

}  // namespace

std::optional<std::vector<std::string>> ShellWords(std::string_view line, const Variables& variables) {
  return ShellReader(line, variables).Words();
}

void ReadExports(std::string_view script, Variables& variables) {
  int depth = 0;
  for (const std::string& whole : base::Split(std::string(script), '\n')) {
    const std::string_view line = base::Trim(whole);
    const int change = Nesting(line);
    if (depth == 0 && change == 0 && (line.starts_with("export ") || line.starts_with("export\t")))
      Export(line, variables);
    depth = std::max(0, depth + change);
  }
}

void ReadSingularity(const system::System& machine, ImageConfig& config) {
  const std::string folder = kFolder;
  if (const auto scripts = machine.List(folder + "/env")) {
    config.environment.emplace("PATH", kUsualPath);
    size_t read = 0;
    for (const auto& entry : *scripts) {
      if (!entry.name.ends_with(".sh") || ++read > kMostScripts) continue;
      const auto text = system::ReadWholeFile(machine, folder + "/env/" + entry.name, kScriptLimit);
      if (text) ReadExports(*text, config.environment);
    }
  }
  const std::string runscript = folder + "/runscript";
  if (const auto text = system::ReadWholeFile(machine, runscript, kScriptLimit)) {
    config.entrypoint = WordsOf(*text, "OCI_ENTRYPOINT");
    config.command = WordsOf(*text, "OCI_CMD");
    if (config.entrypoint.empty() && config.command.empty()) config.entrypoint = {runscript};
  }
  if (const auto text = system::ReadWholeFile(machine, folder + "/labels.json", kScriptLimit))
    ReadLabels(*text, config);
}

}  // namespace culprit::image
