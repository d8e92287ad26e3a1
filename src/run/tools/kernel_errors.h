// What compute-sanitizer or cuda-gdb wrote about a program's kernels, summed up: the same error from a
// thousand threads is one entry. Reads the record alone, so `culprit explain FILE` says the same elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "report/check.h"
#include "report/run.h"
#include "snapshot/record/run.h"

namespace culprit::run {

struct KernelFindings {
  std::vector<report::RunKernelError> errors;   // in the order in which the tool met them
  std::optional<uint64_t> total;                // the tool's own count; nullopt: it did not get that far
  std::vector<report::NotChecked> not_checked;  // what the tool says that it could not do
};

// Of all texts of a run that a tool wrote; empty where no tool was asked.
KernelFindings KernelErrors(const record::Run& run);

// Foreign text: any bytes, lines of any length; at most kMostKernelErrors different errors are told apart.
inline constexpr size_t kMostKernelErrors = 100;
inline constexpr size_t kHostFrames = 12;  // shown of one error
KernelFindings ReadSanitizerReport(std::string_view text);
KernelFindings ReadCudaGdbLog(std::string_view text);

// "/src/a.cu:12" -> file and line; false when it does not end so.
bool SplitFileLine(std::string_view text, std::string& file, uint64_t& line);

}  // namespace culprit::run
