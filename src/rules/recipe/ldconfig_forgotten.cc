// CUL5053: a Dockerfile adds CUDA libraries but does not run ldconfig.
#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules::ldconfig_forgotten {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
CUDA libraries are copied into a directory that the loader finds only through its cache, or a file is written to
/etc/ld.so.conf.d, and no later command updates the cache.
## Why it breaks
The loader reads /etc/ld.so.cache, not the directories listed in ld.so.conf: "cannot open shared object file" for a
file that exists. Without the cache it searches only its default directories (/lib, /usr/lib, and their architecture
subdirectories).
## How culprit knows
It looks for COPY of libraries into /usr/local/lib, and for files written to /etc/ld.so.conf.d, with no ldconfig, apt
installation or LD_LIBRARY_PATH after it.
## Fix
Add RUN ldconfig after it.

## When this is not your problem
A later command that culprit does not read runs ldconfig, or the programs have a run path.
## Sources
ldconfig(8), ld.so(8).
)md";

// Libraries of CUDA by their names: libcudnn.so.9, libnvinfer.so.8, lib*.so* from a directory of cuDNN.
bool IsCudaLibrary(std::string_view path) {
  const std::string_view name = base::BaseName(path);
  if (name.starts_with("libcuda.so")) return false;  // CUL2037
  if (base::Contains(path, "cudnn") && base::Contains(path, "lib")) return true;
  if (!base::Contains(name, ".so") && !name.ends_with('*')) return false;
  return name.starts_with("libcu") || name.starts_with("libnccl") || name.starts_with("libnv") ||
         name.starts_with("libtensorrt");
}

// Directories of /etc/ld.so.conf. The loader searches /lib, /usr/lib and their multiarch directories itself.
bool IsInCacheAlone(std::string_view directory) {
  return directory == "/usr/local/lib" || directory == "/usr/local/lib/x86_64-linux-gnu" ||
         directory == "/usr/local/lib/aarch64-linux-gnu";
}

// The directory whose libraries the cache has to learn; "" if the step adds none.
std::string NewDirectory(const RecipeStep& step) {
  const bool copies = step.kind == StepKind::kCopy || (step.kind == StepKind::kRun && Calls(step, "cp"));
  if (copies && step.words.size() > 1) {
    const std::string target = base::CleanPath(step.words.back());
    const bool cached = IsInCacheAlone(target) &&
                        std::ranges::any_of(step.words.begin(), step.words.end() - 1, IsCudaLibrary);
    return cached ? target : "";
  }
  if (step.kind != StepKind::kRun) return "";
  for (size_t i = 0; i + 1 < step.words.size(); ++i) {
    const bool writes = step.words[i] == ">" || step.words[i] == ">>" || Calls(step, "tee");
    if (!writes || !step.words[i + 1].starts_with("/etc/ld.so.conf")) continue;
    for (const std::string& word : step.words) {
      if (word.starts_with('/') && !word.starts_with("/etc/") &&
          (base::Contains(word, "cuda") || base::Contains(word, "cudnn") || base::Contains(word, "nvidia")))
        return word;
    }
  }
  return "";
}

// Whether the step updates the cache; packages of Debian do it too.
bool UpdatesCache(const RecipeStep& step) {
  if (step.kind != StepKind::kRun) return false;
  if (Calls(step, "ldconfig")) return true;
  const bool installs = Calls(step, "apt-get") || Calls(step, "apt") || Calls(step, "dpkg") ||
                        Calls(step, "yum") || Calls(step, "dnf");
  return installs && (HasWord(step, "install") || HasWord(step, "-i"));
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const PartView& view : AllParts(scene)) {
    if (view.recipe->kind != snapshot::RecipeKind::kDockerfile || view.part->passing) continue;
    const PartView::Step* path = view.Variable("LD_LIBRARY_PATH");
    for (size_t i = 0; i < view.steps.size(); ++i) {
      const PartView::Step& step = view.steps[i];
      const std::string directory = NewDirectory(*step.step);
      if (directory.empty() || step.recipe != view.recipe) continue;
      if (path != nullptr && base::Contains((*path)->words.back(), directory)) continue;
      if (std::any_of(view.steps.begin() + static_cast<std::ptrdiff_t>(i), view.steps.end(),
                      [](const PartView::Step& later) { return UpdatesCache(*later.step); }))
        continue;
      report::Finding& finding =
          FireAt(ruling, "libraries in " + directory + " are added, but ldconfig is not run", *step.recipe,
                 *step.part, step->line);
      finding.evidence.push_back(AsEvidence(step));
      finding.fix = {.text = "add RUN ldconfig after it", .commands = {}, .risk = report::Risk::kNone};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5053",
                           .name = "ldconfig_forgotten",
                           .family = Family::kLoading,
                           .explains = Explains::kNothing,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .looks_at = LooksAt::kRecipe,
                           .since = "0.9.0",
                           .title = "a Dockerfile adds CUDA libraries but does not run ldconfig",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ldconfig_forgotten
