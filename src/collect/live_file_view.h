// The live answer to "what is at this path?". Everything asked is kept, so one question costs one look at the
// machine and the same question always gets the same answer while a report is made. One thread may ask for
// symbols while another asks for everything else.
#pragma once

#include <array>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "binfmt/elf/defined.h"
#include "binfmt/elf/exports.h"
#include "binfmt/elf/wanted.h"
#include "collect/library/library_version.h"
#include "snapshot/file_view.h"
#include "system/system.h"

namespace culprit::collect {

snapshot::FileKind KindOf(system::FileType type);

// GPU code by the path of its file.
using GpuCodes = std::map<std::string, snapshot::Fact<binfmt::GpuCode>>;

class LiveFileView final : public snapshot::FileView {
 public:
  // `gpu_scan`: how thoroughly GPU code is searched for.
  explicit LiveFileView(const system::System& system,
                        binfmt::GpuScan gpu_scan = binfmt::GpuScan::kFatbinSections)
      : system_(system), gpu_scan_(gpu_scan), versions_reader_(system) {}

  const snapshot::FileFacts& Open(const std::string& path) override;
  snapshot::PathError Directory(const std::string& path) override;
  std::string RealPath(const std::string& path) override;
  std::optional<std::vector<snapshot::DirectoryItem>> List(const std::string& path) override;
  snapshot::Fact<snapshot::LibraryVersion> Version(const std::string& path) override;

  snapshot::Fact<binfmt::GpuCode> GpuCode(const std::string& path) override;
  const binfmt::PeExports* Exports(const std::string& path) override;
  std::span<const binfmt::PeExports::Forwarder> Asks(const std::string& path) override;
  std::optional<bool> Has(const std::string& path, const std::string& function) override;
  void WillAskForAllSymbols(bool will) override { asks_for_all_symbols_ = will; }
  void WillAskForSymbols(std::span<const std::string> files) override;
  std::vector<snapshot::UndefinedSymbol> Undefined(const std::string& path,
                                                   std::span<const std::string> process) override;

  std::vector<std::string> NamesInside(const std::string& path) override;
  bool AnswersAboutSymbolsMeanwhile() const override { return true; }

  // GPU code that somebody else is reading. It counts as asked for when it is.
  void Expect(std::future<GpuCodes> codes) { coming_codes_ = std::move(codes); }

  struct Known {
    snapshot::FileFacts facts;
    bool is_link = false;
  };
  struct OpenedFile {
    std::string path;
    const binfmt::ElfFile* elf;  // nullptr: none
  };
  // Every path that was asked for by Open, in no order.
  const std::unordered_map<std::string, Known>& opened() const { return files_; }
  const std::unordered_map<std::string, snapshot::PathError>& directories() const { return directories_; }
  const auto& listed() const { return listed_; }
  const GpuCodes& gpu_codes() const { return gpu_codes_; }
  // The files whose export tables were asked for, or a part of them.
  const std::set<std::string>& asked_for_exports() const { return asked_for_exports_; }
  // By file, the functions that `Has` found.
  const std::map<std::string, std::set<std::string>>& found_functions() const { return found_functions_; }
  // By file, with the files of the process that was asked about: what `Undefined` found, if anything.
  const auto& undefined() const { return undefined_; }
  // By file, what `NamesInside` found, if anything.
  const auto& names_inside() const { return names_inside_; }
  // The same table, to be kept; nullptr: there was none to be read.
  std::shared_ptr<const binfmt::PeExports> ShareExports(const std::string& path) {
    return Exports(path) == nullptr ? nullptr : exports_[path];
  }

 private:
  struct RealPlace {
    std::string path;
    bool is_regular = false;  // false: another kind, or not known
  };
  const RealPlace& Resolve(const std::string& path, int links);
  // The bytes of an ELF file that can be read; nullptr for any other.
  std::shared_ptr<const base::ByteSource> ElfBytes(const std::string& path);
  void KeepOpen(const std::string& path, std::shared_ptr<const base::ByteSource> bytes);
  // The files of a process, which is asked about many times.
  std::span<const OpenedFile> Opened(std::span<const std::string> process);
  // What an ELF file has for others and wants of them.
  struct SymbolTables {
    // Whether `Read` has nothing to do. What a file with versions defines is rarely asked for, so it is not
    // read before it is.
    bool Knows(const binfmt::ElfFile& elf) const;
    void Read(const base::ByteSource& bytes, const binfmt::ElfFile& elf);
    std::optional<uint64_t> EndOfUndefined() const {
      return defined ? defined->EndOfUndefined() : std::nullopt;
    }

    bool knows_defined = false, knows_wanted = false;  // as far as they can be read
    std::optional<binfmt::ElfDefined> defined;
    std::optional<std::vector<binfmt::ElfWanted>> wanted;
    std::vector<std::string> sources;  // files that define all it wants
  };
  const std::optional<binfmt::ElfDefined>& Defined(const std::string& path);
  const std::optional<std::vector<binfmt::ElfWanted>>& Wanted(const std::string& path);
  void FindNearest(const std::string& path, std::span<const std::string> process,
                   std::vector<snapshot::UndefinedSymbol>& symbols);

  const system::System& system_;
  binfmt::GpuScan gpu_scan_;
  VersionReader versions_reader_;
  // For what both threads ask: the next five. Everything below belongs to one of them.
  std::recursive_mutex both_;
  std::unordered_map<std::string, Known> files_;
  // The last few files: of a small program, each is opened once.
  std::array<std::pair<std::string, std::shared_ptr<const base::ByteSource>>, 12> open_;
  size_t next_open_ = 0;
  bool asks_for_all_symbols_ = false;
  std::unordered_map<std::string, snapshot::PathError> directories_;
  std::unordered_map<std::string, RealPlace> real_places_;
  std::map<std::string, std::optional<std::vector<snapshot::DirectoryItem>>> listed_;
  std::unordered_map<std::string, snapshot::Fact<snapshot::LibraryVersion>> versions_;
  GpuCodes gpu_codes_, expected_codes_;
  std::future<GpuCodes> coming_codes_;
  std::set<std::string> asked_for_exports_;
  std::map<std::string, std::shared_ptr<const binfmt::PeExports>> exports_;
  std::map<std::string, std::vector<binfmt::PeExports::Forwarder>> asks_;
  std::unordered_map<std::string, SymbolTables> symbols_;
  std::vector<OpenedFile> process_;  // the last one
  std::map<std::string, std::set<std::string>> found_functions_;
  std::map<std::string, std::vector<std::string>> names_inside_;
  std::map<std::string, std::map<std::vector<std::string>, std::vector<snapshot::UndefinedSymbol>>>
      undefined_;
};

}  // namespace culprit::collect
