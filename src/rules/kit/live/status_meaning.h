// A status of any of NVIDIA's interfaces, by its name: what it means and the cause that it speaks for first.
#pragma once

#include <string>
#include <string_view>

namespace culprit::rules {

struct StatusMeaning {
  std::string says;
  std::string cause;  // slug; "" = not known
};
// Without a cause that facts speak against.
StatusMeaning MeaningOf(std::string_view status, std::string_view ruled_out = "");

}  // namespace culprit::rules
