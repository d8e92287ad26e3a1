#include "base/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace culprit::base {

Json ParseJson(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

}  // namespace culprit::base
