// A machine as a snapshot of it: read from a file of `culprit snapshot` or `culprit run --save`, or recorded
// now from an image or a root file system.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/options.h"
#include "image/image.h"
#include "snapshot/record/run.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

struct RecordedMachine {
  snapshot::Snapshot snapshot;
  std::optional<record::Run> run;
  std::shared_ptr<const image::Image> image = {};  // that it was recorded from
};

base::Result<RecordedMachine> ReadRecordedMachine(const std::string& file);
// Whatever `name` is. `platform`: of an image with several, "" if it has one.
base::Result<RecordedMachine> RecordNamed(const std::string& name, const Options& options,
                                          const std::string& platform);

}  // namespace culprit::cli
