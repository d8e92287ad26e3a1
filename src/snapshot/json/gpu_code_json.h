// binfmt::GpuCode in JSON, without loss.
#pragma once

#include "binfmt/gpu/fatbin.h"
#include "snapshot/json/json_reader.h"

namespace culprit::snapshot {

base::Json GpuCodeToJson(const binfmt::GpuCode& code);
void ReadGpuCodeJson(const JsonReader& json, binfmt::GpuCode& code);

}  // namespace culprit::snapshot
