#include "snapshot/json/stack_json.h"

#include "snapshot/json/fields.h"

namespace culprit::snapshot {

base::Json ToJson(const Stack& stack) { return FieldsToJson(stack); }
void ReadStackJson(const JsonReader& json, Stack& stack) { ReadFields(json, stack); }

}  // namespace culprit::snapshot
