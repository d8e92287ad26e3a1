// binfmt::LdCache in JSON, without loss.
#pragma once

#include "binfmt/cache/ld_so_cache.h"
#include "snapshot/json/json_reader.h"

namespace culprit::snapshot {

base::Json LdCacheToJson(const binfmt::LdCache& cache);
void ReadLdCacheJson(const JsonReader& json, binfmt::LdCache& cache);

}  // namespace culprit::snapshot
