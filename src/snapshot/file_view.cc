#include "snapshot/file_view.h"

namespace culprit::snapshot {

std::string_view Name(FileKind kind) {
  switch (kind) {
    case FileKind::kRegular:
      return "regular";
    case FileKind::kDirectory:
      return "directory";
    case FileKind::kLink:
      return "link";
    case FileKind::kOther:
      return "other";
  }
  return "other";
}

FileKind FileKindFromName(std::string_view name) {
  for (const FileKind kind : {FileKind::kRegular, FileKind::kDirectory, FileKind::kLink}) {
    if (name == Name(kind)) return kind;
  }
  return FileKind::kOther;
}

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
