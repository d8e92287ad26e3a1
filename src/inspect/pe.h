// PE facts of one file -> the result of `inspect`.
#pragma once

#include "binfmt/pe/pe.h"
#include "report/inspect.h"

namespace culprit::inspect {

// Is it a PE file, intact or corrupt?
bool IsPe(const binfmt::PeFile& pe);
// Fills in everything from the headers and tables.
void DescribePe(const binfmt::PeFile& pe, report::FileAnswer& answer);

}  // namespace culprit::inspect
