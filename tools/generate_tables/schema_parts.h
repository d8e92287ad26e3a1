// What several schemas share, and those that are in other files than the list of all.
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
          .unique = {"id"},
          .kept = true};
}

// schema_packages.cc
Subject Distributions();
Subject Extensions();
Subject Frameworks();
Subject Harvested();
Subject Imports();
Subject Images();
Subject Packages();
Subject Projects();
Subject Sonames();
Subject WheelCode();
// schema_status_codes.cc
Subject StatusCodes();

}  // namespace generate
