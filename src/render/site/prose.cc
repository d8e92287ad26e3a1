#include "render/site/prose.h"

#include <utility>

#include "base/text.h"
#include "render/page/text.h"

namespace culprit::render {
namespace {

constexpr size_t kCodeSize = 7;  // CUL3004

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetterOrDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// What stands between blanks, without the full stop or bracket after it.
std::string_view AddressAt(std::string_view text) {
  if (!text.starts_with("https://") && !text.starts_with("http://")) return {};
  std::string_view address = text.substr(0, text.find_first_of(" \t\"'<>`"));
  while (!address.empty() && std::string_view(".,;:)").find(address.back()) != std::string_view::npos)
    address.remove_suffix(1);
  return address;
}

// Collects the lines of one part, and closes what they opened.
class Blocks {
 public:
  explicit Blocks(const Prose& prose) : prose_(prose) {}

  void Add(const std::string& line) {
    const std::string_view words = base::Trim(line);
    if (line.starts_with("```")) {
      EndParagraph();
      html_ += in_code_ ? "</code></pre>" : "<pre><code>";
      in_code_ = !in_code_;
    } else if (in_code_) {
      html_ += EscapeHtml(base::Printable(line)) + "\n";
    } else if (words.empty()) {
      EndParagraph();
      EndList();
    } else if (words.starts_with("- ")) {
      EndParagraph();
      if (!in_list_) html_ += "<ul>";
      in_list_ = true;
      paragraph_ = words.substr(2);
    } else {
      paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(words);
    }
  }

  std::string Take() {
    EndParagraph();
    EndList();
    if (in_code_) html_ += "</code></pre>";
    in_code_ = false;
    return std::exchange(html_, "");
  }

 private:
  void EndParagraph() {
    if (paragraph_.empty()) return;
    const std::string tag = in_list_ ? "li" : "p";
    html_ += "<" + tag + ">" + prose_.Line(std::exchange(paragraph_, "")) + "</" + tag + ">";
  }
  void EndList() {
    if (in_list_) html_ += "</ul>";
    in_list_ = false;
  }

  const Prose& prose_;
  std::string html_, paragraph_;
  bool in_code_ = false, in_list_ = false;
};

}  // namespace

std::string Prose::Words(std::string_view text) const {
  std::string html;
  for (size_t at = 0; at < text.size();) {
    const bool word_begins = at == 0 || !IsLetterOrDigit(text[at - 1]);
    const std::string_view rest = text.substr(at), code = rest.substr(0, kCodeSize);
    if (const std::string_view address = word_begins ? AddressAt(rest) : ""; !address.empty()) {
      const std::string safe = EscapeHtml(address);
      html += "<a rel=\"noreferrer\" href=\"" + safe + "\">" + safe + "</a>";
      at += address.size();
    } else if (word_begins && codes_.contains(code) &&
               (rest.size() == kCodeSize || !IsLetterOrDigit(rest[kCodeSize]))) {
      html += "<a class=\"code\" href=\"" + std::string(code) + ".html\">" + std::string(code) + "</a>";
      at += kCodeSize;
    } else {
      html += EscapeHtml(rest.substr(0, 1));
      ++at;
    }
  }
  return html;
}

std::string Prose::Line(std::string_view text) const {
  const std::string words = base::Printable(text);
  std::string html;
  for (std::string_view rest = words; !rest.empty();) {
    const size_t open = rest.find('`');
    const size_t close = open == std::string_view::npos ? open : rest.find('`', open + 1);
    if (close == std::string_view::npos) return html + Words(rest);
    html += Words(rest.substr(0, open)) + "<code>" + EscapeHtml(rest.substr(open + 1, close - open - 1)) +
            "</code>";
    rest.remove_prefix(close + 1);
  }
  return html;
}

std::vector<ProsePart> Prose::Parts(std::string_view markdown) const {
  std::vector<ProsePart> parts(1);
  Blocks blocks(*this);
  for (const std::string& line : base::Split(markdown, '\n')) {
    if (line.starts_with("## ")) {
      parts.back().html = blocks.Take();
      parts.push_back({.heading = line.substr(3), .html = ""});
    } else {
      blocks.Add(line);
    }
  }
  parts.back().html = blocks.Take();
  if (parts.front().html.empty()) parts.erase(parts.begin());
  return parts;
}

std::string AnchorOf(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) {
      anchor += static_cast<char>(c + 32);
    } else if (IsLetterOrDigit(c)) {
      anchor += c;
    } else if (!anchor.empty() && anchor.back() != '-') {
      anchor += '-';
    }
  }
  return anchor;
}

}  // namespace culprit::render
