// data/imports.toml: what Python opens when a framework is imported and first asked for the GPU, step by
// step.
#pragma once

#include <span>
#include <string_view>

namespace culprit::knowledge {

// The import of `framework` begins with that of `other`: torchvision's with torch's.
struct ImportsFirst {
  std::string_view framework;
  std::string_view other;
  std::string_view source;
};
std::span<const ImportsFirst> ImportsFirsts();

enum class StepWhen {
  kAlways,
  kFailed,  // only when the step called `after` did not open
  kOpened,  // only when it did
};

enum class ImportOs { kUnix, kWindows };

enum class StepAction {
  kOpen,
  kAddDllDirectory,  // Windows: os.add_dll_directory of each of `names` that is a directory
  kPrependPath,      // Windows: PATH = those + PATH
};

// Windows: how LoadLibraryEx is told to search.
enum class StepSearch {
  kStandard,    // LoadLibrary
  kAltered,     // LOAD_WITH_ALTERED_SEARCH_PATH
  kDllLoadDir,  // 0x1100: the directory of the file, the program's, those added, System32; never PATH
  kPython,      // that, as Python 3.8 and later opens an extension module and ctypes a path
  kCtypes,      // ctypes with a bare name: 0x1000
};

struct ImportRow {
  std::string_view framework;
  ImportOs os;
  StepAction action;
  StepSearch search;
  std::string_view since;                  // first version of the framework; "" = all before `until`
  std::string_view until;                  // first version that no longer does this
  std::span<const std::string_view> cuda;  // only builds for these CUDA majors; empty = every build
  // Each of these is a step of its own, "folder/file" or "file"; empty = one step.
  std::span<const std::string_view> each;
  // Alternatives. With '/': below the framework's site-packages, '*' and '[0-9]' as in a glob; the first file
  // that exists is opened, and no other. Without: names for the loader, tried until one opens. {folder} and
  // {file} come from `each`; {python} is 312, {cuda} 12, {cudnn} 9, {torch_cuda} 124. On Windows {prefix} is
  // the environment, {base_prefix} the installation it was made from, {userbase} that of `pip install
  // --user`, {cuda_path} CUDA_PATH, {cuda_home} CUDA_PATH_V12_4 for the framework's CUDA or where the
  // installer puts it, {nvtoolsext} NVTOOLSEXT_PATH or its usual place. A name with an unknown value is
  // left out.
  std::span<const std::string_view> names;
  bool every;                                // each file that Python's glob finds is a step of its own
  bool retry_with_path;                      // with `every`: on error 126 the added directories go onto PATH
                                             // and the file is opened with the standard search
  std::span<const std::string_view> unless;  // not when one of these files exists
  bool everywhere;  // looked for below every directory of sys.path, the first with any match wins
  // The library whose code calls: its file name, or a pattern as in `names`; "" = Python itself.
  std::string_view from;
  bool optional;           // the import goes on when it does not open
  std::string_view label;  // by which later rows speak of it
  std::string_view after;
  StepWhen when;
  std::span<const std::string_view> texts;  // of an error that is mended; another error ends the import
  std::string_view loaded;                  // only when a path with this text is loaded
  std::string_view source;
};
std::span<const ImportRow> ImportRows();  // in the order in which they happen

}  // namespace culprit::knowledge
