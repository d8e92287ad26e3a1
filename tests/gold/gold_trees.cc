// Compares our model of glibc's ld.so with ld.so itself, on generated trees of tiny libraries: every
// candidate that is tried, in order and with its stage, what is loaded, every message. transcript.h says what
// is compared, generate.cc what the trees contain.
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "child.h"
#include "options.h"
#include "pool.h"
#include "tree_run.h"

namespace culprit::gold {
namespace {

const char* GlibcVersion() {
#ifdef __GLIBC__
  return gnu_get_libc_version();
#else
  return "";
#endif
}

int Main(int argc, char** argv) {
  if (*GlibcVersion() == '\0') {
    std::printf("skipped: the C library of this machine is not glibc\n");
    return kSkipped;
  }
  const Options options =
      ParseOptions(argc, argv, {.program = "gold_trees", .seed = 20240901, .count = 1000});
  const WorkDirectory work;
  // Copies, because user nobody may not be able to read the build directory.
  const std::string audit = work.path() + "/audit.so", probe = work.path() + "/probe";
  std::filesystem::copy_file(GOLD_AUDIT, audit);
  TreeRun run{.program = "gold_trees",
              .templates = {ReadFile(GOLD_PROGRAM), ReadFile(GOLD_LIBRARY)},
              .loader = {},
              .ask_real = AskGlibc,
              .read = FromGraph};
  {
    Stamp stamp;
    stamp.requests.push_back({DT_NEEDED, "libc.so.6"});
    std::ofstream(probe, std::ios::binary) << Stamped(run.templates.program, stamp);
    std::filesystem::permissions(probe, std::filesystem::perms(0755));
  }
  run.loader.audit = audit;
  run.loader.traits = ProbeGlibc(probe, audit, "/");
  if (run.loader.traits.interpreter.empty()) {
    std::printf("skipped: the loader of this machine does not answer as glibc's does\n");
    return kSkipped;
  }
  for (const char* name : {"libz.so.1", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libstdc++.so.6"})
    if (void* handle = dlopen(name, RTLD_LAZY)) {
      run.loader.traits.system_names.emplace_back(name);
      dlclose(handle);
    }
  const auto& traits = run.loader.traits;
  std::printf("glibc %s, %s, $LIB %s, $PLATFORM %s, %zu hwcaps directories\n", GlibcVersion(),
              traits.interpreter.c_str(), traits.lib.c_str(), traits.platform.c_str(),
              traits.hwcaps_dirs.size());
  std::fflush(stdout);
  return CompareTrees(run, options, work.path());
}

}  // namespace
}  // namespace culprit::gold

int main(int argc, char** argv) {
  return culprit::gold::RunMain("gold_trees", culprit::gold::Main, argc, argv);
}
