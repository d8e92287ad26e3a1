// Functions that are required from a library under a version named after it (see binfmt/elf/exports.h), but
// that the file loaded under that name does not have: "undefined symbol: __nvJitLinkCreate_12_4, version
// libnvJitLink.so.12". Only that library can satisfy such a reference (elf/dl-lookup.c), so no other one is
// checked. Python and most programs open libraries with RTLD_NOW, where this ends the load; otherwise the
// first call does.
#include "loader/glibc/symbols.h"

#include <algorithm>
#include <map>
#include <string_view>

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

}  // namespace culprit::loader
