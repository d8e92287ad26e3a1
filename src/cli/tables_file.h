// Tables that are newer than the program: `culprit knowledge export` wrote them, and pip, apt or a person put
// them where culprit looks.
#pragma once

#include <cstdint>
#include <vector>

#include "report/knowledge.h"

namespace culprit::cli {

inline constexpr uint64_t kMostTableBytes = 64 << 20;  // those of today have 3 MB

// Chooses the newest tables, and sets base::EditionInUse() and base::RefusedEditions(). To be called once,
// before anything asks a table.
void UseNewestTables();
// Where it looked, and whether each file is used.
const std::vector<report::TablesFile>& LookedForTables();
// What is compiled into this program.
base::Edition BuiltInTables();

}  // namespace culprit::cli
