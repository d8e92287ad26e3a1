// data/libraries.toml: its rows contain lists of other rows, so it has its own reader.
#pragma once

#include "toml_reader.h"

namespace generate {

// The text of the table file; empty if there were errors. Its first line names `input`.
std::string Libraries(const toml::table& root, const std::string& input, Errors& errors);

}  // namespace generate
