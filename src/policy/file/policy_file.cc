#include "policy/file/policy_file.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "knowledge/messages/causes.h"
#include "tree/tree.h"

namespace culprit::policy {
namespace {

using tree::Node;

constexpr size_t kMostRules = 1000;
constexpr size_t kLongestText = 1000;
constexpr size_t kMostCommands = 20;

// The position of character `offset` of a string in the file. If the string has escapes, only its beginning
// is known.
std::pair<size_t, size_t> PlaceIn(std::string_view bytes, const Node& node, size_t offset) {
  std::pair<size_t, size_t> place(node.line, node.column);
  std::string_view rest = bytes;
  for (size_t line = 1; line < node.line && !rest.empty(); ++line)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  for (size_t column = 1; column < node.column && !rest.empty(); ++column)
    rest.remove_prefix(std::min(std::max<size_t>(base::SignAt(rest).length, 1), rest.size()));
  const bool wide = rest.starts_with("'''") || rest.starts_with("\"\"\"");
  const bool escapes = rest.starts_with('"');
  rest.remove_prefix(std::min<size_t>(wide ? 3 : 1, rest.size()));
  auto [line, column] = std::pair(place.first, place.second + (wide ? 3 : 1));
  const size_t line_end = rest.starts_with("\r\n") ? 2 : 1;
  if (wide && (rest.starts_with('\n') || rest.starts_with("\r\n"))) {
    rest.remove_prefix(line_end);
    ++line, column = 1;
  }
  const std::string_view before = std::string_view(node.text).substr(0, offset);
  if (!rest.starts_with(before) || (escapes && before.contains('\\'))) return place;
  for (size_t i = 0; i < before.size(); i += std::max<size_t>(base::SignAt(before.substr(i)).length, 1)) {
    if (before[i] == '\n') ++line, column = 0;
    ++column;
  }
  return {line, column};
}

class PolicyReader {
 public:
  PolicyReader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  base::Result<Policy> Read(const Node& root) {
    Policy policy;
    for (const auto& [key, node] : root.members) {
      if (key != "rule" || !node.IsList())
        return At(node, "expected [[rule]], found " + base::Printable("'" + key + "'"));
      for (const Node& item : node.items) {
        if (policy.rules.size() >= kMostRules)
          return At(item, "a policy may have at most " + std::to_string(kMostRules) + " rules");
        auto rule = ReadRule(item, node);
        if (!rule) return std::unexpected(rule.error());
        policy.rules.push_back(*std::move(rule));
      }
    }
    if (policy.rules.empty())
      return base::Fail(base::ErrorCode::kBadFormat, file_ + ":1:1: the file has no rule; expected [[rule]]");
    std::ranges::sort(policy.rules, {}, &Rule::code);
    return policy;
  }

 private:
  using Mistaken = std::unexpected<base::Error>;
  Mistaken At(size_t line, size_t column, const std::string& what) const {
    return base::Fail(base::ErrorCode::kBadFormat, file_ + ":" + std::to_string(std::max<size_t>(line, 1)) +
                                                       ":" + std::to_string(std::max<size_t>(column, 1)) +
                                                       ": " + base::Printable(what));
  }
  Mistaken At(const Node& node, const std::string& what) const { return At(node.line, node.column, what); }

  base::Result<std::string> TextOf(const std::string& key, const Node& node) const {
    if (!node.IsText()) return At(node, key + " must be a string");
    if (node.text.empty()) return At(node, key + " must not be empty");
    if (node.text.size() > kLongestText)
      return At(node, key + " may have at most " + std::to_string(kLongestText) + " characters");
    if (base::Printable(node.text) != node.text)
      return At(node, key + " must be one line without control characters");
    return node.text;
  }

  base::Result<Condition> ConditionOf(const std::string& key, const Node& node) const {
    if (!node.IsText())
      return At(node, key + " must be a string with a condition: " + key + " = 'driver >= 550.54'");
    auto condition = ParseCondition(node.text);
    if (condition) return *std::move(condition);
    const auto [line, column] = PlaceIn(bytes_, node, condition.error().offset);
    return At(line, column, key + ": " + condition.error().what);
  }

  base::Result<Rule> ReadRule(const Node& table, const Node& list) {
    if (!table.IsTable()) return At(list, "expected [[rule]] with code, cause, text and require or forbid");
    Rule rule;
    for (const auto& [key, node] : table.members) {
      if (auto read = ReadKey(key, node, rule); !read) return std::unexpected(read.error());
    }
    const Node* require = table.Find("require");
    const Node* forbid = table.Find("forbid");
    if (require == nullptr && forbid == nullptr)
      return At(table, "this rule has no condition; expected require or forbid");
    if (require != nullptr && forbid != nullptr)
      return At(*forbid, "a rule has either require or forbid; write two rules");
    rule.forbids = forbid != nullptr;
    rule.source = file_ + ":" + std::to_string((rule.forbids ? forbid : require)->line);
    for (const char* key : {"code", "cause", "text"}) {
      if (table.Find(key) == nullptr) return At(table, std::string("this rule has no ") + key + Example(key));
    }
    if (rule.fix.empty() && !rule.commands.empty())
      return At(*table.Find("commands"), "a rule with commands needs fix = \"what they do\"");
    return rule;
  }

