// See generate_library.h.
#include "generate_library.h"

#include <elf.h>

#include <algorithm>

#include "base/text.h"

namespace culprit::gold {

TreeFile LibraryGenerator::Library(size_t index, const std::string& path) {
  TreeFile file{path, TreeFile::Kind::kLibrary, {}, Fault::kNone, "", false};
  Stamp& stamp = file.stamp;
  switch (random_.Weighted({70, 12, 8, 10})) {
    case 0:
      stamp.soname = names[index];
      break;
    case 1:
      Note("no soname");
      break;
    case 2:
      stamp.soname = random_.Pick(names);
      if (*stamp.soname != names[index]) Note("soname of another library");
      break;
    default:
      stamp.soname = "libreal_" + names[index];
      Note("soname differs from file name");
  }
  for (size_t i = healthy ? random_.Weighted({25, 35, 25, 15}) : random_.Weighted({40, 35, 17, 8}); i > 0;
       --i)
    stamp.requests.push_back(DrawRequest(index, path));
  DrawRunPaths(stamp, path, 50);
  if (random_.Percent(4)) {
    stamp.flags_1 |= DF_1_NODEFLIB;
    Note("NODEFLIB");
  }
  if (random_.Percent(2)) {
    stamp.flags_1 |= DF_1_NOOPEN;
    Note("NOOPEN");
  }
  if (random_.Percent(30)) {
    for (const char* version : {"V1", "V2"})
      if (random_.Percent(70)) stamp.version_defs.push_back(version);
  }
  DrawVersionNeeds(stamp);
  if (random_.Percent(4)) {
    stamp.decoys = true;
    Note("run paths and soname twice");
  }
  if (random_.Percent(5) && !traits_.musl) {
    stamp.relr = true;
    Note("DT_RELR");
  }
  return file;
}

Fault LibraryGenerator::DrawFault() {
  for (;;) {
    const auto fault = static_cast<Fault>(1 + random_.Below(static_cast<size_t>(Fault::kCount) - 1));
    // musl only checks the type and the program headers. It loads a file that is valid except for its
    // identification, and such files exist only in tests; what it does with others is chance.
    static constexpr Fault kNotForMusl[] = {
        Fault::kOtherClass,   Fault::kOtherByteOrder, Fault::kIdentVersion, Fault::kEntrySize, Fault::kNoLoad,
        Fault::kEmptyDynamic, Fault::kOtherMachine,   Fault::kVersion,      Fault::kMisaligned};
    if (traits_.musl && std::ranges::find(kNotForMusl, fault) != std::end(kNotForMusl)) continue;
    return fault;
  }
}

Stamp::Request LibraryGenerator::DrawRequest(size_t index, const std::string& path) {
  int64_t tag = DT_NEEDED;
  // Not in programs: glibc puts the object before the program in its list, never finds it there again and
  // finally aborts. No such program exists.
  switch (index == SIZE_MAX ? 0 : random_.Weighted({94, 4, 2})) {
    case 1:
      tag = DT_AUXILIARY;
      Note("DT_AUXILIARY");
      break;
    case 2:
      tag = DT_FILTER;
      Note("DT_FILTER");
      break;
    default:
      break;
  }
  std::string name = DrawName(index, path);
  if (name.empty()) tag = DT_NEEDED;  // it means the program
  return {tag, name};
}

std::string LibraryGenerator::DrawName(size_t index, const std::string& path) {
  // Mostly later names, so that cycles stay rare.
  const size_t first = index == SIZE_MAX ? 0 : index + 1;
  const bool any = first >= names.size() || random_.Percent(15);
  const size_t chosen = any ? random_.Below(names.size()) : first + random_.Below(names.size() - first);
  if (any && index != SIZE_MAX) Note(chosen == index ? "asks for itself" : "asks backwards");
  switch (random_.Weighted({healthy ? 1500u : 780u, 70, 50, 60, 6, 6, 4, 3, 4})) {
    case 1:
      Note("asks for a path");
      return paths_.FilePath(path, names[chosen]);
    case 2:
      return traits_.libc;
    case 3:
      if (traits_.system_names.empty()) break;
      Note("asks for a system library");
      return random_.Pick(traits_.system_names);
    case 4:
      Note("asks for nothing there");
      return "libmissing.so.9";
    case 5:
      Note("asks for the loader");
      return traits_.soname;
    case 6:
      Note("asks for another soname");
      return "libreal_" + names[chosen];
    case 7:
      Note("asks for the empty name");
      return "";
    case 8:
      if (traits_.musl) break;
      Note("asks for an overlong name");
      return "lib" + std::string(300, 'o') + ".so";
    default:
      break;
  }
  return names[chosen];
}

void LibraryGenerator::DrawRunPaths(Stamp& stamp, const std::string& path, unsigned chance) {
  if (!random_.Percent(chance)) return;
  const std::string from(base::DirName(path));
  switch (random_.Weighted({40, 45, 15})) {
    case 0:
      stamp.rpath = paths_.List(from, ":");
      Note("RPATH");
      break;
    case 1:
      stamp.runpath = paths_.List(from, ":");
      Note("RUNPATH");
      break;
    default:
      stamp.rpath = paths_.List(from, ":");
      stamp.runpath = paths_.List(from, ":");
      Note("RPATH and RUNPATH");
  }
}

void LibraryGenerator::DrawVersionNeeds(Stamp& stamp) {
  for (const auto& request : stamp.requests) {
    if (request.tag != DT_NEEDED || request.name.find('/') != std::string::npos) continue;
    if (request.name == traits_.libc && random_.Percent(25)) {
      // The first is in every glibc, the second in current ones, the third in none.
      stamp.version_needs.push_back({request.name, {"GLIBC_PRIVATE"}, false});
      if (random_.Percent(40)) stamp.version_needs.back().versions.push_back("GLIBC_ABI_DT_RELR");
      if (random_.Percent(20)) stamp.version_needs.back().versions.push_back("GLIBC_9.99");
      Note("version need of libc");
      continue;
    }
    if (std::ranges::find(names, request.name) == names.end() || !random_.Percent(12)) continue;
    Stamp::VersionNeed need{request.name, {}, random_.Percent(25)};
    for (const char* version : {"V1", "V2", "V3"})
      if (random_.Percent(version[1] == '3' ? 12 : 45)) need.versions.push_back(version);
    if (need.versions.empty()) continue;
    Note(need.weak ? "weak version need" : "version need");
    stamp.version_needs.push_back(need);
  }
}

}  // namespace culprit::gold
