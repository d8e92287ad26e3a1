#include "snapshot/file_view.h"

namespace culprit::snapshot {

std::span<const binfmt::PeExports::Forwarder> FileView::Asks(const std::string& path) {
  const binfmt::PeExports* exports = Exports(path);
  if (exports == nullptr) return {};
  return exports->forwarders;
}

std::optional<bool> FileView::Has(const std::string& path, const std::string& function) {
  const binfmt::PeExports* exports = Exports(path);
  if (exports == nullptr || exports->cut) return std::nullopt;
  return exports->Has(function);
}

}  // namespace culprit::snapshot
