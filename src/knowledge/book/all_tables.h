// Every table. The generated files define the functions, one for each subject of
// src/knowledge/CMakeLists.txt.
#pragma once

#include <vector>

#include "knowledge/book/table.h"

namespace culprit::knowledge {

using Tables = std::vector<Table*>;
void Add_architectures(Tables& all);
void Add_cudnn(Tables& all);
void Add_distributions(Tables& all);
void Add_drivers(Tables& all);
void Add_explain(Tables& all);
void Add_frameworks(Tables& all);
void Add_gpu_ids(Tables& all);
void Add_harvested(Tables& all);
void Add_host_compilers(Tables& all);
void Add_imports(Tables& all);
void Add_libraries(Tables& all);
void Add_packages(Tables& all);
void Add_sonames(Tables& all);
void Add_status_codes(Tables& all);
void Add_tools(Tables& all);
void Add_variables(Tables& all);
void Add_windows(Tables& all);

Tables AllTables();

}  // namespace culprit::knowledge
