// Runs as `culprit run` records them, on made-up machines, with the messages of PyTorch, cuDNN and the
// loader. Set CULPRIT_SHOW to read the reports.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../rules/made_up_machine.h"
#include "engine/diagnosis.h"
#include "report/run.h"
#include "snapshot/record/run.h"

namespace culprit::watched {

inline constexpr int64_t kPid = 4711;
inline constexpr uint64_t kSecond = 1'000'000;

class Machine {
 public:
  // `description`: TOML as in tests/rules.
  explicit Machine(const std::string& description);

  // A run of 10 s that failed with status 1. `torch`: it loaded everything that torch would load there.
  record::Run Run(const std::string& output, bool torch = true) const;

  report::RunReport Explain(const record::Run& run);

 private:
  model::MadeUpMachine machine_;
  std::optional<engine::Diagnosis> diagnosis_;
  std::vector<loader::Scenario> played_;
};

record::FailedCall Call(const char* function, int64_t code, uint64_t at = 9 * kSecond,
                        const char* detail = "");

// "" and 0 when there is no cause.
std::string FirstCause(const report::RunReport& report);
double Confidence(const report::RunReport& report);
bool Has(const std::string& text, const std::string& part);

#define EXPECT_HAS(text, part) EXPECT_TRUE(Has(text, part)) << text

}  // namespace culprit::watched
