// Names of CUDA libraries among the strings of a file that opens libraries by name: played as calls that may
// happen. A table (data/libraries.toml, data/imports.toml) knows better where there is one; this is for
// programs and packages that none knows.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/libraries.h"
#include "loader/process.h"

namespace culprit::loader {
namespace {

using knowledge::Library;

// What a program computes with. Others (profiling, several GPUs, inference engines) are extras that it may
// try, and it goes on without them.
bool IsForComputing(const Library& library) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "nvrtc", "nvJitLink"};
  return library.family == "cudnn" || std::ranges::find(kNames, library.name) != kNames.end();
}

// The symlink for linking. It is in no runtime package, so programs that try it try something else too.
bool IsUnversioned(std::string_view name) { return name.ends_with(".so"); }

// A library of the distribution is for every machine, with and without CUDA.
bool IsOfSystem(const Object& object) {
  static constexpr std::array<std::string_view, 4> kSystem = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return std::ranges::any_of(kSystem, [&](std::string_view place) { return object.path.starts_with(place); });
}

// The numbers of a soname, for the order of names of one library.
base::Version NumbersOf(std::string_view name) {
  const size_t at = name.find(".so.");
  const auto numbers =
      at == std::string_view::npos ? std::nullopt : base::Version::Parse(name.substr(at + 4));
  return numbers.value_or(base::Version{});
}

// The names of each library that the file tells, newest first.
std::map<std::string_view, std::vector<std::string>> NamesByLibrary(const std::vector<std::string>& names) {
  std::map<std::string_view, std::vector<std::string>> all;
  for (const std::string& name : names) {
    const Library* library = knowledge::FindLibrary(name);
    if (library != nullptr) all[library->name].push_back(name);
  }
  for (auto& [library, list] : all) {
    std::ranges::sort(list, std::ranges::greater(),
                      [](const std::string& name) { return std::pair(NumbersOf(name), name); });
  }
  return all;
}

bool IsLoaded(const LoadGraph& graph, std::string_view library) {
  return std::ranges::any_of(graph.objects, [&](const Object& object) {
    const Library* row = LibraryOf(object);
    return row != nullptr && row->name == library;
  });
}

// False if the process is dead.
bool OpenOne(Process& process, size_t caller, const std::vector<std::string>& names) {
  LoadGraph& graph = process.graph();
  const bool extra = IsOfSystem(graph.objects[caller]) || !IsForComputing(*knowledge::FindLibrary(names[0]));
  std::vector<Try> tries;
  for (const std::string& name : names) {
    const size_t begin = graph.requests.size();
    const bool opened = process.Dlopen(name, caller, 0);
    if (graph.requests.size() == begin) return false;
    graph.requests[begin].guessed = true;
    tries.push_back({begin, graph.requests.size()});
    if (opened) break;
  }
  MarkAlternatives(graph.requests, tries, extra || IsUnversioned(names.front()));
  return true;
}

}  // namespace

void FollowNamesInside(Process& process, snapshot::FileView& view) {
  LoadGraph& graph = process.graph();
  for (size_t caller = 0; caller < graph.objects.size(); ++caller) {
    const Object& object = graph.objects[caller];
    if (LibraryOf(object) != nullptr || object.assumed) continue;
    const std::string path = object.path.starts_with('/') ? object.path : object.real_path;
    for (const auto& [library, names] : NamesByLibrary(view.NamesInside(path))) {
      if (IsLoaded(graph, library)) continue;
      if (!OpenOne(process, caller, names)) return;
    }
  }
}

}  // namespace culprit::loader
