// Small Python programs that test a framework in the user's own interpreter. They speak the protocol
// (protocol.h) and accept --device N and --only STEP, like culprit-probe.
#pragma once

#include <string>
#include <string_view>

namespace culprit::probe {

// For python -c; "" for an unknown framework.
std::string FrameworkScript(std::string_view framework);

}  // namespace culprit::probe
