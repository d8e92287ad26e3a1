// data/libraries.toml: its rows hold lists of other rows, so it has a reader of its own.
#pragma once

#include "toml_reader.h"

namespace generate {

// The text of the table file; empty when there were errors. `input` is the name that its first line gives.
std::string Libraries(const toml::table& root, const std::string& input, Errors& errors);

}  // namespace generate
