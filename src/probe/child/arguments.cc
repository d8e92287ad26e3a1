#include "probe/child/arguments.h"

#include <algorithm>
#include <charconv>

#include "probe/host/steps.h"

namespace culprit::prober {
namespace {

using probe::JobKind;
using probe::StepName;

struct FileOption {
  std::string_view name;
  JobKind job;
  std::string Arguments::* value;
};
constexpr FileOption kFiles[] = {
    {"--cudart", JobKind::kRuntime, &Arguments::cudart},
    {"--nvrtc", JobKind::kRuntime, &Arguments::nvrtc},
    {"--cublas", JobKind::kRuntime, &Arguments::cublas},
    {"--cublaslt", JobKind::kRuntime, &Arguments::cublaslt},
    {"--cudnn", JobKind::kCudnn, &Arguments::cudnn},
};

// The jobs of this program; those of frameworks and compilers are other programs.
std::optional<JobKind> JobFromWord(std::string_view word) {
  const auto job = base::FromWord<JobKind>(word);
  return job == JobKind::kFramework || job == JobKind::kCompile ? std::nullopt : job;
}

// "" or what is wrong with this option and its value.
std::string TakeValue(Arguments& arguments, const std::string& option, const std::string& value) {
  if (option == "--device") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), arguments.device);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    return whole && arguments.device >= 0 ? "" : "--device takes a number, not " + value;
  }
  if (option == "--only") {
    const StepName step = base::FromWord<StepName>(value).value_or(StepName::kNone);
    if (step == StepName::kNone || probe::JobOf(step) != arguments.job)
      return "not a step of this job: " + value;
    arguments.only.push_back(step);
    return "";
  }
  if (option == "--preload" && arguments.job != JobKind::kDriver) {
    arguments.preload.push_back(value);
    return "";
  }
  for (const FileOption& file : kFiles) {
    if (file.name != option || file.job != arguments.job) continue;
    arguments.*file.value = value;
    return value.empty() ? option + " takes a file" : "";
  }
  return "unknown option: " + option;
}

}  // namespace

bool Arguments::Wants(probe::StepName step) const {
  return only.empty() || std::ranges::find(only, step) != only.end();
}

std::expected<Arguments, std::string> ParseArguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "--version") {
      (word == "--help" ? arguments.help : arguments.version) = true;
      return arguments;
    }
    if (!arguments.job) {
      arguments.job = JobFromWord(word);
      if (!arguments.job)
        return std::unexpected("the first word must be driver, runtime or cudnn, not " + word);
    } else if (word == "--deep") {
      arguments.deep = true;
    } else if (i + 1 == words.size()) {
      return std::unexpected(word + " has no value, or is not an option");
    } else if (std::string problem = TakeValue(arguments, word, words[++i]); !problem.empty()) {
      return std::unexpected(std::move(problem));
    }
  }
  if (!arguments.job) return std::unexpected("name a job: driver, runtime or cudnn");
  if (arguments.job == JobKind::kCudnn && arguments.cudnn.empty())
    return std::unexpected("cudnn needs --cudnn FILE");
  return arguments;
}

std::string_view HelpText() {
  return "culprit-probe tests the CUDA libraries for `culprit probe` and reports each step on standard "
         "output.\n"
         "\n"
         "  culprit-probe driver  [--device N] [--deep] [--only STEP]...\n"
         "  culprit-probe runtime [--device N] [--cudart FILE] [--nvrtc FILE] [--cublas FILE]\n"
         "                        [--cublaslt FILE] [--preload FILE]... [--only STEP]...\n"
         "  culprit-probe cudnn   [--device N] --cudnn FILE [--preload FILE]... [--deep] [--only STEP]...\n"
         "\n"
         "The loader searches for a FILE without a slash.\n";
}

}  // namespace culprit::prober
