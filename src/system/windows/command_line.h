// Arguments as the one line that a process of Windows is started with.
#pragma once

#include <string>

namespace culprit::system {

// As CommandLineToArgvW and the C runtime take it apart again.
void AppendQuoted(std::wstring& line, const std::wstring& word);

}  // namespace culprit::system
