// "cannot find -lcudnn": the linker searches its own directories and those of -L and LIBRARY_PATH, for the
// name without a number. What it did not find may still be on the machine.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "explain/settle.h"
#include "loader/library_copies.h"

namespace culprit::explain {
namespace {

using logs::Symptom;

// "libcudnn.so" for -lcudnn; "" if the symptom is about something else.
std::string LinkName(const Symptom& symptom) {
  if (symptom.kind() == "linker-cannot-find-cudnn") return "libcudnn.so";
  if (symptom.kind() != "linker-cannot-find-cuda") return "";
  const std::string_view library = symptom.attribute("library");
  return library.empty() ? "" : fmt::format("lib{}.so", library);
}

std::string_view CauseOfMissing(const std::string& name) {
  return name == "libcudnn.so" ? "cudnn-missing" : "cuda-library-missing";
}

// The same name in a directory that only linkers search.
report::Fix SearchIt(const std::string& directory) {
  using report::Word;
  return {.text = fmt::format("pass -L{} to the linker, or add the directory to LIBRARY_PATH", directory),
          .commands = {"export LIBRARY_PATH=" + Word(directory) + "${LIBRARY_PATH:+:$LIBRARY_PATH}"},
          .risk = report::Risk::kLow};
}

}  // namespace

void SettleByLinkNames(std::span<const Symptom> symptoms, const rules::Scene& scene,
                       std::vector<Settlement>& settlements) {
  if (scene.OnWindows()) return;
  for (const Symptom& symptom : symptoms) {
    const std::string name = LinkName(symptom);
    if (name.empty()) continue;
    const auto copies =
        loader::FindCopies(loader::LibraryDirectories(scene.snapshot, scene.view), scene.view, name);
    if (copies.empty()) continue;  // missing, as the log says
    const auto link = std::ranges::find_if(
        copies, [&](const loader::LibraryCopy& copy) { return base::BaseName(copy.path) == name; });
    const std::string& path = link == copies.end() ? copies.front().path : link->path;
    const std::string directory(base::DirName(path));
    settlements.push_back(
        {std::string(CauseOfMissing(name)), false, fmt::format("{} is on this machine: {}", name, path)});
    if (link != copies.end()) {
      settlements.push_back(
          {.cause = "build-config",
           .confirms = true,
           .says =
               fmt::format("{} is on this machine, in {}, which the linker did not search", name, directory),
           .fix = SearchIt(directory)});
      settlements.push_back({"broken-symlink", false, fmt::format("{} exists", path)});
      continue;
    }
    settlements.push_back(
        {.cause = "broken-symlink",
         .confirms = true,
         .says = fmt::format("only {} is on this machine; the linker needs the name {}", path, name),
         .fix = {.text = fmt::format("install the development package, or link with {} itself", path),
                 .commands = {},
                 .risk = report::Risk::kLow}});
  }
}

}  // namespace culprit::explain
