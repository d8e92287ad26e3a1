// The YAML of environment.yml, and no more of it: what is outside is an error with its line, never a guess.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "tree/tree.h"

namespace culprit::tree {
namespace {

constexpr size_t kDeepestYaml = 16;
constexpr size_t kMostYamlLines = 20'000;

struct YamlLine {
  size_t number = 0;
  size_t indent = 0;
  std::string_view text;  // without indentation and comment, not empty
};

// A quote opens a quoted scalar only where a value begins: "don't" is a plain one.
bool BeginsValue(std::string_view before) {
  before = base::Trim(before);
  return before.empty() || before.ends_with('-') || before.ends_with(':') || before.ends_with('[') ||
         before.ends_with(',');
}

// Where the comment begins; the size of the line if it has none.
size_t CommentAt(std::string_view line) {
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '"' || c == '\'') && BeginsValue(line.substr(0, i))) {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return i;
    }
  }
  return line.size();
}

class YamlParser {
 public:
  explicit YamlParser(const std::string& file) : file_(file) {}

  base::Result<Node> Run(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    if (!SplitLines(bytes)) return std::unexpected(error_.value());
    if (lines_.empty()) return Node{.kind = Node::Kind::kTable, .line = 1};
    Node root = Block(lines_.front().indent, 0);
    if (!error_ && at_ < lines_.size()) Wrong(lines_[at_].number, "wrong indentation");
    if (error_) return std::unexpected(*error_);
    return root;
  }

 private:
  void Wrong(size_t line, const std::string& what) {
    if (error_) return;
    error_ = base::Error{base::ErrorCode::kBadFormat,
                         base::Printable(file_) + ":" + std::to_string(line) + ": " + what};
  }

  bool SplitLines(std::string_view bytes) {
    size_t number = 0;
    bool begun = false;
    while (!bytes.empty() && !error_) {
      std::string_view line = bytes.substr(0, bytes.find('\n'));
      bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
      if (++number > kMostYamlLines) Wrong(number, "too many lines");
      if (line.ends_with('\r')) line.remove_suffix(1);
      line = line.substr(0, CommentAt(line));
      const size_t indent = line.find_first_not_of(' ');
      if (indent == std::string_view::npos || base::Trim(line).empty()) continue;
      if (line[indent] == '\t') Wrong(number, "a tab in the indentation");
      if (base::Trim(line) == "---" && !begun) continue;
      if (indent == 0 && (line.starts_with("---") || line.starts_with("...")))
        Wrong(number, "more than one document");
      begun = true;
      lines_.push_back({number, indent, base::Trim(line)});
    }
    return !error_;
  }

  static bool IsItem(std::string_view text) { return text == "-" || text.starts_with("- "); }

  // Where ":" ends a key; npos if the text is no key.
  static size_t KeyEnd(std::string_view text) {
    if (text.empty() || text.front() == '"' || text.front() == '\'' || text.front() == '[')
      return std::string_view::npos;
    const size_t at = text.find(": ");
    if (at != std::string_view::npos) return at;
    return text.ends_with(':') ? text.size() - 1 : std::string_view::npos;
  }

  Node Block(size_t indent, size_t depth) {
    if (depth > kDeepestYaml) {
      Wrong(lines_[at_].number, "too deep");
      return {};
    }
    return IsItem(lines_[at_].text) ? List(indent, depth) : Table(indent, depth);
  }

  Node List(size_t indent, size_t depth) {
    Node list{.kind = Node::Kind::kList, .line = lines_[at_].number};
    while (!error_ && at_ < lines_.size() && lines_[at_].indent == indent && IsItem(lines_[at_].text)) {
      YamlLine& line = lines_[at_];
      const std::string_view rest = base::Trim(line.text.substr(1));
      if (rest.empty()) {
        ++at_;
        list.items.push_back(Below(indent, line.number, depth));
      } else if (KeyEnd(rest) != std::string_view::npos || IsItem(rest)) {
        // "- pip:": a block of its own, which begins where its first word stands.
        line.indent += line.text.size() - rest.size();
        line.text = rest;
        list.items.push_back(Block(line.indent, depth + 1));
      } else {
        list.items.push_back(Scalar(rest, line.number));
        ++at_;
      }
    }
    return list;
  }

