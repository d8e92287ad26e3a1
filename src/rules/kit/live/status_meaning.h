// A status of any NVIDIA API, by its name: what it means and its most likely cause.
#pragma once

#include <string>
#include <string_view>

namespace culprit::rules {

struct StatusMeaning {
  std::string says;
  std::string cause;  // slug; "" = unknown
};
// `ruled_out` is a cause that the facts exclude.
StatusMeaning MeaningOf(std::string_view status, std::string_view ruled_out = "");

}  // namespace culprit::rules
