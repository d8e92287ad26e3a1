// data/causes.toml and data/explain/*.toml: what logs show, and what that says about the causes.
#pragma once

#include "toml_reader.h"

namespace generate {

struct Input {
  std::string file;
  toml::table root;
};

// The text of the table file; empty if there were errors.
std::string Explain(const std::vector<Input>& inputs, Errors& errors);

}  // namespace generate
