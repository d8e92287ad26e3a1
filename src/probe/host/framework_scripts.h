// The small Python programs that prove a framework in the user's own interpreter. They speak the protocol
// (protocol.h) and take --device N and --only STEP like culprit-probe.
#pragma once

#include <string>
#include <string_view>

namespace culprit::probe {

// For python -c; "" for a framework that is not known.
std::string FrameworkScript(std::string_view framework);

}  // namespace culprit::probe
