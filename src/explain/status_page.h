// The catalog of foreign codes: "cuda:803", "CUDNN_STATUS_NOT_INITIALIZED", "error code 126", "xid:79".
#pragma once

#include <string_view>
#include <vector>

#include "report/status_page.h"

namespace culprit::explain {

// Every page that the words may mean, most likely first: a bare number can belong to several interfaces.
// Empty if the words name no code.
std::vector<report::StatusPage> StatusPages(std::string_view words);

}  // namespace culprit::explain
