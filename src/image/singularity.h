// What Apptainer and Singularity keep in the root of an image, /.singularity.d: the environment as shell
// scripts, what is started, labels.
// https://apptainer.org/docs/user/main/environment_and_metadata.html
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/config.h"
#include "system/system.h"

namespace culprit::image {

// Adds what can be read; an image that has none of it stays as it is.
void ReadSingularity(const system::System& machine, ImageConfig& config);

// The words of a line as a shell makes them: quotes, backslashes, $NAME, ${NAME}, ${NAME:-WORD} with these
// variables. nullopt: the line needs more of a shell than that.
std::optional<std::vector<std::string>> ShellWords(std::string_view line,
                                                   const std::map<std::string, std::string>& variables);

// What a script exports in lines that always run; a variable whose value cannot be read is taken out.
void ReadExports(std::string_view script, std::map<std::string, std::string>& variables);

}  // namespace culprit::image
