// What several schemas have in common, and the schemas that are in their own files.
#pragma once

#include "schema.h"

namespace generate {

inline constexpr bool kRequired = true;
inline const Field kSource = {"source", Form::kText, kRequired};
inline const Field kNote = {"note"};

inline Field DataOnly(Field field) {
  field.data_only = true;
  return field;
}

// [[rule]]: a fact in words, found by its id.
inline Table Rules(std::string_view function) {
  return {.key = "rule",
          .type = "Rule",
          .function = function,
          .fields = {{"id", Form::kText, kRequired}, {"fact", Form::kText, kRequired}, kSource},
          .unique = {"id"}};
}

Subject Frameworks();
Subject Harvested();
Subject Distributions();
Subject Packages();
Subject Signatures();
Subject Causes();

}  // namespace generate
