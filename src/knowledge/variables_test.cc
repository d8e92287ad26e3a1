#include "knowledge/variables.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace culprit::knowledge {
namespace {

const VariableRow& Row(std::string_view name) {
  const auto found = std::ranges::find(Variables(), name, &VariableRow::name);
  if (found == Variables().end()) throw std::runtime_error(std::string(name));
  return *found;
}

TEST(Variables, EachRowHasWhatItsKindNeeds) {
  for (const VariableRow& row : Variables()) {
    EXPECT_TRUE(row.source.starts_with("https://")) << row.name;
    EXPECT_EQ(!row.holds.empty(), row.kind == VariableKind::kDirectory) << row.name;
    EXPECT_EQ(row.off_values.empty() + row.on_values.empty(), row.kind == VariableKind::kOff ? 1 : 2)
        << row.name;
    const bool path = row.kind == VariableKind::kDirectory || row.kind == VariableKind::kFile;
    EXPECT_EQ(!row.cause.empty(), path) << row.name;
  }
}

TEST(Variables, ValuesThatSwitchOff) {
  EXPECT_TRUE(SwitchesOff(Row("JAX_PLATFORMS"), "CPU"));
  EXPECT_FALSE(SwitchesOff(Row("JAX_PLATFORMS"), "cuda,cpu"));
  EXPECT_TRUE(SwitchesOff(Row("JAX_PLATFORMS"), "cuda12"));
  EXPECT_FALSE(SwitchesOff(Row("JAX_PLATFORMS"), ""));
  EXPECT_TRUE(SwitchesOff(Row("NUMBA_DISABLE_CUDA"), "1"));
  EXPECT_FALSE(SwitchesOff(Row("NUMBA_DISABLE_CUDA"), "0"));
  EXPECT_FALSE(SwitchesOff(Row("NUMBA_DISABLE_CUDA"), "true"));  // not an integer: numba warns and ignores it
}

TEST(Variables, OneFlagOfAList) {
  const VariableRow& row = Row("XLA_FLAGS");
  EXPECT_EQ(ValueFor(row, "--a=1 --xla_gpu_cuda_data_dir=/opt/cuda --b"), "/opt/cuda");
  EXPECT_EQ(ValueFor(row, "--xla_gpu_cuda_data_directory=/x"), "");
}

TEST(Variables, ListsOfArchitectures) {
  using Codes = std::vector<std::string>;
  EXPECT_EQ(CodesInList("7.5 8.6+PTX"), (Codes{"7.5", "8.6+PTX"}));
  EXPECT_EQ(CodesInList("9.0a;12.0"), (Codes{"9.0a", "12.0"}));
  EXPECT_EQ(CodesInList("80;90a-real;120-virtual"), (Codes{"8.0+PTX", "9.0a", "PTX 12.0"}));
  EXPECT_EQ(CodesInList("Hopper"), Codes{});
  EXPECT_EQ(CodesInList("native"), Codes{});
}

}  // namespace
}  // namespace culprit::knowledge
