// Reads a FileRecord that is part of a larger JSON value. For one by itself there is FileRecordFromJson().
#pragma once

#include "snapshot/file_record.h"
#include "snapshot/json/json_reader.h"

namespace culprit::snapshot {

void ReadFileRecordJson(const JsonReader& json, FileRecord& record);

}  // namespace culprit::snapshot
