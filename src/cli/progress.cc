#include "cli/progress.h"

#include "base/text.h"
#include "cli/console.h"

namespace culprit::cli {

Progress::Progress(bool wanted) : wanted_(wanted && ShowsColors(stderr)) {}

Progress::~Progress() { Clear(); }

void Progress::Clear() {
  const std::lock_guard lock(mutex_);
  if (shown_) Say("\r\x1b[K");
  shown_ = false;
}

void Progress::Show(const std::string& what) {
  if (!wanted_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
  const std::lock_guard lock(mutex_);
  shown_ = true;
  Say("\r\x1b[K{}", base::Printable(what));
}

}  // namespace culprit::cli
