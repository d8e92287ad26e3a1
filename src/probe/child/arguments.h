// The command line of culprit-probe. Mostly culprit writes it, so it is strict and short.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/host/steps.h"

namespace culprit::prober {

struct Arguments {
  std::optional<probe::JobKind> job;  // driver, runtime or cudnn; none with --help and --version
  int device = 0;
  std::string cudart, nvrtc, cublas, cublaslt, cudnn;  // files as dlopen takes them; "" not asked for
  std::vector<std::string> preload;
  std::vector<probe::StepName> only;  // empty: all steps
  bool deep = false, help = false, version = false;

  bool Wants(probe::StepName step) const;
};

// Without the program's own name. The error is one line for people.
std::expected<Arguments, std::string> ParseArguments(const std::vector<std::string>& words);

std::string_view HelpText();

}  // namespace culprit::prober
