// The only JSON type; keys keep the order in which they are written.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json_fwd.h"
