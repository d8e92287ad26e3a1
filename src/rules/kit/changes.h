// Changes that the fixes of several rules have in common (report/change.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/change.h"
#include "rules/rule.h"

namespace culprit::rules {

using Changes = std::vector<report::Change>;

// ldconfig is told of a directory: `echo DIRECTORY > /etc/ld.so.conf.d/NAME.conf; ldconfig`.
inline Changes SearchedByLdconfig(const std::string& directory, const std::string& name) {
  return {report::PutText{"/etc/ld.so.conf.d/" + name + ".conf", directory + "\n"}, report::RefreshCache{}};
}

// ... and no longer.
inline Changes NotSearchedByLdconfig(const std::string& directory) {
  return {report::DropFromLoaderConf{directory}, report::RefreshCache{}};
}

// A file goes, and the link by which it was found.
inline Changes WithoutFile(const Scene& scene, const std::string& path, const std::string& real_path) {
  const std::string link =
      scene.view.RealPath(std::string(base::DirName(path))) + "/" + std::string(base::BaseName(path));
  Changes changes;
  if (link != real_path) changes.push_back(report::RemoveFile{link});
  changes.push_back(report::RemoveFile{real_path});
  return changes;
}

// What a step of a probe has shown stays a fact until the next probe, whatever the files say by then.
inline Changes ANewProbeTells(std::string what) {
  return {report::NotInFiles{std::move(what), "what a probe saw stays until the next one: culprit probe"}};
}

}  // namespace culprit::rules
