// A machine that is not this one, as a subject: read from a file of `culprit snapshot` or `culprit run
// --save`, or an image or a root file system, which are looked at as `culprit check` does.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/options.h"
#include "engine/diagnosis.h"
#include "image/image.h"
#include "snapshot/record/run.h"
#include "snapshot/snapshot.h"

namespace culprit::cli {

struct RecordedMachine {
  snapshot::Snapshot snapshot;
  std::optional<record::Run> run;
};

base::Result<RecordedMachine> ReadRecordedMachine(const std::string& file);

struct NamedMachine {
  engine::Subject subject;
  std::optional<record::Run> run = {};
  std::shared_ptr<const image::Image> image = {};
};

// Whatever `name` is, below this host. `platform`: of an image with several, "" if it has one.
base::Result<NamedMachine> FindNamedMachine(const std::string& name, const Options& options,
                                            const std::string& platform, const std::string& host);

}  // namespace culprit::cli
