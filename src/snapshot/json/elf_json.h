// binfmt::ElfFile in JSON, without loss.
#pragma once

#include "binfmt/elf/elf.h"
#include "snapshot/json/json_reader.h"

namespace culprit::snapshot {

base::Json ElfToJson(const binfmt::ElfFile& elf);
void ReadElfJson(const JsonReader& json, binfmt::ElfFile& elf);

}  // namespace culprit::snapshot
