#include "collect/started.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace culprit::collect {
namespace {

using Words = std::vector<std::string>;

constexpr uint64_t kStartScriptLimit = 256 << 10;
constexpr int kDeepestStart = 8;
constexpr size_t kMostStarted = 16;
constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool IsShell(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "dash", "ash", "zsh", "busybox"};
  return std::ranges::find(kShells, name) != kShells.end();
}

// How many words of its own a wrapper takes before the command; -1: it is none.
int OwnWords(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, int>, 11> kWrappers = {{{"tini", 0},
                                                                                  {"docker-init", 0},
                                                                                  {"dumb-init", 0},
                                                                                  {"catatonit", 0},
                                                                                  {"env", 0},
                                                                                  {"exec", 0},
                                                                                  {"nohup", 0},
                                                                                  {"stdbuf", 0},
                                                                                  {"gosu", 1},
                                                                                  {"su-exec", 1},
                                                                                  {"timeout", 1}}};
  const auto found = std::ranges::find(kWrappers, name, &std::pair<std::string_view, int>::first);
  return found == kWrappers.end() ? -1 : found->second;
}

// The words of one line of a shell script; quotes are taken off, a comment ends it.
Words CommandWords(std::string_view line) {
  Words words;
  std::string word;
  char quote = 0;
  bool begun = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun = true;
    } else if (c == '#' && !begun) {
      break;
    } else if (c == ' ' || c == '\t' || c == ';' || c == '&' || c == '|') {
      if (begun) words.push_back(std::move(word));
      word.clear();
      begun = false;
      if (c != ' ' && c != '\t' && !words.empty()) break;  // the next command is another one
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(std::move(word));
  return words;
}

bool IsAllArguments(std::string_view word) { return word == "$@" || word == "${@}" || word == "$*"; }

class Follower {
 public:
  Follower(const system::System& system, const std::map<std::string, std::string>& environment)
      : system_(system), path_(base::ValueOf(environment, "PATH")) {
    if (path_.empty()) path_ = kDefaultPath;
  }

  void Start(std::span<const std::string> command, int depth) {
    if (command.empty() || depth > kDeepestStart || programs_.size() >= kMostStarted) return;
    const std::string_view name = base::BaseName(command[0]);
    if (const int own = OwnWords(name); own >= 0)
      return Start(WithoutOwn(command.subspan(1), own), depth + 1);
    if (IsShell(name)) return StartShell(command, depth);
    const std::string file = Locate(command[0]);
    if (file.empty()) return;
    if (FirstBytes(file).starts_with("#!")) return RunScript(file, command, depth);
    if (!AddElf(file)) return;
    for (const std::string& word : command.subspan(1)) {  // a plugin that it is told to load
      if (word.starts_with('/')) AddElf(Locate(word));
    }
  }

  std::vector<std::string> Take() { return std::move(programs_); }

 private:
  std::string FirstBytes(const std::string& file) const {
    std::string start(4, '\0');
    const auto opened = system_.Open(file);
    const bool read =
        opened && opened->bytes && opened->bytes->ReadAt(0, std::as_writable_bytes(std::span(start)));
    return read ? start : "";
  }

  // Whether it is one, and no interpreter.
  bool AddElf(const std::string& file) {
    if (file.empty()) return false;
    const std::string real = system_.RealPath(file).value_or(file);
    const std::string_view name = base::BaseName(real);
    const bool is = !name.starts_with("python") && !IsShell(name) &&
                    FirstBytes(file) ==
                        "\x7f"
                        "ELF";
    if (is && programs_.size() < kMostStarted && std::ranges::find(programs_, file) == programs_.end())
      programs_.push_back(file);
    return is;
  }

  // After its options, its own words and variables that it sets.
  static std::span<const std::string> WithoutOwn(std::span<const std::string> words, int own) {
    while (!words.empty()) {
      const std::string& word = words[0];
      const bool option = word.starts_with('-'), variable = word.find('=') != std::string::npos;
      if (!option && !variable && own-- <= 0) break;
      words = words.subspan(1);
      if (word == "--" && own <= 0) break;
    }
    return words;
  }

  void StartShell(std::span<const std::string> command, int depth) {
    for (size_t i = 1; i < command.size(); ++i) {
      const std::string& word = command[i];
      if (word.starts_with('-') && word.find('c') != std::string::npos) {
        if (i + 1 < command.size()) RunText(command[i + 1], command.subspan(i + 1), true, depth);
        return;
      }
      if (word.starts_with('-')) continue;
      if (const std::string file = Locate(word); !file.empty()) RunScript(file, command.subspan(i), depth);
      return;
    }
  }

  // `command`: the script and its arguments.
  void RunScript(const std::string& file, std::span<const std::string> command, int depth) {
    const auto text = system::ReadWholeFile(system_, file, kStartScriptLimit);
    if (!text) return;
    const std::string_view first = std::string_view(*text).substr(0, text->find('\n'));
    if (first.starts_with("#!")) {
      const Words words = base::SplitWords(first.substr(2), " \t");
      if (words.empty()) return;
      const bool by_env = base::BaseName(words[0]) == "env" && words.size() > 1;
      if (!IsShell(base::BaseName(by_env ? words.back() : words[0]))) return;
    }
    RunText(*text, command, false, depth);
  }

  // Every `exec`; of a text after -c its commands too, which may be all there is.
  void RunText(std::string_view text, std::span<const std::string> command, bool all, int depth) {
    std::string joined(text);
    for (size_t at = joined.find("\\\n"); at != std::string::npos; at = joined.find("\\\n", at))
      joined.replace(at, 2, " ");
    for (const std::string& line : base::Split(joined, '\n')) {
      for (std::string_view rest = line; !rest.empty();) {
        const size_t end = rest.find("&&");
        Words words = CommandWords(rest.substr(0, end));
        rest = end == rest.npos ? "" : rest.substr(end + 2);
        const bool exec = !words.empty() && words[0] == "exec";
        if (exec) words.erase(words.begin());
        if (words.empty() || !(exec || all)) continue;
        if (IsAllArguments(words[0])) {
          Start(command.subspan(1), depth + 1);
        } else if (words[0].find('$') == std::string::npos) {
          Start(words, depth + 1);
        }
      }
    }
  }

  // "" if there is no such file.
  std::string Locate(const std::string& word) const {
    if (word.find('/') != std::string::npos) {
      const std::string path = base::CleanPath(base::JoinPath(system_.WorkingDirectory(), word));
      return IsFile(path) ? path : "";
    }
    for (const std::string& directory : base::SplitWords(path_, ":")) {
      if (!directory.starts_with('/')) continue;
      const std::string path = base::CleanPath(base::JoinPath(directory, word));
      if (IsFile(path)) return path;
    }
    return "";
  }
  bool IsFile(const std::string& path) const {
    const auto status = system_.Stat(path);
    return status && status->type == system::FileType::kRegular;
  }

  const system::System& system_;
  std::string path_;
  std::vector<std::string> programs_;
};

}  // namespace

std::vector<std::string> StartedPrograms(const system::System& system, std::vector<std::string> command,
                                         const std::map<std::string, std::string>& environment) {
  Follower follower(system, environment);
  follower.Start(command, 0);
  return follower.Take();
}

}  // namespace culprit::collect
