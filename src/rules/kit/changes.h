// Changes that the fixes of several rules share (report/change.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/change.h"
#include "rules/rule.h"

namespace culprit::rules {

using Changes = std::vector<report::Change>;

// Adds a directory to ldconfig's search: `echo DIRECTORY > /etc/ld.so.conf.d/NAME.conf; ldconfig`.
inline Changes SearchedByLdconfig(const std::string& directory, const std::string& name) {
  return {report::PutText{"/etc/ld.so.conf.d/" + name + ".conf", directory + "\n"}, report::RefreshCache{}};
}

// Removes a directory from ldconfig's search.
inline Changes NotSearchedByLdconfig(const std::string& directory) {
  return {report::DropFromLoaderConf{directory}, report::RefreshCache{}};
}

// Removes a file, and the symlink through which it was found.
inline Changes WithoutFile(const Scene& scene, const std::string& path, const std::string& real_path) {
  const std::string link =
      scene.view.RealPath(std::string(base::DirName(path))) + "/" + std::string(base::BaseName(path));
  Changes changes;
  if (link != real_path) changes.push_back(report::RemoveFile{link});
  changes.push_back(report::RemoveFile{real_path});
  return changes;
}

// A probe result stays valid until the next probe, even if the files change.
inline Changes ANewProbeTells(std::string what) {
  return {report::NotInFiles{std::move(what), "only a new probe can show it: culprit probe"}};
}

}  // namespace culprit::rules
