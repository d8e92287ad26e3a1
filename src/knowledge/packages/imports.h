// data/imports.toml: what Python opens when a framework is imported and first uses the GPU, step by step.
#pragma once

#include <span>
#include <string_view>

namespace culprit::knowledge {

// The import of `framework` starts with the import of `other`: torchvision imports torch first.
struct ImportsFirst {
  std::string_view framework;
  std::string_view other;
  std::string_view source;
};
std::span<const ImportsFirst> ImportsFirsts();

enum class StepWhen {
  kAlways,
  kFailed,  // only if the step `after` did not open
  kOpened,  // only if it did
};

enum class ImportOs { kUnix, kWindows };

enum class StepAction {
  kOpen,
  kAddDllDirectory,  // Windows: os.add_dll_directory of each of `names` that is a directory
  kPrependPath,      // Windows: PATH = those + PATH
};

// Windows: the search flags of LoadLibraryEx.
enum class StepSearch {
  kStandard,    // LoadLibrary
  kAltered,     // LOAD_WITH_ALTERED_SEARCH_PATH
  kDllLoadDir,  // 0x1100: the directories of the file and of the program, the added ones, System32; never
                // PATH
  kPython,      // the same, as Python 3.8 and later opens an extension module, and ctypes a path
  kCtypes,      // ctypes with a bare name: 0x1000
};

struct ImportRow {
  std::string_view framework;
  ImportOs os;
  StepAction action;
  StepSearch search;
  std::string_view since;  // first version of the framework; "" = all before `until`, read or not
  std::string_view until;  // first version that no longer does this
  std::span<const std::string_view> cuda;  // only builds for these CUDA majors; empty = every build
  // Each of these is a separate step, "folder/file" or "file"; empty = one step.
  std::span<const std::string_view> each;
  // Alternatives. With '/': below the framework's site-packages, '*' and '[0-9]' as in a glob; only the first
  // file that exists is opened. Without '/': names for the loader, tried until one opens. {folder} and {file}
  // come from `each`; {python} is 312, {cuda} 12, {cudnn} 9, {torch_cuda} 124. On Windows {prefix} is the
  // environment, {base_prefix} the installation it was made from, {userbase} that of `pip install --user`,
  // {cuda_path} CUDA_PATH, {cuda_home} CUDA_PATH_V12_4 for the framework's CUDA or the installer's default,
  // {nvtoolsext} NVTOOLSEXT_PATH or its default. A name with an unknown value is skipped.
  std::span<const std::string_view> names;
  bool every;            // each file that Python's glob finds is a separate step
  bool retry_with_path;  // with `every`: on error 126, the added directories are put on PATH
                         // and the file is opened with the standard search
  std::span<const std::string_view> unless;  // skip if one of these files exists
  bool everywhere;  // searched below every directory of sys.path; the first one with a match wins
  // The library whose code makes the call: its file name, or a pattern as in `names`; "" = Python itself.
  std::string_view from;
  bool optional;           // the import continues if it does not open
  std::string_view label;  // name that later rows use for this step
  std::string_view after;
  StepWhen when;
  std::span<const std::string_view>
      texts;                // errors that a later step recovers from; any other error ends the import
  std::string_view loaded;  // only if a path with this text is loaded
  std::string_view source;
};
std::span<const ImportRow> ImportRows();  // in the order in which they happen
// Whether some release of the framework has rows.
bool HasImportRows(std::string_view framework);

}  // namespace culprit::knowledge
