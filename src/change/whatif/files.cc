// Single files, links, devices, rights, values of the registry. A change of something that does not exist is
// a mistake in the fix and reported as one.
#include "base/path_error.h"
#include "base/text.h"
#include "change/whatif/make.h"

namespace culprit::whatif {
namespace {

std::unexpected<base::Error> NotThere(const std::string& path, base::PathError why) {
  return base::Fail(base::ErrorCode::kNotFound,
                    base::Printable(path) + ": " + std::string(base::Strerror(why)));
}

}  // namespace

Changes Make(const system::System& machine, const report::PutLink& change) {
  static_cast<void>(machine);
  system::SystemChanges made;
  made.put[change.path] = {.type = system::FileType::kLink, .bytes = {}, .target = change.target};
  return made;
}

Changes Make(const system::System& machine, const report::PutText& change) {
  const auto old = machine.Stat(change.path);
  const auto real = machine.RealPath(change.path);
  system::SystemChanges made;
  made.put[real ? *real : change.path] = {
      .bytes = change.text,
      .target = {},
      .mode = old && old->type == system::FileType::kRegular ? old->mode : 0644};
  return made;
}

Changes Make(const system::System& machine, const report::RemoveFile& change) {
  if (const auto there = machine.LinkStat(change.path); !there) return NotThere(change.path, there.error());
  system::SystemChanges made;
  made.removed.insert(change.path);
  return made;
}

Changes Make(const system::System& machine, const report::SetMode& change) {
  if (const auto there = machine.Stat(change.path); !there) return NotThere(change.path, there.error());
  system::SystemChanges made;
  made.modes[change.path] = change.mode;
  return made;
}

Changes Make(const system::System& machine, const report::PutDevice& change) {
  static_cast<void>(machine);
  system::SystemChanges made;
  made.put[change.path] = {.type = system::FileType::kOther, .bytes = {}, .target = {}, .mode = change.mode};
  return made;
}

Changes Make(const system::System& machine, const report::SetRegistry& change) {
  static_cast<void>(machine);
  system::SystemChanges made;
  made.registry[change.key].values[change.name] = change.value;
  return made;
}

}  // namespace culprit::whatif
