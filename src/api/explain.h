// The error of a call: the name of its status and its cause on this machine.
#pragma once

#include <optional>
#include <string>

#include "api/reason.h"
#include "api/status_name.h"

namespace culprit::api {

struct CallError {
  std::string call, file;
  int line = 0;
  int status = 0;
  StatusFacts facts;
  std::optional<Reason> reason;
  std::string message;  // everything in one line
};

CallError Explain(Interface interface, int status, std::string call, std::string file, int line);

// Turns the search for causes on or off.
void SetExplain(bool on);

}  // namespace culprit::api
