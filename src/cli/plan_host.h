// What `culprit plan` has to know of a machine: driver, GPUs, Python, and the environment that would change.
#pragma once

#include <string>

#include "base/error.h"
#include "cli/options.h"
#include "plan/commands/commands.h"
#include "plan/question.h"

namespace culprit::cli {

struct HostOptions {
  const Options& common;
  std::string host;         // --host
  std::string platform;     // --platform; "" = that of the machine, see below
  std::string environment;  // that was named; "" = the active one
  bool repair = false;
  int seconds = 10;
};

struct HostAnswer {
  plan::Place place;
  std::string note;  // what was assumed; "" = nothing
};

// Fills host and installed of a question. Without --host this machine is looked at; with it only a named
// environment is. No GPU and no driver are no error: nothing is compared then. A machine that is not this one
// (--host, or because this one has neither GPU nor driver nor environment to change) is Linux on x86-64
// unless --platform says otherwise, so that the answer does not depend on where the question is asked.
base::Result<HostAnswer> AskMachine(const HostOptions& options, plan::Question& question);

// The words of --platform.
const std::vector<std::string>& PlatformWords();

}  // namespace culprit::cli
