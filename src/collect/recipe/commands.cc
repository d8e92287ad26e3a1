// The commands of a shell text: which may never run, which may fail unnoticed, and the variables that the
// text sets for them.
#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "collect/recipe/shell.h"
#include "collect/recipe/splitter.h"

namespace culprit::collect {
namespace {

using Words = std::vector<std::string>;

constexpr int kDeepestShell = 3;
constexpr size_t kMostBlocks = 64;
constexpr size_t kMostExported = 16;
constexpr size_t kLongestExported = 1000;
constexpr size_t kMostGrown = 16 << 10;

template <size_t kSize>
bool IsOneOf(std::string_view word, const std::array<std::string_view, kSize>& words) {
  return std::ranges::find(words, word) != words.end();
}
bool IsOpening(std::string_view word) {
  return IsOneOf(word, std::array<std::string_view, 5>{"then", "else", "elif", "do", "!"});
}
// Programs that start the command after them; their options come first.
bool IsStarter(std::string_view word) {
  return IsOneOf(word, std::array<std::string_view, 5>{"sudo", "env", "nohup", "exec", "time"});
}
bool TakesValue(std::string_view option) {
  return IsOneOf(option, std::array<std::string_view, 5>{"-u", "-g", "-C", "--user", "--group"});
}
bool OpensBlock(std::string_view word) {
  return IsOneOf(word, std::array<std::string_view, 6>{"if", "while", "until", "for", "select", "case"});
}
bool ClosesBlock(std::string_view word) {
  return IsOneOf(word, std::array<std::string_view, 3>{"fi", "done", "esac"});
}
bool IsTest(std::string_view word) {
  return IsOneOf(word, std::array<std::string_view, 3>{"[", "[[", "test"});
}

// `bash -lc "..."`: the text; nullptr if it is none.
const std::string* InnerShell(const Words& words) {
  if (words.size() < 3) return nullptr;
  const std::string_view name = base::BaseName(words.front());
  if (name != "sh" && name != "bash" && name != "dash" && name != "zsh") return nullptr;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i].starts_with('-') && !words[i].starts_with("--") && words[i].ends_with('c'))
      return &words[i + 1];
  }
  return nullptr;
}

// The commands of one shell text: which of them may never run, and which may fail unnoticed.
class CommandReader {
 public:
  CommandReader(const LinedText& shell, std::vector<snapshot::RecipeStep>& steps, bool stops, int depth)
      : shell_(shell),
        steps_(steps),
        stops_(stops),
        depth_(depth),
        list_(steps.size()),
        group_(steps.size()) {}
  void Know(Variables values) { locals_ = std::move(values); }

  void Run() {
    std::string_view before;
    for (Splitter::Token& token : Splitter(shell_.text).Run()) {
      if (token.sign)
        Sign(token.text, before);
      else
        Word(token);
      before = token.sign ? std::string_view(token.text) : "";
    }
    Finish("");
  }

 private:
  struct Block {
    std::string word;  // "if", "case", "{", "("
    bool conditional = true;
    size_t first = 0;  // its first step
  };

  bool InPattern() const { return pattern_ && !blocks_.empty() && blocks_.back().word == "case"; }
  bool Conditional() const { return after_or_ || std::ranges::any_of(blocks_, &Block::conditional); }

  void Sign(const std::string& sign, std::string_view before) {
    if (InPattern()) {  // a|b)
      if (sign == ")") pattern_ = false;
      heads_ = false;
      step_ = Fresh();
      return;
    }
    Finish(sign);
    if (sign == ";" && before == ";") pattern_ = true;
    if (sign == "(" || sign == "{") {
      if (blocks_.size() < kMostBlocks) blocks_.push_back({sign, after_or_, steps_.size()});
      after_or_ = false;
    }
    if (sign == ")" || sign == "}") {
      const bool group = !blocks_.empty() && !OpensBlock(blocks_.back().word);
      group_ = group ? blocks_.back().first : steps_.size();
      if (group) blocks_.pop_back();
    }
    if (sign != "||") return;
    after_or_ = true;
    for (size_t i = group_; (before == ")" || before == "}") && i < steps_.size(); ++i)
      steps_[i].may_fail = true;
  }

  void Word(Splitter::Token& token) {
    std::string& text = token.text;
    if (step_.words.empty()) {
      if (skips_ > 0) {
        --skips_;
        return;
      }
      if (ClosesBlock(text)) {
        if (!blocks_.empty()) blocks_.pop_back();
        pattern_ = false;
        heads_ = true;  // what follows on this line redirects the block
        return;
      }
      if (heads_ || Begins(text)) return;
      step_.line = shell_.LineAt(token.offset);
    }
    step_.words.push_back(Filled(std::move(text)));
  }
  // With the values that the text itself has set.
  std::string Filled(std::string text) {
    if (locals_.empty() || text.find('$') == std::string::npos) return text;
    std::string filled = Substitute(text, locals_, '\\', false).text;
    grown_ += filled.size();
    return grown_ > kMostGrown ? text : filled;
  }
  // Whether a word before the command's own name is no part of the command.
  bool Begins(const std::string& text) {
    if (OpensBlock(text)) {
      if (blocks_.size() < kMostBlocks) blocks_.push_back({text});
      heads_ = text == "for" || text == "case" || text == "select";
      pattern_ = text == "case";
      return true;
    }
    if (IsStarter(text)) return started_ = true;
    if (started_ && text.starts_with('-')) {
      skips_ = TakesValue(text) ? 1 : 0;
      return true;
    }
    if (IsAssignment(text)) {
      step_.variables.push_back(Filled(text));
      return true;
    }
    return IsOpening(text);
  }

