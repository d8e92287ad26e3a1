#include "rules/kit/hidden_devices.h"

#include "base/text.h"

namespace culprit::rules {

namespace cuda_visible_devices_hides_all {
extern const Rule kRule;
}
namespace cuda_visible_devices_invalid {
extern const Rule kRule;
}

bool HidesOnPurpose(std::string_view visible_devices) {
  const std::string_view value = base::Trim(visible_devices);
  return value.empty() || value == "-1" || value == "none" || value == "NoDevFiles" || value == "void";
}

const Rule& HiddenDevicesRule(bool on_purpose) {
  return on_purpose ? cuda_visible_devices_hides_all::kRule : cuda_visible_devices_invalid::kRule;
}

}  // namespace culprit::rules