  Node Table(size_t indent, size_t depth) {
    Node table{.kind = Node::Kind::kTable, .line = lines_[at_].number};
    while (!error_ && at_ < lines_.size() && lines_[at_].indent == indent && !IsItem(lines_[at_].text)) {
      const YamlLine line = lines_[at_];
      const size_t end = KeyEnd(line.text);
      if (end == std::string_view::npos) {
        Wrong(line.number, "neither a key nor an item of a list");
        break;
      }
      std::string key(base::Trim(line.text.substr(0, end)));
      if (table.Find(key) != nullptr) Wrong(line.number, "a key twice");
      const std::string_view rest = base::Trim(line.text.substr(end + 1));
      ++at_;
      Node value = rest.empty() ? Below(indent, line.number, depth) : Scalar(rest, line.number);
      value.line = line.number;
      table.members.emplace_back(std::move(key), std::move(value));
    }
    return table;
  }

  // What stands below a key or an item without a value. A list may stand as far left as its key.
  Node Below(size_t indent, size_t number, size_t depth) {
    if (at_ < lines_.size() && lines_[at_].indent > indent) return Block(lines_[at_].indent, depth + 1);
    const bool same = at_ < lines_.size() && lines_[at_].indent == indent && IsItem(lines_[at_].text) &&
                      at_ > 0 && !IsItem(lines_[at_ - 1].text);
    if (same) return List(indent, depth + 1);
    return {.kind = Node::Kind::kOther, .line = number};
  }

  Node Scalar(std::string_view text, size_t number) {
    Node scalar{.kind = Node::Kind::kText, .line = number};
    if (text.front() == '[') return FlowList(text, number);
    if (text.front() == '\'' || text.front() == '"') {
      scalar.text = Quoted(text, number);
    } else if (std::string_view("&*!|>%@`{").find(text.front()) != std::string_view::npos) {
      Wrong(number, "this kind of YAML is not read here");
    } else {
      scalar.text = text;
    }
    return scalar;
  }

  std::string Quoted(std::string_view text, size_t number) {
    const char quote = text.front();
    if (text.size() < 2 || text.back() != quote) {
      Wrong(number, "a quote is not closed");
      return "";
    }
    text = text.substr(1, text.size() - 2);
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool twice = quote == '\'' && text[i] == '\'' && text.substr(i + 1).starts_with('\'');
      const bool escaped = quote == '"' && text[i] == '\\' && i + 1 < text.size() &&
                           (text[i + 1] == '"' || text[i + 1] == '\\');
      if (twice || escaped) {
        ++i;
      } else if (text[i] == quote || (quote == '"' && text[i] == '\\')) {
        Wrong(number, "this kind of quoting is not read here");
      }
      plain += text[i];
    }
    return plain;
  }

  Node FlowList(std::string_view text, size_t number) {
    Node list{.kind = Node::Kind::kList, .line = number};
    if (!text.ends_with(']')) {
      Wrong(number, "a list in brackets must end on its line");
      return list;
    }
    text = base::Trim(text.substr(1, text.size() - 2));
    if (text.empty()) return list;
    for (const std::string& item : base::Split(text, ',')) {
      const std::string_view trimmed = base::Trim(item);
      if (trimmed.empty() || trimmed.front() == '[') {
        Wrong(number, "this kind of list is not read here");
        break;
      }
      list.items.push_back(Scalar(trimmed, number));
    }
    return list;
  }

  const std::string& file_;
  std::vector<YamlLine> lines_;
  size_t at_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace

base::Result<Node> ParseYaml(std::string_view bytes, const std::string& file) {
  return YamlParser(file).Run(bytes);
}

}  // namespace culprit::tree
