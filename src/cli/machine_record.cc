#include "cli/machine_record.h"

#include "snapshot/record/redact.h"

namespace culprit::cli {

void KeepRelevantEnvironment(snapshot::Snapshot& snapshot) {
  snapshot.environment = collect::RelevantEnvironment(snapshot.environment);
  for (auto& [name, value] : snapshot.environment) {
    const std::string before = name + "=";
    value = record::HideSecrets(before + value).substr(before.size());
  }
}

void KeepFiles(collect::Recorder& recorder, snapshot::Snapshot& snapshot) {
  for (const auto& loader : snapshot.loaders) recorder.AddPath(loader.path);
  recorder.AddAsked();
  snapshot.files = recorder.Take();
}

}  // namespace culprit::cli
