// FileView over what a snapshot recorded. Paths are resolved component by component through the recorded
// links, as the kernel did on that machine. What the record does not tell is kNotRecorded: a name that is not
// in a listed directory does not exist, a name anywhere else is just not known.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "snapshot/file_record.h"
#include "snapshot/file_view.h"

namespace culprit::snapshot {

class RecordedFileView final : public FileView {
 public:
  // The record must outlive the view.
  explicit RecordedFileView(const FileRecord& record) : record_(record) {}

  const FileFacts& Open(const std::string& path) override;
  PathError Directory(const std::string& path) override;
  std::string RealPath(const std::string& path) override;
  std::optional<std::vector<DirectoryItem>> List(const std::string& path) override;
  Fact<LibraryVersion> Version(const std::string& path) override;
  Fact<binfmt::GpuCode> GpuCode(const std::string& path) override;
  const binfmt::PeExports* Exports(const std::string& path) override;
  std::vector<std::string> NamesInside(const std::string& path) override;
  std::vector<UndefinedSymbol> Undefined(const std::string& path,
                                         std::span<const std::string> process) override;

 private:
  // Where a path leads. `node` is what stands there and may itself have an error (it cannot be opened);
  // without a node `error` says why the walk ended.
  struct Place {
    PathError error = PathError::kNone;
    const RecordedNode* node = nullptr;
    std::string path;
  };
  enum class LastLink { kFollow, kKeep };

  Place Walk(const std::string& path, LastLink last) const;
  // The walk with all links followed, done once for each path.
  const Place& Follow(const std::string& path);
  const RecordedNode* Find(const std::string& path) const;
  // The same; a path of Windows is found whatever the case of its letters, and gets those of the record.
  const RecordedNode* FindAnyCase(std::string& path) const;
  // A directory on the way; one that is not recorded is a directory of which nothing else is known.
  const RecordedNode& DirectoryAt(const std::string& path) const;
  bool IsDangling(const std::string& path) const;

  const FileRecord& record_;
  mutable std::map<std::string, std::string> spellings_;  // of paths of Windows, by their folded form
  std::unordered_map<std::string, Place> followed_;
  std::map<std::string, FileFacts> opened_;
};

}  // namespace culprit::snapshot
