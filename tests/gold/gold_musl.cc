// Compares our model of musl's dynamic loader with the loader itself, on generated trees: every path that it
// opens, in order, what is loaded, every message. See musl_transcript.h.
#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "child.h"
#include "musl_transcript.h"
#include "open_tracer.h"
#include "options.h"
#include "pool.h"
#include "tree_run.h"

namespace culprit::gold {
namespace {

// The interpreter that the musl compiler writes into programs.
std::string InterpreterOf(const std::string& program) {
  const size_t at = program.find("/lib/ld-musl-");
  return at == std::string::npos ? "" : std::string(program.c_str() + at);
}

int Main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv, {.program = "gold_musl", .seed = 20240903, .count = 500});
  const std::string program = std::string(GOLD_MUSL_PROGRAM).empty() ? "" : ReadFile(GOLD_MUSL_PROGRAM);
  const std::string interpreter = InterpreterOf(program);
  if (interpreter.empty() || !std::filesystem::exists(interpreter)) {
    std::printf("skipped: musl-gcc or musl's loader is not installed\n");
    return kSkipped;
  }
  if (SpawnTraced(interpreter, interpreter, {"--list", "/nowhere"}, {}, "/").opens.empty()) {
    std::printf("skipped: this process may not trace another (ptrace)\n");
    return kSkipped;
  }
  const WorkDirectory work;
  TreeRun run{.program = "gold_musl",
              .templates = {program, ReadFile(GOLD_LIBRARY)},
              .loader = {},
              .ask_real = AskMusl,
              .read = FromMuslGraph};
  LoaderTraits& traits = run.loader.traits;
  traits.musl = true;
  traits.interpreter = interpreter;
  traits.soname = base::BaseName(interpreter);
  traits.libc = "libc.so";
  traits.system_names = {"libm.so.6", "libpthread.so.0", "libdl.so",
                         "libc.musl-any.so.1"};  // all of them mean musl
  std::printf("%s\n", interpreter.c_str());
  std::fflush(stdout);
  return CompareTrees(run, options, work.path());
}

}  // namespace
}  // namespace culprit::gold

int main(int argc, char** argv) {
  return culprit::gold::RunMain("gold_musl", culprit::gold::Main, argc, argv);
}
