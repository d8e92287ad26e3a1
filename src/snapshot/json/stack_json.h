// The stack in JSON, both ways.
#pragma once

#include "base/json_fwd.h"
#include "snapshot/stack.h"

namespace culprit::snapshot {

class JsonReader;

base::Json ToJson(const Stack& stack);
void ReadStackJson(const JsonReader& json, Stack& stack);

}  // namespace culprit::snapshot
