// Facts of one file -> the result of `inspect`.
#pragma once

#include <string>

#include "report/inspect.h"
#include "snapshot/file_view.h"

namespace culprit::inspect {

// `shown` is the file name as the user gave it, `path` its absolute path.
report::FileAnswer InspectFile(snapshot::FileView& view, const std::string& path, const std::string& shown);

}  // namespace culprit::inspect
