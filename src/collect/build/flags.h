// What the flags of one compiler call say about a CUDA build.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::collect {

struct CompilerFlags {
  std::string compiler;                    // the program, as written
  std::vector<std::string> architectures;  // "sm_80", "compute_80", "native", "all", "all-major"
  std::vector<std::string> includes;       // in the order of the search
  std::string host_compiler;               // of -ccbin
  std::vector<std::string> run_paths;      // of -rpath
};

// The words of a command line, as a shell would split them; nothing is expanded.
std::vector<std::string> ShellWords(std::string_view text);

// `with_program`: the first word is the compiler (or a launcher before it).
CompilerFlags ReadFlags(const std::vector<std::string>& words, bool with_program);

// CMAKE_CUDA_ARCHITECTURES: "80" is sm_80 and compute_80, "86-real" sm_86, "90a-virtual" compute_90a.
std::vector<std::string> CmakeArchitectures(std::string_view value);

}  // namespace culprit::collect
