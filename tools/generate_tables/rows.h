// A flat data file: lists of rows whose keys are in the schema.
#pragma once

#include "schema.h"
#include "toml_reader.h"

namespace generate {

// The text of the table file; empty if there were errors. Its first line names `input`.
std::string Rows(const Subject& subject, const toml::table& root, const std::string& input, Errors& errors);

}  // namespace generate
