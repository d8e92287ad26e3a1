// The texts of the catalogue as HTML. They are Markdown of few kinds: headings, paragraphs, lists, code.
// Everything else is escaped.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace culprit::render {

struct ProsePart {
  std::string heading;  // plain words; "" before the first
  std::string html;
};

class Prose {
 public:
  // `codes`: those that have a page, to which they are linked.
  explicit Prose(std::set<std::string, std::less<>> codes) : codes_(std::move(codes)) {}

  // One sentence or paragraph: `code`, web addresses and codes become markup.
  std::string Line(std::string_view text) const;
  // The parts of a page below its headings, "## Fix".
  std::vector<ProsePart> Parts(std::string_view markdown) const;

 private:
  std::string Words(std::string_view text) const;
  std::set<std::string, std::less<>> codes_;
};

// An anchor: "What it means" -> "what-it-means".
std::string AnchorOf(std::string_view heading);

}  // namespace culprit::render
