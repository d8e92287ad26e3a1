// Symbols that an object requires and does not get. There are two kinds of references.
//
// With a version named after a library (see binfmt/elf/exports.h): "undefined symbol: __nvJitLinkCreate_12_4,
// version libnvJitLink.so.12". Only that library can satisfy it (elf/dl-lookup.c), so no other one is
// checked. For a version with any other name, that the library has it was checked when it was loaded
// (versions.cc).
//
// Without a version: "undefined symbol: ncclCommWindowRegister". Any object in the scope of the reference may
// define it. That is the program with all that it needs, what was opened with RTLD_GLOBAL, and what its own
// dlopen loaded. All objects of the process are searched here, which is more: which libraries a program opens
// with RTLD_GLOBAL is not known. Only a second file with the same soname is left out: whoever needs that name
// got the first (a preloaded NCCL, and the one that PyTorch opens by its path).
//
// Python and most programs open libraries with RTLD_NOW, where this ends the load; otherwise the first call
// does, or the load if data refers to the symbol.
#include "loader/glibc/symbols.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "binfmt/elf/constants.h"

namespace culprit::loader {
namespace {

constexpr size_t kToldFunctions = 64;

const Object* FindBySoname(const LoadGraph& graph, std::string_view name) {
  for (const Object& object : graph.objects) {
    if (object.elf != nullptr && (object.elf->soname == name || object.name == name)) return &object;
  }
  return nullptr;
}

bool AsksByLibrary(const binfmt::ElfFile& elf) {
  return std::ranges::any_of(elf.version_needs, [](const binfmt::ElfVersionNeed& need) {
    return std::ranges::any_of(need.versions, [&](const auto& version) { return version.name == need.file; });
  });
}

// An object that is still loaded did not find a library that it needs.
bool LacksLibrary(const LoadGraph& graph) {
  return std::ranges::any_of(graph.requests, [](const Request& request) {
    return !request.error.empty() && !request.optional && request.opened_by == OpenedBy::kNeeded &&
           request.requester_path.empty();
  });
}

// cuInit, cuvidCreateDecoder, nvmlInit_v2, NvEncodeAPICreateInstance
bool IsOfDriver(std::string_view symbol) {
  const bool cu = symbol.starts_with("cu") && symbol.size() > 2 && symbol[2] >= 'A' && symbol[2] <= 'Z';
  return cu || symbol.starts_with("cuvid") || symbol.starts_with("nvml") || symbol.starts_with("NvEncode");
}

}  // namespace

void FindMissingSymbols(LoadGraph& graph, snapshot::FileView& view) {
  std::map<std::string_view, const Object*> providers;  // by requested name
  for (const Object& object : graph.objects) {
    if (object.elf == nullptr || !AsksByLibrary(*object.elf)) continue;
    for (const auto& [function, library, unused] : view.Asks(object.path)) {
      const auto [known, fresh] = providers.try_emplace(library);
      if (fresh) known->second = FindBySoname(graph, library);
      const Object* provider = known->second;
      if (provider == nullptr || provider->elf->soname != library) continue;  // missing, or CUL5011
      if (view.Has(provider->path, function).value_or(true)) continue;
      if (graph.missing_exports.size() == kToldFunctions) return;
      graph.missing_exports.push_back({object.path, provider->path, function});
    }
  }
}

void FindUndefinedSymbols(LoadGraph& graph, snapshot::FileView& view) {
  if (graph.uncertain || !graph.error.empty() || LacksLibrary(graph)) return;
  std::vector<std::string> process;
  std::set<std::string_view> sonames;
  for (const Object& object : graph.objects) {
    if (object.path.empty()) continue;
    const bool first =
        object.elf == nullptr || !object.elf->soname || sonames.insert(*object.elf->soname).second;
    if (first) process.push_back(object.path);
  }
  if (!graph.interpreter.empty()) process.push_back(graph.interpreter);
  view.WillAskForSymbols(process);
  const bool driver_is_assumed = std::ranges::any_of(graph.requests, &Request::assumed);
  const BoundAtLoad& bound = graph.bound_at_load;
  for (size_t i = 0; i < graph.objects.size(); ++i) {
    const Object& object = graph.objects[i];
    if (object.elf == nullptr || object.path.empty()) continue;
    const bool at_once = bound.all || (i >= bound.begin && i < bound.end) ||
                         (object.elf->flags & DF_BIND_NOW) != 0 || (object.elf->flags_1 & DF_1_NOW) != 0;
    std::vector<snapshot::UndefinedSymbol> symbols = view.Undefined(object.path, process);
    if (driver_is_assumed) std::erase_if(symbols, [](const auto& symbol) { return IsOfDriver(symbol.name); });
    // They are told together, so one file stands for all of them.
    const auto near =
        std::ranges::find_if(symbols, [](const auto& symbol) { return !symbol.nearest.empty(); });
    const std::string nearest = near == symbols.end() ? "" : near->nearest;
    for (snapshot::UndefinedSymbol& symbol : symbols) {
      graph.missing_exports.push_back({.importer = object.path,
                                       .dll = nearest,
                                       .function = std::move(symbol.name),
                                       .of_any = true,
                                       .like = std::move(symbol.like),
                                       .at_load = at_once || symbol.at_load});
    }
  }
}

}  // namespace culprit::loader
