#include "collect/live_file_view.h"

#include <memory>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "binfmt/library_names.h"
#include "knowledge/libraries.h"

namespace culprit::collect {

using snapshot::FileFacts;
using snapshot::FileKind;
using snapshot::PathError;
using system::FileType;

FileKind KindOf(FileType type) {
  switch (type) {
    case FileType::kRegular:
      return FileKind::kRegular;
    case FileType::kDirectory:
      return FileKind::kDirectory;
    case FileType::kLink:
      return FileKind::kLink;
    case FileType::kOther:
      break;
  }
  return FileKind::kOther;
}

const FileFacts& LiveFileView::Open(const std::string& path) {
  const std::lock_guard lock(both_);
  const auto [place, fresh] = files_.try_emplace(path);
  FileFacts& facts = place->second.facts;
  if (!fresh) return facts;
  // Nothing can be in a directory that is not there, and that is asked once, not for every name.
  const std::string_view directory = base::DirName(path);
  if (directory.size() > 1) facts.error = Directory(std::string(directory));
  if (facts.error != PathError::kNone) return facts;
  const auto link = system_.LinkStat(path);
  if (!link) {
    facts.error = link.error();
    return facts;
  }
  place->second.is_link = link->type == FileType::kLink;
  const bool is_regular =
      place->second.is_link ? Resolve(path, 0).is_regular : link->type == FileType::kRegular;
  auto file = is_regular ? system_.OpenRegular(path) : system_.Open(path);
  if (!file) {
    facts.error = file.error();
    facts.dangling = facts.error == PathError::kNoEntry && place->second.is_link;
    return facts;
  }
  facts.kind = KindOf(file->status.type);
  facts.id = {file->status.device, file->status.inode};
  facts.size = file->status.size;
  constexpr uint32_t kSetUserId = 04000;
  constexpr uint32_t kSetGroupId = 02000;
  facts.set_user_id =
      facts.kind == FileKind::kRegular && (file->status.mode & (kSetUserId | kSetGroupId)) != 0;
  if (!file->bytes) return facts;
  facts.elf = std::make_shared<binfmt::ElfFile>(binfmt::ReadElf(*file->bytes));
  constexpr uint32_t kAnyExecute = 0111;
  constexpr uint16_t kExecutable = 2;  // ET_EXEC
  facts.not_executable =
      (file->status.mode & kAnyExecute) == 0 && (facts.elf->interpreter || facts.elf->type == kExecutable);
  if (facts.elf->problem == binfmt::ElfProblem::kNotElf ||
      facts.elf->problem == binfmt::ElfProblem::kTooShort) {
    facts.pe = std::make_shared<binfmt::PeFile>(binfmt::ReadPe(*file->bytes));
  } else if (asks_for_all_symbols_ && next_open_ >= open_.size() &&
             facts.elf->problem == binfmt::ElfProblem::kNone) {
    symbols_[path].Read(*file->bytes, *facts.elf);  // it would soon have to be opened again
  } else {
    KeepOpen(path, std::move(file->bytes));
  }
  return facts;
}

void LiveFileView::KeepOpen(const std::string& path, std::shared_ptr<const base::ByteSource> bytes) {
  open_[next_open_++ % open_.size()] = {path, std::move(bytes)};
}

PathError LiveFileView::Directory(const std::string& path) {
  const std::lock_guard lock(both_);
  if (const auto known = directories_.find(path); known != directories_.end()) return known->second;
  PathError error = PathError::kNone;
  const std::string_view parent = base::DirName(path);
  if (parent.size() > 1 && parent.size() < path.size()) error = Directory(std::string(parent));
  if (error == PathError::kNone) {
    const auto status = system_.Stat(path);
    error = !status                                ? status.error()
            : status->type == FileType::kDirectory ? PathError::kNone
                                                   : PathError::kNotDirectory;
  }
  directories_.emplace(path, error);
  return error;
}

std::string LiveFileView::RealPath(const std::string& path) {
  const std::lock_guard lock(both_);
  return Resolve(path, 0).path;
}

// Directory by directory, so that what many files share is resolved once.
const LiveFileView::RealPlace& LiveFileView::Resolve(const std::string& path, int links) {
  constexpr int kMostLinks = 40;
  if (const auto known = real_places_.find(path); known != real_places_.end()) return known->second;
  const std::string_view name = base::BaseName(path);
  RealPlace real;
  if (path.starts_with('/') && !name.empty() && name != "." && name != ".." && links < kMostLinks) {
    const std::string_view directory = base::DirName(path);
    const std::string parent = directory == "/" ? "/" : Resolve(std::string(directory), links).path;
    const std::string joined = base::JoinPath(parent, name);
    const auto opened = files_.find(path);
    const bool usable = opened != files_.end() && opened->second.facts.error == PathError::kNone;
    const auto status = usable ? system::Outcome<system::FileStatus>() : system_.LinkStat(joined);
    const bool is_link = usable ? opened->second.is_link : status && status->type == FileType::kLink;
    if (is_link) {
      const auto target = system_.ReadLink(joined);
      if (target && !target->empty() && target->find("..") == std::string::npos) {
        real = Resolve(base::CleanPath(base::JoinPath(parent, *target)), links + 1);
      }
    } else if (usable) {
      real = {joined, opened->second.facts.kind == FileKind::kRegular};
    } else if (status) {
      real = {joined, status->type == FileType::kRegular};
    }
  }
  if (real.path.empty()) real.path = system_.RealPath(path).value_or(path);
  return real_places_.emplace(path, std::move(real)).first->second;
}

std::optional<std::vector<snapshot::DirectoryItem>> LiveFileView::List(const std::string& path) {
  const auto [place, fresh] = listed_.try_emplace(path);
  if (!fresh) return place->second;
  auto entries = system_.List(path);
  if (!entries) return std::nullopt;
  auto& items = place->second.emplace();
  items.reserve(entries->size());
  for (auto& entry : *entries) items.push_back({std::move(entry.name), KindOf(entry.type)});
  return items;
}

snapshot::Fact<snapshot::LibraryVersion> LiveFileView::Version(const std::string& path) {
  const auto [place, fresh] = versions_.try_emplace(path);
  if (fresh) {
    const FileFacts& facts = Open(path);
    const bool dll = system_.platform() == base::Platform::kWindows;
    place->second =
        dll ? versions_reader_.ReadDll(path, RealPath(path), facts.pe ? *facts.pe : binfmt::PeFile{})
            : versions_reader_.Read(path, RealPath(path), facts.elf ? *facts.elf : binfmt::ElfFile{});
  }
  return place->second;
}

snapshot::Fact<binfmt::GpuCode> LiveFileView::GpuCode(const std::string& path) {
  using Code = snapshot::Fact<binfmt::GpuCode>;
  if (const auto known = gpu_codes_.find(path); known != gpu_codes_.end()) return known->second;
  const FileFacts& facts = Open(path);
  if (coming_codes_.valid()) expected_codes_ = coming_codes_.get();
  if (auto expected = expected_codes_.extract(path); !expected.empty())
    return gpu_codes_.insert(std::move(expected)).position->second;
  Code fact;
  if (facts.error != PathError::kNone) {
    fact = Code::Unreadable(std::string(base::Strerror(facts.error)), path);
  } else if (facts.elf == nullptr) {
    fact = Code::NotApplicable("not a regular file");
  } else if (const auto file = system_.Open(path); !file || !file->bytes) {
    fact = Code::Unreadable(file ? "not a regular file" : std::string(base::Strerror(file.error())), path);
  } else {
    binfmt::GpuCode code;
    if (facts.pe) code = binfmt::ReadGpuCode(*file->bytes, *facts.pe, gpu_scan_);
    if (code.form == binfmt::GpuCode::Form::kNotGpu && code.complete) {
      code = binfmt::ReadGpuCode(*file->bytes, *facts.elf, gpu_scan_);
    }
    if (code.form != binfmt::GpuCode::Form::kNotGpu) {
      fact = Code::Of(std::move(code), path);
    } else {
      fact = code.complete ? Code::NotApplicable("not a GPU binary") : Code::Unreadable(code.problem, path);
    }
  }
  return gpu_codes_.emplace(path, std::move(fact)).first->second;
}

std::vector<std::string> LiveFileView::NamesInside(const std::string& path) {
  const auto [place, fresh] = names_inside_.try_emplace(path);
  if (!fresh) return place->second;
  const FileFacts& facts = Open(path);
  if (facts.elf == nullptr) return {};
  const auto file = system_.Open(path);
  if (!file || !file->bytes) return {};
  std::vector<std::string>& names = place->second;
  names = facts.pe != nullptr ? binfmt::ReadLibraryNames(*file->bytes, *facts.pe)
                              : binfmt::ReadLibraryNames(*file->bytes, *facts.elf);
  std::erase_if(names, [](const std::string& name) { return knowledge::FindLibrary(name) == nullptr; });
  return names;
}

const binfmt::PeExports* LiveFileView::Exports(const std::string& path) {
  const auto [place, fresh] = exports_.try_emplace(path);
  if (!fresh) return place->second.get();
  asked_for_exports_.insert(path);
  const FileFacts& facts = Open(path);
  if (facts.elf && facts.elf->problem == binfmt::ElfProblem::kNone) {
    const auto bytes = ElfBytes(path);
    if (bytes == nullptr) return nullptr;
    place->second = std::make_shared<binfmt::PeExports>(binfmt::ReadElfExports(*bytes, *facts.elf));
    return place->second.get();
  }
  // Without sections nothing can be found by address.
  const bool readable = facts.pe && (facts.pe->problem == binfmt::PeProblem::kNone ||
                                     facts.pe->problem == binfmt::PeProblem::kSectionsCut ||
                                     facts.pe->problem == binfmt::PeProblem::kImportsCut);
  if (!readable) return nullptr;
  const auto file = system_.Open(path);
  if (!file || !file->bytes) return nullptr;
  place->second = std::make_shared<binfmt::PeExports>(binfmt::ReadPeExports(*file->bytes, *facts.pe));
  return place->second.get();
}

}  // namespace culprit::collect
