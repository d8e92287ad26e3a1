// What `culprit plan` has to know of a machine: driver, GPUs, Python, and the environment that would change.
#pragma once

#include <string>

#include "base/error.h"
#include "cli/options.h"
#include "plan/commands.h"
#include "plan/question.h"

namespace culprit::cli {

struct HostOptions {
  const Options& common;
  std::string host;         // --host
  std::string platform;     // --platform; "" = that of the machine
  std::string environment;  // that was named; "" = the active one
  bool repair = false;
  int seconds = 10;
};

// Fills host, installed and the place of a question. Without --host this machine is looked at; with it only a
// named environment is. No GPU and no driver are no error: nothing is compared then.
base::Result<plan::Place> AskMachine(const HostOptions& options, plan::Question& question);

// The words of --platform.
const std::vector<std::string>& PlatformWords();

}  // namespace culprit::cli
