// A run and the machine it was on as one file: `culprit run --save FILE`, read by `culprit explain FILE`.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "snapshot/record/run.h"
#include "snapshot/snapshot.h"

namespace culprit::record {

inline constexpr std::string_view kSchema = "culprit.record/1";

struct RecordFile {
  Run run;
  snapshot::Snapshot machine;  // as it was right after the run, in the environment of the command
};

std::string ToJsonText(const RecordFile& file);
// Foreign text: never throws, bounded (snapshot/parse_json.h); another schema is kUnsupported.
base::Result<RecordFile> ParseRecord(std::string_view text);
// By its first bytes: is this worth ParseRecord?
bool LooksLikeRecord(std::string_view beginning);

}  // namespace culprit::record
