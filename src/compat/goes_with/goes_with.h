// What goes with the only thing that was asked about: `culprit compat cuda=12.4` -> drivers, GPUs, compilers,
// cuDNN releases, frameworks. Every line is what the functions of knowledge/ answer for a pair, asked for all
// that the tables have.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compat/question.h"
#include "knowledge/packages/builds.h"
#include "report/compat.h"

namespace culprit::compat {

// Fills about, goes_with and notes; nothing if the tables do not know the thing.
void ListWhatGoesWith(const CompatQuestion& question, report::CompatAnswer& answer);

// ---- one file per kind of thing
using Lines = std::vector<report::GoesWith>;
void ListOfCuda(const CompatQuestion& question, report::CompatAnswer& answer);
Lines LinesOfDriver(const CompatQuestion& question);
Lines LinesOfGpu(const CompatQuestion& question);
Lines LinesOfCudnn(const CompatQuestion& question);
Lines LinesOfPython(const CompatQuestion& question);
Lines LinesOfCompiler(const CompatQuestion& question);
Lines LinesOfCudaCompat(const base::Version& cuda);
void ListOfPackage(const CompatQuestion& question, report::CompatAnswer& answer);

// ---- ranges.cc
// Those of `all`, in its order, that fit; `range` joins neighbours: "8.8.0 to 8.9.7, 9.1.0".
struct Range {
  std::string text;
  std::vector<std::string> values;
};
Range RangeOf(const std::vector<std::string>& all, const std::function<bool(size_t)>& fits);
// Adds a line unless the range is empty.
void AddRange(Lines& lines, std::string what, Range range, std::string why, std::string_view source);
// A line for every architecture with a GPU that fits.
void AddGpus(Lines& lines, const std::function<bool(const base::Version& cc)>& fits);
// A line for every framework with a build that fits: its releases, and where not all of their builds do,
// which.
void AddFrameworks(Lines& lines, base::Machine machine,
                   const std::function<bool(const knowledge::Build&)>& fits);

}  // namespace culprit::compat
