// What Windows says if a DLL cannot be loaded: the text of GetLastError() for LoadLibrary, the message box
// and the exit code for a program that does not start. Windows itself never names the file that is really
// missing; here it is added in parentheses.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::loader {

struct WindowsFailure {
  uint32_t code = 0;     // the result of GetLastError(): 126, 127 ...
  std::string file;      // requested name, or path of an existing file; internal spelling
  std::string importer;  // path of the importing file; "" = the call itself
  std::string function;  // 127, 182: what `file` lacks
};

std::string LoadLibraryWords(const WindowsFailure& failure);
// For the static imports of a program, with the NTSTATUS that it exits with.
std::string StartWords(const WindowsFailure& failure);

}  // namespace culprit::loader
