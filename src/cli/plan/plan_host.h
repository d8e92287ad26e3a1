// What `culprit plan` needs to know about a machine: driver, GPUs, Python, and the environment to change.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/options.h"
#include "plan/commands/commands.h"
#include "plan/question.h"

namespace culprit::cli {

struct HostOptions {
  const Options& common;
  std::string host;         // --host
  std::string platform;     // --platform; "" = the default, see below
  std::string environment;  // as the user typed it; "" = the active one
  bool repair = false;
  int seconds = 10;
};

struct HostAnswer {
  plan::Place place;
  std::string note;  // what was assumed; "" for nothing
};

// Fills `host` and `installed` of a question: from --host, or else from this machine. With --host, only a
// named environment is read. A machine without GPU and driver is fine: then nothing is compared with them.
// A plan for another machine (--host, or no GPU, driver and environment here) is for Linux on x86-64 unless
// --platform says otherwise, so the answer does not depend on where you ask.
base::Result<HostAnswer> AskMachine(const HostOptions& options, plan::Question& question);

// The values of --platform.
inline constexpr std::array<std::string_view, 4> kPlatformWords = {"linux-x86_64", "linux-aarch64",
                                                                   "windows-x86_64", "wsl"};

}  // namespace culprit::cli
