// FileRecord from a JSON value inside a larger one; FileRecordFromJson() is the door for a value by itself.
#pragma once

#include "snapshot/file_record.h"
#include "snapshot/json/json_reader.h"

namespace culprit::snapshot {

void ReadFileRecordJson(const JsonReader& json, FileRecord& record);

}  // namespace culprit::snapshot
