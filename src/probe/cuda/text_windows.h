// Texts of Windows are UTF-16, ours UTF-8. For the sources of that platform here and in prober.
#pragma once

#include <windows.h>

#include <string>

namespace culprit::cuda {

std::wstring Wide(const std::string& text);
std::string Narrow(const std::wstring& wide);
// The file of a module of this process.
std::string PathOfModule(HMODULE module);

}  // namespace culprit::cuda
