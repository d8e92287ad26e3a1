// A model of musl's dynamic loader (ldso/dynlink.c). It is much simpler than glibc's: LD_LIBRARY_PATH comes
// before every run path; RPATH and RUNPATH are the same thing, and both are inherited along the chain of
// requesters; there is no cache; and the first file that opens is taken, whether it is usable or not. A
// library is identified by the file name under which a search found it; its soname is never used.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "loader/load.h"
#include "loader/process.h"

namespace culprit::loader {

class MuslProcess final : public Process {
 public:
  MuslProcess(const snapshot::Snapshot& snapshot, snapshot::FileView& view, const Question& question,
              const snapshot::LoaderFacts& facts);

  void Start();
  bool Dlopen(const std::string& name, size_t caller, uint32_t flags) override;
  LoadGraph& graph() override { return graph_; }

 private:
  struct Dso {
    std::string path;
    std::string short_name;  // "" if it was only opened by path so far
    std::shared_ptr<const binfmt::ElfFile> elf;
    std::optional<snapshot::FileId> id;
    Dso* needed_by = nullptr;
    size_t object = kNone;
    bool dependencies_loaded = false;
  };
  struct Found {
    std::string path;
    const snapshot::FileFacts* facts;
    Via via;
  };
  enum class Search { kFound, kNotHere, kStop };

  // Finds the library for a name. False: failed, error_ says why.
  bool LoadLibrary(const std::string& name, Dso* needed_by, Request& request);
  std::optional<Found> SearchEverywhere(const std::string& name, Dso* needed_by, Request& request);
  Search SearchPath(const std::string& name, std::string_view path, Via via, const std::string& origin,
                    Request& request, std::optional<Found>& found);
  bool TryOpen(const std::string& path, Via via, const std::string& origin, Request& request,
               std::optional<Found>& found);
  std::string RunPath(const Dso& dso) const;
  bool IsItself(const Found& found);
  bool CanMap(const Found& found, Request& request);
  // Loads all dependencies of `dso`; false as soon as something fails, unless the process is starting.
  bool LoadDependencies(size_t first, bool starting, std::string& failure);
  std::string Absolute(const std::string& path) const;
  std::string DisplayName(const Dso& dso) const;

  const snapshot::Snapshot& snapshot_;
  snapshot::FileView& view_;
  const Question& question_;
  const snapshot::LoaderFacts& facts_;
  bool secure_ = false;
  std::string library_path_;
  std::string system_path_;
  std::string error_;     // strerror() of the last failure
  bool crashed_ = false;  // the process is dead
  std::deque<Dso> list_;  // [0] is the program
  LoadGraph graph_;
};

}  // namespace culprit::loader
