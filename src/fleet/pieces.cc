#include "fleet/pieces.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "fleet/brief.h"

namespace culprit::fleet {
namespace {

constexpr std::string_view kMark = "culprit-brief ";
constexpr size_t kPiece = 400;
constexpr size_t kMostPieces = kMostBytes / kPiece + 1;

// Takes the number at the beginning away.
bool TakeNumber(std::string_view& text, size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool TakeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string InPieces(std::string_view line, std::string_view node) {
  const size_t count = std::max<size_t>((line.size() + kPiece - 1) / kPiece, 1);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += std::string(kMark) + std::string(node) + " " + std::to_string(i + 1) + "/" +
            std::to_string(count) + " " + std::string(line.substr(i * kPiece, kPiece)) + "|\n";
  }
  return text;
}

bool Pieces::Add(std::string_view line) {
  const size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return false;
  line.remove_prefix(mark + kMark.size());
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view node = line.substr(0, space);
  line.remove_prefix(space + 1);
  size_t place = 0, count = 0;
  const bool sound = TakeNumber(line, place) && TakeChar(line, '/') && TakeNumber(line, count) &&
                     TakeChar(line, ' ') && line.ends_with('|') && place >= 1 && place <= count &&
                     count <= kMostPieces && line.size() <= kPiece + 1;
  if (!sound) return false;
  line.remove_suffix(1);
  Parts& parts = nodes_.try_emplace(std::string(node)).first->second;
  if (parts.count != count) parts = {.count = count};
  parts.parts[place] = line;
  return true;
}

std::vector<Pieces::Whole> Pieces::Take() {
  std::vector<Whole> wholes;
  for (auto& [node, parts] : nodes_) {
    Whole whole{.node = node, .line = ""};
    if (parts.parts.size() == parts.count) {
      for (const auto& [place, text] : parts.parts) whole.line += text;
    }
    wholes.push_back(std::move(whole));
  }
  nodes_.clear();
  return wholes;
}

}  // namespace culprit::fleet
