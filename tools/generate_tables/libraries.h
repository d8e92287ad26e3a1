// data/libraries.toml: its rows contain lists of other rows, so it has its own reader.
#pragma once

#include "toml_reader.h"

namespace generate {

// The text of the table file; empty if there were errors.
std::string Libraries(const toml::table& root, Errors& errors);

}  // namespace generate
