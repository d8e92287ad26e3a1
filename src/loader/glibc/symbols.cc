// Functions that are asked of a library under a version named after it (docs: binfmt/elf_exports.h), and that
// the file which was loaded under that name does not have: "undefined symbol: __nvJitLinkCreate_12_4, version
// libnvJitLink.so.12". Such a reference can only be met by that library (elf/dl-lookup.c), so no other one is
// asked. Python and most programs open libraries with RTLD_NOW, where this ends the load; otherwise the first
// call does.
#include "loader/glibc/symbols.h"

#include <algorithm>
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
  for (const Object& object : graph.objects) {
    if (object.elf == nullptr || !AsksByLibrary(*object.elf)) continue;
    const binfmt::PeExports* asks = view.Exports(object.path);
    if (asks == nullptr) continue;
    for (const auto& [function, library, unused] : asks->forwarders) {
      const Object* provider = FindBySoname(graph, library);
      if (provider == nullptr || provider->elf->soname != library) continue;  // missing, or CUL5011
      const binfmt::PeExports* has = view.Exports(provider->path);
      if (has == nullptr || has->cut || has->Has(function)) continue;
      if (graph.missing_exports.size() == kToldFunctions) return;
      graph.missing_exports.push_back({object.path, provider->path, function});
    }
  }
}

}  // namespace culprit::loader
