// Windows text (UTF-16, little-endian) as UTF-8. An unpaired surrogate becomes U+FFFD; an odd byte at the end
// is dropped.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace culprit::binfmt {

std::string Utf16ToUtf8(std::span<const std::byte> bytes);

}  // namespace culprit::binfmt
