// Terminal colors, or none.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace culprit::render {

struct Style {
  bool color = false;

  std::string Bold(std::string_view text) const { return Paint("1", text); }
  std::string Dim(std::string_view text) const { return Paint("2", text); }
  std::string Good(std::string_view text) const { return Paint("32", text); }
  std::string Bad(std::string_view text) const { return Paint("31;1", text); }
  std::string Warn(std::string_view text) const { return Paint("33", text); }

 private:
  // Untrusted text passes through here, so control characters are removed here.
  std::string Paint(std::string_view code, std::string_view text) const {
    std::string safe = base::Printable(text);
    if (!color || safe.empty()) return safe;
    return "\x1b[" + std::string(code) + "m" + safe + "\x1b[0m";
  }
};

}  // namespace culprit::render
