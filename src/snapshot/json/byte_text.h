// File names, environment values and symlink targets are bytes; JSON strings are Unicode. In a snapshot every
// byte that is not part of visible UTF-8 is written as \xNN (two lower-case hex digits), and so is a
// backslash before an 'x'. So every string can be read back byte for byte:
//   libé.so -> libé.so      lib<byte e9>.so -> lib\xe9.so      C:\xampp -> C:\x5cxampp
#pragma once

#include <string>
#include <string_view>

namespace culprit::snapshot {

std::string EncodeBytes(std::string_view bytes);
// Accepts any text; what only looks like an escape ("\xg0") stays as it is.
std::string DecodeBytes(std::string_view text);

// The value of a lower-case hex digit, -1 for any other character.
int HexDigit(char c);

}  // namespace culprit::snapshot
