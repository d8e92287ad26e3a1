#include "snapshot/file_view.h"

namespace culprit::snapshot {

std::span<const binfmt::PeExports::Forwarder> FileView::Asks(const std::string& path) {
  const binfmt::PeExports* exports = Exports(path);
  if (exports == nullptr) return {};
  return exports->forwarders;
}

std::optional<bool> FileView::Has(const std::string& path, const std::string& function) {
  const binfmt::PeExports* exports = Exports(path);
  if (exports == nullptr) return std::nullopt;
  if (exports->Has(function)) return true;
  return exports->cut ? std::nullopt : std::optional(false);
}

std::vector<UndefinedSymbol> FileView::Undefined(const std::string& /*path*/,
                                                 std::span<const std::string> /*process*/) {
  return {};
}

std::vector<std::string> FileView::NamesInside(const std::string& /*path*/) { return {}; }

}  // namespace culprit::snapshot