  static std::string Example(std::string_view key) {
    return key == "code"    ? "; expected code = \"SITE001\""
           : key == "cause" ? "; expected cause = \"driver-too-old\" or another cause from docs/policy.md"
                            : "; expected text = \"...\", what is wrong where the rule is broken";
  }

  base::Result<void> ReadKey(const std::string& key, const Node& node, Rule& rule) {
    if (key == "require" || key == "forbid" || key == "when") return ReadCondition(key, node, rule);
    if (key == "commands") return ReadCommands(node, rule);
    static const std::map<std::string, std::function<base::Result<void>(PolicyReader&, const Node&, Rule&)>>
        kTexts = {{"code", &PolicyReader::ReadCode},         {"cause", &PolicyReader::ReadCause},
                  {"severity", &PolicyReader::ReadSeverity}, {"text", &PolicyReader::ReadText},
                  {"fix", &PolicyReader::ReadFix},           {"link", &PolicyReader::ReadLink}};
    const auto reader = kTexts.find(key);
    if (reader == kTexts.end())
      return At(
          node,
          "'" + key +
              "' is not a key of a rule; use code, cause, severity, text, require or forbid, when, fix, "
              "commands and link");
    if (auto text = TextOf(key, node); !text) return std::unexpected(text.error());
    return reader->second(*this, node, rule);
  }

  base::Result<void> ReadCode(const Node& node, Rule& rule) {
    if (!IsSiteCode(node.text))
      return At(node, "expected SITE and three or four digits, such as SITE001, found '" + node.text + "'");
    if (!codes_.insert(node.text).second)
      return At(node, "another rule already has the code " + node.text + " already");
    rule.code = node.text;
    return {};
  }
  base::Result<void> ReadCause(const Node& node, Rule& rule) {
    if (knowledge::FindCause(node.text) == nullptr)
      return At(node,
                "expected a cause such as driver-too-old or search-path (docs/policy.md lists all), found '" +
                    node.text + "'");
    rule.cause = node.text;
    return {};
  }
  base::Result<void> ReadSeverity(const Node& node, Rule& rule) {
    const auto severity = base::FromWord<report::Severity>(node.text);
    if (!severity) return At(node, "expected error, warning or note, found '" + node.text + "'");
    rule.severity = *severity;
    return {};
  }
  base::Result<void> ReadText(const Node& node, Rule& rule) {
    return rule.text = node.text, base::Result<void>();
  }
  base::Result<void> ReadFix(const Node& node, Rule& rule) {
    return rule.fix = node.text, base::Result<void>();
  }
  base::Result<void> ReadLink(const Node& node, Rule& rule) {
    if (!node.text.starts_with("https://") && !node.text.starts_with("http://"))
      return At(node, "expected a URL with https://, found '" + node.text + "'");
    rule.link = node.text;
    return {};
  }

  base::Result<void> ReadCondition(const std::string& key, const Node& node, Rule& rule) const {
    auto condition = ConditionOf(key, node);
    if (!condition) return std::unexpected(condition.error());
    if (key == "when") {
      rule.when = *std::move(condition);
    } else {
      rule.condition = *std::move(condition);
      for (const std::string& word : base::SplitWords(node.text, " \t\r\n"))
        rule.wording += (rule.wording.empty() ? "" : " ") + base::Printable(word);
    }
    return {};
  }

  base::Result<void> ReadCommands(const Node& node, Rule& rule) const {
    if (!node.IsList()) return At(node, "commands must be a list of strings");
    for (const Node& item : node.items) {
      if (rule.commands.size() >= kMostCommands)
        return At(item, "a fix may have at most " + std::to_string(kMostCommands) + " commands");
      auto command = TextOf("a command", item);
      if (!command) return std::unexpected(command.error());
      rule.commands.push_back(*std::move(command));
    }
    return {};
  }

  const std::string_view bytes_;
  const std::string file_;
  std::set<std::string> codes_;
};

}  // namespace

base::Result<Policy> ParsePolicy(std::string_view bytes, const std::string& file) {
  const auto root = tree::ParseToml(bytes, file);
  if (!root) return std::unexpected(root.error());
  return PolicyReader(bytes, base::Printable(file)).Read(*root);
}

}  // namespace culprit::policy
