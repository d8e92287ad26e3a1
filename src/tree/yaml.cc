// YAML through libyaml, which reads YAML 1.1 as a stream of events. A file may be hostile: depth, size and
// what its aliases grow to are bounded, and a key twice is an error, because each reader takes another one of
// them.
#include <yaml.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/text.h"
#include "tree/tree.h"

namespace culprit::tree {
namespace {

constexpr size_t kDeepestYaml = 64;
constexpr size_t kMostNodes = 100'000;          // aliases count as what they stand for
constexpr size_t kMostText = size_t{16} << 20;  // the same

struct EndParser {
  void operator()(yaml_parser_t* parser) const { yaml_parser_delete(parser); }
};

std::string_view TextOf(const yaml_char_t* text, size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}
std::string NameOf(const yaml_char_t* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

class YamlReader {
 public:
  YamlReader(std::string_view bytes, const std::string& file) : file_(file) {
    if (yaml_parser_initialize(&storage_) == 0) return;
    parser_.reset(&storage_);
    yaml_parser_set_input_string(&storage_, reinterpret_cast<const unsigned char*>(bytes.data()),
                                 bytes.size());
  }

  base::Result<std::vector<Node>> Run() {
    std::vector<Node> documents;
    for (Next(); !error_ && event_.type != YAML_STREAM_END_EVENT; Next()) {
      if (event_.type != YAML_DOCUMENT_START_EVENT) continue;
      anchors_.clear();
      const size_t line = event_.start_mark.line + 1;
      Next();
      Node root = Value(0);
      if (root.kind == Node::Kind::kOther && root.text.empty()) continue;
      root.line = std::max(line, size_t{1});
      documents.push_back(std::move(root));
    }
    Clear();
    if (error_) return std::unexpected(*error_);
    return documents;
  }
  ~YamlReader() { Clear(); }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

 private:
  void Clear() {
    if (has_event_) yaml_event_delete(&event_);
    has_event_ = false;
  }
  void Wrong(size_t line, const std::string& what) {
    if (error_) return;
    error_ = base::Error{base::ErrorCode::kBadFormat,
                         base::Printable(file_) + ":" + std::to_string(line) + ": " + what};
  }
  void Next() {
    Clear();
    event_ = {};
    event_.type = YAML_STREAM_END_EVENT;
    if (error_) return;
    if (parser_ == nullptr) return Wrong(1, "no memory");
    if (yaml_parser_parse(&storage_, &event_) == 0) {
      event_ = {};
      event_.type = YAML_STREAM_END_EVENT;
      const bool of_bytes = storage_.error == YAML_READER_ERROR;
      return Wrong(of_bytes ? LineOfByte() : storage_.problem_mark.line + 1,
                   storage_.problem == nullptr ? "not YAML" : base::Printable(storage_.problem));
    }
    has_event_ = true;
  }
  size_t LineOfByte() const { return storage_.mark.line + 1; }
  size_t Line() const { return event_.start_mark.line + 1; }

  // Whether there is room for another node with this text.
  bool Count(size_t nodes, size_t text, size_t line) {
    nodes_ += nodes;
    text_ += text;
    if (nodes_ > kMostNodes || text_ > kMostText) Wrong(line, "too large, with what its aliases stand for");
    return !error_;
  }
  struct Size {
    size_t nodes = 0, text = 0, height = 0;
  };
  static Size Measure(const Node& node) {
    Size all{.nodes = 1, .text = node.text.size(), .height = 1};
    const auto add = [&](const Node& inner) {
      const Size one = Measure(inner);
      all.nodes += one.nodes;
      all.text += one.text;
      all.height = std::max(all.height, one.height + 1);
    };
    for (const auto& [key, member] : node.members) {
      all.text += key.size();
      add(member);
    }
    for (const Node& item : node.items) add(item);
    return all;
  }

  // The value that begins with the event at hand; ends at its last event.
  Node Value(size_t depth) {
    const size_t line = Line();
    if (depth > kDeepestYaml) Wrong(line, "too deep");
    if (error_ || !Count(1, 0, line)) return {};
    Node node;
    std::string anchor;
    switch (event_.type) {
      case YAML_ALIAS_EVENT:
        return Alias(NameOf(event_.data.alias.anchor), line, depth);
      case YAML_SCALAR_EVENT:
        anchor = NameOf(event_.data.scalar.anchor);
        node = Scalar(line);
        break;
      case YAML_SEQUENCE_START_EVENT:
        anchor = NameOf(event_.data.sequence_start.anchor);
        node = List(line, depth);
        break;
      case YAML_MAPPING_START_EVENT:
        anchor = NameOf(event_.data.mapping_start.anchor);
        node = Table(line, depth);
        break;
      default:
        return node;
    }
    if (!anchor.empty()) Keep(anchor, node, line);
    return node;
  }

  // A copy counts like what an alias brings.
  void Keep(const std::string& anchor, const Node& node, size_t line) {
    const Size size = Measure(node);
    if (Count(size.nodes, size.text, line)) anchors_[anchor] = node;
  }

  Node Scalar(size_t line) {
    const auto& scalar = event_.data.scalar;
    const std::string_view text = TextOf(scalar.value, scalar.length);
    Count(0, text.size(), line);
    const bool nothing =
        scalar.style == YAML_PLAIN_SCALAR_STYLE && (text.empty() || text == "~" || text == "null");
    return {.kind = nothing ? Node::Kind::kOther : Node::Kind::kText,
            .text = nothing ? "" : std::string(text),
            .line = line};
  }

  Node Alias(const std::string& name, size_t line, size_t depth) {
    const auto known = anchors_.find(name);
    if (known == anchors_.end()) {
      Wrong(line, "an alias of nothing");
      return {};
    }
    const Size size = Measure(known->second);
    if (depth + size.height > kDeepestYaml) Wrong(line, "too deep");
    return Count(size.nodes, size.text, line) ? known->second : Node{};
  }

  Node List(size_t line, size_t depth) {
    Node list{.kind = Node::Kind::kList, .line = line};
    for (Next(); !error_ && event_.type != YAML_SEQUENCE_END_EVENT; Next())
      list.items.push_back(Value(depth + 1));
    return list;
  }

  Node Table(size_t line, size_t depth) {
    Node table{.kind = Node::Kind::kTable, .line = line};
    std::vector<Node> merged;
    std::set<std::string, std::less<>> keys;
    for (Next(); !error_ && event_.type != YAML_MAPPING_END_EVENT; Next()) {
      const size_t at = Line();
      const Node key = Value(depth + 1);
      if (!error_ && (key.IsList() || key.IsTable())) Wrong(at, "a key that is not a text");
      Next();
      Node value = Value(depth + 1);
      if (error_) break;
      value.line = at;
      if (key.text == "<<") {
        merged.push_back(std::move(value));
        continue;
      }
      if (!keys.insert(key.text).second) Wrong(at, "a key twice");
      table.members.emplace_back(key.text, std::move(value));
    }
    for (const Node& from : merged) Merge(from, table, keys);
    return table;
  }

  // What a merge key brings; what the table says itself counts.
  static void Merge(const Node& from, Node& table, std::set<std::string, std::less<>>& keys) {
    for (const Node& item : from.items) Merge(item, table, keys);
    for (const auto& [key, value] : from.members) {
      if (keys.insert(key).second) table.members.emplace_back(key, value);
    }
  }

  const std::string& file_;
  yaml_parser_t storage_{};
  std::unique_ptr<yaml_parser_t, EndParser> parser_;
  yaml_event_t event_{};
  bool has_event_ = false;
  std::map<std::string, Node> anchors_;
  size_t nodes_ = 0, text_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace

base::Result<std::vector<Node>> ParseYamlDocuments(std::string_view bytes, const std::string& file) {
  return YamlReader(bytes, file).Run();
}

base::Result<Node> ParseYaml(std::string_view bytes, const std::string& file) {
  auto documents = ParseYamlDocuments(bytes, file);
  if (!documents) return std::unexpected(documents.error());
  if (documents->empty()) return Node{.kind = Node::Kind::kTable, .line = 1};
  if (documents->size() > 1) {
    return base::Fail(
        base::ErrorCode::kBadFormat,
        base::Printable(file) + ":" + std::to_string((*documents)[1].line) + ": more than one document");
  }
  return std::move(documents->front());
}

}  // namespace culprit::tree
