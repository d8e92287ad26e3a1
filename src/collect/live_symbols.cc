// Symbols of ELF files, for LiveFileView: what a file asks of others, and who has it.
#include <algorithm>
#include <array>
#include <utility>

#include "base/parallel/in_parallel.h"
#include "collect/live_file_view.h"

namespace culprit::collect {
namespace {

using snapshot::UndefinedSymbol;

constexpr size_t kToldSymbols = 512;
constexpr size_t kComparedSymbols = 8;  // for these it is found out where similar names are

bool Needs(const binfmt::ElfFile& elf, const binfmt::ElfFile& other) {
  return other.soname && std::ranges::any_of(elf.requests, [&](const binfmt::ElfRequest& request) {
           return request.name == *other.soname;
         });
}

using OpenedFile = LiveFileView::OpenedFile;

// In the order in which most symbols are found soonest: the program, what the file itself needs, the rest.
// Whoever asks for a symbol without a version rarely finds it where symbols have versions, so these are last.
std::vector<const std::string*> Ordered(const binfmt::ElfFile& elf, std::span<const OpenedFile> process) {
  std::array<std::vector<const std::string*>, 3> files;
  for (const OpenedFile& other : process) {
    const bool versions = other.elf != nullptr && other.elf->has_version_defs;
    const bool early = &other == process.data() || (other.elf != nullptr && Needs(elf, *other.elf));
    files[versions ? 2 : early ? 0 : 1].push_back(&other.path);
  }
  for (size_t i = 1; i < files.size(); ++i) files[0].insert(files[0].end(), files[i].begin(), files[i].end());
  return files[0];
}

// How many letters two names have in common from the start.
size_t Agreement(const std::string& a, const std::string& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// What of the symbols that a file wants no other one has, and the files that have the rest.
struct Search {
  std::vector<binfmt::ElfWanted> left;
  std::vector<std::string> found_in{};
  bool all_known = true;  // of each file that was asked it is known what it defines
};

template <typename DefinedIn>
Search FindWanted(const std::string& path, const std::vector<binfmt::ElfWanted>& wanted,
                  const std::vector<const std::string*>& files, const DefinedIn& defined_in) {
  Search search{.left = wanted};
  for (const std::string* file : files) {
    if (search.left.empty()) break;
    if (*file == path) continue;  // what it does not define itself
    const binfmt::ElfDefined* defined = defined_in(*file);
    search.all_known &= defined != nullptr;
    if (defined == nullptr) continue;
    const auto has = [&](const binfmt::ElfWanted& one) { return defined->Has(one.hash); };
    if (std::erase_if(search.left, has) > 0) search.found_in.push_back(*file);
  }
  return search;
}

}  // namespace

std::shared_ptr<const base::ByteSource> LiveFileView::ElfBytes(const std::string& path) {
  const snapshot::FileFacts& facts = Open(path);
  if (!facts.elf || facts.elf->problem != binfmt::ElfProblem::kNone) return nullptr;
  const std::lock_guard lock(both_);
  for (const auto& [name, bytes] : open_) {
    if (name == path) return bytes;
  }
  auto file = system_.OpenRegular(path);
  if (!file) return nullptr;
  std::shared_ptr<const base::ByteSource> bytes = std::move(file->bytes);
  if (bytes != nullptr) KeepOpen(path, bytes);
  return bytes;
}

std::span<const binfmt::PeExports::Forwarder> LiveFileView::Asks(const std::string& path) {
  const snapshot::FileFacts& facts = Open(path);
  if (!facts.elf || facts.elf->problem != binfmt::ElfProblem::kNone) return FileView::Asks(path);
  const auto [place, fresh] = asks_.try_emplace(path);
  if (fresh) {
    asked_for_exports_.insert(path);
    if (const auto bytes = ElfBytes(path)) place->second = binfmt::ReadElfAsks(*bytes, *facts.elf);
  }
  return place->second;
}

bool LiveFileView::SymbolTables::Knows(const binfmt::ElfFile& elf) const {
  return knows_wanted && (knows_defined || elf.has_version_defs);
}

void LiveFileView::SymbolTables::Read(const base::ByteSource& bytes, const binfmt::ElfFile& elf) {
  if (!elf.has_version_defs && !std::exchange(knows_defined, true))
    defined = binfmt::ElfDefined::Read(bytes, elf);
  if (!std::exchange(knows_wanted, true)) wanted = binfmt::ReadElfWanted(bytes, elf, EndOfUndefined());
}

const std::optional<binfmt::ElfDefined>& LiveFileView::Defined(const std::string& path) {
  SymbolTables& tables = symbols_[path];
  if (!std::exchange(tables.knows_defined, true)) {
    if (const auto bytes = ElfBytes(path)) tables.defined = binfmt::ElfDefined::Read(*bytes, *Open(path).elf);
  }
  return tables.defined;
}

const std::optional<std::vector<binfmt::ElfWanted>>& LiveFileView::Wanted(const std::string& path) {
  SymbolTables& tables = symbols_[path];
  if (!std::exchange(tables.knows_wanted, true)) {
    if (const auto bytes = ElfBytes(path))
      tables.wanted = binfmt::ReadElfWanted(*bytes, *Open(path).elf, tables.EndOfUndefined());
  }
  return tables.wanted;
}

std::span<const LiveFileView::OpenedFile> LiveFileView::Opened(std::span<const std::string> process) {
  if (!std::ranges::equal(process, process_, {}, {}, &OpenedFile::path)) {
    process_.clear();
    for (const std::string& path : process) process_.push_back({path, Open(path).elf.get()});
  }
  return process_;
}

void LiveFileView::WillAskForSymbols(std::span<const std::string> files) {
  constexpr size_t kFew = 24;       // these are read when they are asked for, which may be never
  constexpr size_t kFilesEach = 6;  // for one thread, at least
  struct Unread {
    const OpenedFile* file;
    SymbolTables* tables;
  };
  const std::span<const OpenedFile> process = Opened(files);
  std::vector<Unread> unread;
  for (const OpenedFile& file : process) {
    if (file.elf == nullptr || file.elf->problem != binfmt::ElfProblem::kNone) continue;
    SymbolTables& tables = symbols_[file.path];
    if (!tables.Knows(*file.elf)) unread.push_back({&file, &tables});
  }
  if (unread.size() < kFew) return;
  base::InParallel(unread.size(), kFilesEach, [&](size_t i) {
    const auto file = system_.OpenRegular(unread[i].file->path);
    if (file && file->bytes) unread[i].tables->Read(*file->bytes, *unread[i].file->elf);
  });
  // Most of them find all that they want; that is found out here, too, as long as nobody changes the tables.
  const auto known = [&](const std::string& file) -> const binfmt::ElfDefined* {
    const auto tables = symbols_.find(file);
    return tables == symbols_.end() || !tables->second.defined ? nullptr : &*tables->second.defined;
  };
  base::InParallel(unread.size(), kFilesEach, [&](size_t i) {
    SymbolTables& tables = *unread[i].tables;
    if (!tables.wanted) return;
    Search search =
        FindWanted(unread[i].file->path, *tables.wanted, Ordered(*unread[i].file->elf, process), known);
    if (search.left.empty()) tables.sources = std::move(search.found_in);
  });
}

std::optional<bool> LiveFileView::Has(const std::string& path, const std::string& function) {
  asked_for_exports_.insert(path);
  if (const auto& defined = Defined(path); defined && defined->Has(function)) {
    std::set<std::string>& found = found_functions_[path];
    found.emplace_hint(found.end(), function);  // they are asked for in their order
    return true;
  }
  return FileView::Has(path, function);  // that it is not there, the whole table has to say
}

std::vector<UndefinedSymbol> LiveFileView::Undefined(const std::string& path,
                                                     std::span<const std::string> process) {
  const auto& wanted = Wanted(path);
  if (!wanted || wanted->empty()) return {};
  // Another process of this machine with the same files gives the same answer.
  std::vector<std::string>& sources = symbols_[path].sources;
  const auto there = [&](const std::string& file) {
    return std::ranges::find(process, file) != process.end();
  };
  if (!sources.empty() && std::ranges::all_of(sources, there)) return {};
  const auto elf = Open(path).elf;
  const auto files = Ordered(*elf, Opened(process));
  Search search = FindWanted(path, *wanted, files, [&](const std::string& file) {
    const auto& defined = Defined(file);
    return defined ? &*defined : nullptr;
  });
  if (search.left.empty()) sources = std::move(search.found_in);
  const auto bytes = search.all_known && !search.left.empty() ? ElfBytes(path) : nullptr;
  if (bytes == nullptr) return {};
  std::vector<UndefinedSymbol> symbols;
  for (binfmt::ElfUnbound& one : binfmt::ReadElfUnbound(*bytes, *elf, search.left)) {
    if (symbols.size() == kToldSymbols) break;
    symbols.push_back({.name = std::move(one.name), .at_load = one.at_load, .nearest = {}, .like = {}});
  }
  if (symbols.empty()) return {};
  FindNearest(path, process, symbols);
  std::vector<std::string> real;
  for (const std::string& file : process) real.push_back(RealPath(file));
  std::ranges::sort(real);
  return undefined_[path][std::move(real)] = std::move(symbols);
}

// A library that the file names in DT_NEEDED is preferred: others may have copies of inline functions.
void LiveFileView::FindNearest(const std::string& path, std::span<const std::string> process,
                               std::vector<UndefinedSymbol>& symbols) {
  std::vector<std::string> names;
  for (const UndefinedSymbol& symbol : symbols) {
    if (names.size() < kComparedSymbols) names.push_back(symbol.name);
  }
  const auto elf = Open(path).elf;
  for (const bool needed : {true, false}) {
    for (const std::string& file : process) {
      const auto other = Open(file).elf;
      if (file == path || other == nullptr || Needs(*elf, *other) != needed) continue;
      const auto bytes = ElfBytes(file);
      if (bytes == nullptr) continue;
      const auto found = binfmt::FindNearestNames(*bytes, *other, names);
      for (size_t i = 0; i < names.size(); ++i) {
        if (Agreement(found[i], names[i]) <= Agreement(symbols[i].like, names[i])) continue;
        symbols[i].nearest = file;
        symbols[i].like = found[i];
      }
    }
    if (std::ranges::any_of(symbols, [](const UndefinedSymbol& symbol) { return !symbol.nearest.empty(); }))
      return;
  }
}

}  // namespace culprit::collect
