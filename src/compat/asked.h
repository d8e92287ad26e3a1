// Asks `compat` in tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compat/compat.h"

namespace culprit::compat {

inline report::CompatAnswer Ask(const std::vector<std::string>& words) {
  const auto question = ParseCompat(words);
  EXPECT_TRUE(question) << (question ? "" : question.error().message);
  return question ? Compat(*question) : report::CompatAnswer{};
}

}  // namespace culprit::compat
