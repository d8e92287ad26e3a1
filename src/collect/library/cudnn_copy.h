// What the cuDNN collectors of Linux and Windows share.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/libraries.h"
#include "snapshot/file_view.h"
#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

// A copy has the version that most of its parts have, and the first CUDA that one of them names.
class CudnnVersionVotes {
 public:
  void Add(const snapshot::CudnnPart& part, const snapshot::Fact<snapshot::LibraryVersion>& version,
           snapshot::CudnnCopy& copy);

 private:
  std::map<std::string, int> votes_;
};

// The first header that contains a version: each of `names` in each of `directories`.
void ReadCudnnHeader(const system::System& system, std::span<const std::string> directories,
                     std::span<const std::string> names, snapshot::CudnnCopy& copy);

// Notes the parts that this version of the shim and its parts open (data/libraries.toml), but that are
// missing from the copy. `file_of` gives the file name of a part that is opened as `asked`; "" to skip it.
void NoteMissingParts(
    const std::string& shim, std::span<const knowledge::DlopenEdge> knowledge::Library::* opens,
    const std::function<std::string(const knowledge::Library& part, std::string_view asked)>& file_of,
    snapshot::CudnnCopy& copy);

// The copies in a directory; nullopt if it could not be listed. Called by several threads.
using DirectoryReader = std::function<std::optional<std::vector<snapshot::CudnnCopy>>(const std::string&)>;

// The copies in all of these directories. Unreadable if there are none and a directory could not be listed.
snapshot::Fact<std::vector<snapshot::CudnnCopy>> CopiesIn(const system::System& system,
                                                          std::span<const std::string> directories,
                                                          const DirectoryReader& read);

}  // namespace culprit::collect
