#include "cli/paste.h"

#include "render/redact.h"
#include "render/windows_spelling.h"

namespace culprit::cli {

bool WriteToPaste(const Options& options, std::string markdown, const snapshot::Snapshot& snapshot,
                  bool redact) {
  const auto variable = [&](const char* name) {
    const auto found = snapshot.environment.find(name);
    return found == snapshot.environment.end() ? std::string() : found->second;
  };
  if (redact) markdown = render::Redact(markdown, variable("HOME"), variable("USER"));
  if (snapshot.windows() != nullptr) markdown = render::InWindowsSpelling(markdown, render::Writing::kText);
  return WriteBytes(options, markdown);
}

}  // namespace culprit::cli