  void Finish(std::string_view sign) {
    heads_ = started_ = false;
    skips_ = 0;
    if (step_.words.empty())
      Assign(step_.variables);
    else
      Push(sign);
    if (sign == ";" || sign == "\n" || sign == "&") ended_ = true;
    if (!step_.words.empty() || !step_.variables.empty()) after_or_ = false;
    step_ = Fresh();
  }
  // What later commands of the text see.
  void Assign(const Words& assignments) {
    for (const std::string& text : assignments) {
      const size_t equals = text.find('=');
      if (Conditional() || text.size() > kLongestExported)
        locals_.erase(text.substr(0, equals));
      else
        locals_[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }

  void Push(std::string_view sign) {
    if (ended_ && !stops_) {
      for (size_t i = list_; i < steps_.size(); ++i) steps_[i].may_fail = true;
    }
    if (ended_) list_ = steps_.size();
    ended_ = false;
    const bool tested = IsTest(test_) && sign == "||";
    test_ = step_.words.front();
    step_.may_fail = sign == "||";
    step_.conditional = Conditional() || tested;
    if (test_ == "set" && StopsAtFailure(step_.words)) stops_ = true;
    if (steps_.size() >= kMostSteps) return;
    if (step_.variables.size() < kMostExported)
      step_.variables.insert(step_.variables.begin(), exported_.begin(), exported_.end());
    if (test_ == "export") Export();
    const std::string* inner = depth_ < kDeepestShell ? InnerShell(step_.words) : nullptr;
    if (inner == nullptr) return steps_.push_back(step_);
    const size_t first = steps_.size();
    LinedText text;
    text.Add(*inner, step_.line);
    const auto words = step_.words.cbegin() + (inner - step_.words.data());
    const bool stops = StopsAtFailure(std::span(step_.words.cbegin() + 1, words));
    CommandReader(text, steps_, stops, depth_ + 1).Run();
    for (size_t i = first; i < steps_.size(); ++i) {
      steps_[i].may_fail |= step_.may_fail;
      steps_[i].conditional |= step_.conditional;
    }
  }
  void Export() {
    Words assignments;
    std::ranges::copy_if(step_.words, std::back_inserter(assignments), IsAssignment);
    Assign(assignments);
    for (std::string& text : assignments) {
      if (exported_.size() < kMostExported && text.size() < kLongestExported)
        exported_.push_back(std::move(text));
    }
  }

  static snapshot::RecipeStep Fresh() { return {.kind = snapshot::StepKind::kRun}; }

  const LinedText& shell_;
  std::vector<snapshot::RecipeStep>& steps_;
  bool stops_;  // set -e
  int depth_;
  size_t list_;         // the first step since the last ";"
  bool ended_ = false;  // ";" came after it
  std::vector<Block> blocks_;
  bool pattern_ = false, heads_ = false, started_ = false, after_or_ = false;
  int skips_ = 0;
  size_t group_;  // the first step of the last "(...)" or "{...}"
  size_t grown_ = 0;
  std::string test_;  // the command before
  Variables locals_;
  Words exported_;
  snapshot::RecipeStep step_ = Fresh();
};

}  // namespace

bool StopsAtFailure(std::span<const std::string> words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "errexit" ||
           (word.starts_with('-') && !word.starts_with("--") && base::Contains(word, "e"));
  });
}

std::set<std::string> AssignedIn(std::string_view text) {
  std::set<std::string> names;
  Words waiting;
  bool begins = true, exports = false;
  for (const Splitter::Token& token : Splitter(text).Run()) {
    if (token.sign) {
      for (const std::string& word : waiting) names.insert(word.substr(0, word.find('=')));
      waiting.clear();
      begins = true;
      exports = false;
    } else if ((begins || exports) && IsAssignment(token.text)) {
      waiting.push_back(token.text);
    } else if (begins && token.text == "export") {
      exports = true;
    } else if (!exports && !IsOpening(token.text)) {
      waiting.clear();
      begins = false;
    }
  }
  for (const std::string& word : waiting) names.insert(word.substr(0, word.find('=')));
  return names;
}

void AddCommands(const LinedText& shell, std::vector<snapshot::RecipeStep>& steps, bool stops,
                 const Variables& values) {
  CommandReader reader(shell, steps, stops, 0);
  reader.Know(values);
  reader.Run();
}

}  // namespace culprit::collect
