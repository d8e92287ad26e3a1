// Every table, in the order of the subjects of src/knowledge/CMakeLists.txt, which writes the list.
#pragma once

#include <vector>

#include "knowledge/book/table.h"

namespace culprit::knowledge {

using Tables = std::vector<Table*>;
Tables AllTables();

}  // namespace culprit::knowledge
