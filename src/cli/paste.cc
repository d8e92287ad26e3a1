#include "cli/paste.h"

#include <utility>

#include "render/redact.h"
#include "render/windows_spelling.h"

namespace culprit::cli {
namespace {

std::string Variable(const snapshot::Snapshot& snapshot, const char* name) {
  const auto found = snapshot.environment.find(name);
  return found == snapshot.environment.end() ? std::string() : found->second;
}

}  // namespace

bool WriteToPaste(const Options& options, std::string markdown, const snapshot::Snapshot& snapshot,
                  bool redact) {
  if (redact) markdown = render::Redact(markdown, Variable(snapshot, "HOME"), Variable(snapshot, "USER"));
  if (snapshot.windows() != nullptr) markdown = render::InWindowsSpelling(markdown, render::Writing::kText);
  return WriteBytes(options, markdown);
}

report::CheckReport ToPaste(report::CheckReport report, const snapshot::Snapshot& snapshot) {
  return render::Redacted(std::move(report), Variable(snapshot, "HOME"), Variable(snapshot, "USER"));
}

}  // namespace culprit::cli
