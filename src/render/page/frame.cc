#include "render/page/frame.h"

#include "base/bytes/sha256.h"

namespace culprit::render {

std::string HashOf(const std::string& part) {
  base::Sha256 hash;
  hash.Add(std::as_bytes(std::span(part)));
  std::string base64 = hash.UrlSafeBase64();
  for (char& c : base64) c = c == '-' ? '+' : c == '_' ? '/' : c;
  return "'sha256-" + base64 + "='";
}

std::string Filled(const std::string& frame, std::span<const FramePart> parts) {
  std::string page;
  for (size_t at = 0; at < frame.size();) {
    const size_t open = frame.find("{{", at);
    const size_t close = open == std::string::npos ? open : frame.find("}}", open);
    if (close == std::string::npos) return page + frame.substr(at);
    page += frame.substr(at, open - at);
    const std::string_view name = std::string_view(frame).substr(open + 2, close - open - 2);
    for (const auto& [part, value] : parts) {
      if (part == name) page += value;
    }
    at = close + 2;
  }
  return page;
}

}  // namespace culprit::render
