// File names, environment values and link targets are bytes; strings of JSON are Unicode. In a snapshot each
// byte that is not part of printable UTF-8 is written as \xNN (two lower-case hexadecimal digits), and so is
// a backslash that stands before an 'x', so that every string comes back byte for byte:
//   libé.so -> libé.so      lib<byte e9>.so -> lib\xe9.so      C:\xampp -> C:\x5cxampp
#pragma once

#include <string>
#include <string_view>

namespace culprit::snapshot {

std::string EncodeBytes(std::string_view bytes);
// Takes any text; what only looks like an escape ("\xg0") stays as it is.
std::string DecodeBytes(std::string_view text);

// The value of a lower-case hexadecimal digit, -1 for any other character.
int HexDigit(char c);

}  // namespace culprit::snapshot
