// Completion scripts and the manual page, written from the options that the commands declare.
#pragma once

#include <span>
#include <string>

#include "cli/command_line.h"

namespace culprit::cli {

std::string BashCompletions(std::span<const Declaration> commands);
std::string ZshCompletions(std::span<const Declaration> commands);
std::string FishCompletions(std::span<const Declaration> commands);
std::string PowerShellCompletions(std::span<const Declaration> commands);
std::string ManualPage(std::span<const Declaration> commands);

}  // namespace culprit::cli
