// A text -> culprit's explanation, as the program would give it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "explain/explain.h"
#include "explain/logs/plain_text.h"
#include "explain/logs/read_text.h"
#include "explain/logs/text_stream.h"

namespace culprit {

inline std::vector<logs::Symptom> SymptomsOf(const std::string& text) {
  const auto stream = logs::PlainText(std::make_unique<logs::TextStream>(text));
  const auto read = logs::ReadLog(*stream);
  EXPECT_TRUE(read.has_value());
  return read->symptoms;
}

inline report::Explanation Explained(const std::string& text) {
  const std::vector<logs::Symptom> symptoms = SymptomsOf(text);
  return explain::Explain(symptoms, {{"-", 1}});
}

}  // namespace culprit
