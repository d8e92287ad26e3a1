// The whole load as a tree: each library once, under the one that loaded it. Libraries of the operating
// system that lead to nothing of interest are collapsed into one line.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "render/why/why.h"

namespace culprit::render {
namespace {

using report::LoadAnswer;

class Tree {
 public:
  Tree(const LoadAnswer& answer, const Style& style, bool all) : answer_(answer), style_(style) {
    const size_t count = answer.loads.size() + 1;
    children_.resize(count);
    missing_.resize(count);
    interesting_.resize(count);
    for (size_t i = 0; i < answer.loads.size(); ++i)
      children_[Clamp(answer.loads[i].parent)].push_back(i + 1);
    for (const auto& missing : answer.missing) missing_[Clamp(missing.parent)].push_back(&missing);
    // A parent comes before its children in load order, so one pass from the end is enough.
    for (size_t i = count - 1; i > 0; --i) {
      const auto& load = answer.loads[i - 1];
      interesting_[i] = interesting_[i] || all || !load.system || !missing_[i].empty();
      if (interesting_[i] && Clamp(load.parent) < i) interesting_[Clamp(load.parent)] = true;
    }
  }

  std::string Draw() {
    std::string title = style_.Bold(answer_.target.empty() ? "any program" : answer_.target);
    if (!answer_.title.empty()) title += "  " + About(answer_.title, answer_.version);
    text_ = title + "\n";
    DrawChildren(0, "", 0);
    return std::move(text_);
  }

 private:
  static constexpr int kDepthLimit = 64;

  size_t Clamp(size_t parent) const { return parent < children_.size() ? parent : 0; }

  std::string About(const std::string& title, const report::LibraryVersion& version) const {
    std::string about = title;
    if (!version.version.empty()) about += " " + version.version;
    if (!version.cuda.empty()) about += " for CUDA " + version.cuda;
    return style_.Good(about);
  }

  std::string Line(size_t node) const {
    const auto& load = answer_.loads[node - 1];
    std::string line = style_.Bold(load.name);
    if (!load.title.empty()) line += "  " + About(load.title, load.version);
    line += fmt::format("  {} {}",
                        style_.Dim("[" + std::string(base::NameOrNone(load.via)) +
                                   (load.opened_by == base::Opened::kDlopen ? ", dlopen" : "") + "]"),
                        base::Printable(load.path));
    if (!load.problem.empty()) line += "  " + style_.Bad("✗ " + load.problem);
    return line;
  }

  void DrawChildren(size_t node, const std::string& indent, int depth) {
    std::vector<std::string> folded;
    struct Item {
      std::string line;
      size_t node;
    };
    std::vector<Item> items;
    for (const size_t child : children_[node]) {
      if (interesting_[child]) {
        items.push_back({Line(child), child});
      } else {
        Fold(child, folded);
      }
    }
    for (const auto* missing : missing_[node]) {
      items.push_back({fmt::format("{}  {}", style_.Bad("✗ " + missing->name),
                                   missing->uncertain ? "unknown" : base::Printable(missing->error)),
                       0});
    }
    if (!folded.empty()) items.push_back({style_.Dim(FoldedLine(folded)), 0});
    for (size_t i = 0; i < items.size(); ++i) {
      const bool last = i + 1 == items.size();
      text_ += indent + (last ? "└─ " : "├─ ") + items[i].line + "\n";
      if (items[i].node != 0 && depth < kDepthLimit) {
        DrawChildren(items[i].node, indent + (last ? "   " : "│  "), depth + 1);
      }
    }
  }

  void Fold(size_t node, std::vector<std::string>& names) const {
    names.push_back(answer_.loads[node - 1].name);
    for (const size_t child : children_[node]) Fold(child, names);
  }

  static std::string FoldedLine(const std::vector<std::string>& names) {
    constexpr size_t kShown = 6;
    std::string line =
        names.size() == 1 ? "system library: " : fmt::format("{} system libraries: ", names.size());
    for (size_t i = 0; i < names.size() && i < kShown; ++i) line += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kShown) line += " …";
    return line;
  }

  const LoadAnswer& answer_;
  const Style& style_;
  std::vector<std::vector<size_t>> children_;
  std::vector<std::vector<const report::MissingLibrary*>> missing_;
  std::vector<char> interesting_;
  std::string text_;
};

}  // namespace

std::string ToText(const LoadAnswer& answer, const Style& style, bool all) {
  std::string text = Tree(answer, style, all).Draw();
  if (!answer.optional_missing.empty()) {
    text += "\noptional and not found:\n";
    std::vector<std::string> told;
    for (const auto& missing : answer.optional_missing) {
      if (std::ranges::find(told, missing.name) != told.end()) continue;
      told.push_back(missing.name);
      const auto others =
          std::ranges::count(answer.optional_missing, missing.name, &report::MissingLibrary::name) - 1;
      std::string who = "needed by " + missing.requested_by;
      if (others > 0) who += fmt::format(" and {} other{}", others, others == 1 ? "" : "s");
      text += fmt::format("  {}  {}\n", style.Warn(missing.name), style.Dim(who));
    }
  }
  for (const std::string& warning : answer.warnings)
    text += fmt::format("\n{} {}\n", style.Warn("warning:"), base::Printable(warning));
  if (!answer.error.empty()) {
    text += fmt::format("\n{}\n", style.Bad(answer.uncertain ? "unknown:" : "the loader fails:"));
    size_t start = 0;
    while (start <= answer.error.size()) {
      const size_t end = std::min(answer.error.find('\n', start), answer.error.size());
      text += "  " + base::Printable(answer.error.substr(start, end - start)) + "\n";
      start = end + 1;
    }
    for (const std::string& line : answer.version_errors)
      text += fmt::format("  {} {}\n", style.Dim("then:"), base::Printable(line));
  } else if (answer.uncertain) {
    text += "\n" + style.Warn("incomplete: the snapshot does not contain all files that decide this") + "\n";
  }
  for (const std::string& note : answer.notes) text += fmt::format("\nnote: {}\n", base::Printable(note));
  return text;
}

}  // namespace culprit::render
