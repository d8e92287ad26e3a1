// Facts of one file -> what `inspect` says.
#pragma once

#include <string>

#include "report/inspect.h"
#include "snapshot/file_view.h"

namespace culprit::inspect {

// `shown` is how the user named the file, `path` its absolute path.
report::FileAnswer InspectFile(snapshot::FileView& view, const std::string& path, const std::string& shown);

}  // namespace culprit::inspect
