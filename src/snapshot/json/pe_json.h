// binfmt::PeFile and binfmt::PeExports in JSON, without loss.
#pragma once

#include "binfmt/pe/pe.h"
#include "snapshot/json/json_reader.h"

namespace culprit::snapshot {

base::Json PeToJson(const binfmt::PeFile& pe);
void ReadPeJson(const JsonReader& json, binfmt::PeFile& pe);

base::Json PeExportsToJson(const binfmt::PeExports& exports);
void ReadPeExportsJson(const JsonReader& json, binfmt::PeExports& exports);

}  // namespace culprit::snapshot
