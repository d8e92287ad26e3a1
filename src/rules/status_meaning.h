// A status of any of NVIDIA's interfaces, by its name: what it means and the cause that it speaks for first.
#pragma once

#include <string>
#include <string_view>

namespace culprit::rules {

struct StatusMeaning {
  std::string says;
  std::string cause;  // slug; "" = not known
};
StatusMeaning MeaningOf(std::string_view status);

}  // namespace culprit::rules
