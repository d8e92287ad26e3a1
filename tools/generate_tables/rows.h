// A flat data file: lists of rows whose keys the schema knows.
#pragma once

#include "schema.h"
#include "toml_reader.h"

namespace generate {

// The text of the table file; empty when there were errors. `input` is the name that its first line gives.
std::string Rows(const Subject& subject, const toml::table& root, const std::string& input, Errors& errors);

}  // namespace generate
