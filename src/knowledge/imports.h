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

struct ImportRow {
  std::string_view framework;
  std::string_view since;                  // first version of the framework; "" = all before `until`
  std::string_view until;                  // first version that no longer does this
  std::span<const std::string_view> cuda;  // only builds for these CUDA majors; empty = every build
  // Each of these is a step of its own, "folder/file" or "file"; empty = one step.
  std::span<const std::string_view> each;
  // Alternatives. With '/': below the framework's site-packages, '*' and '[0-9]' as in a glob; the first file
  // that exists is opened, and no other. Without: names for the loader, tried until one opens. {folder} and
  // {file} come from `each`; {python} is 312, {cuda} 12, {cudnn} 9, {torch_cuda} 124.
  std::span<const std::string_view> names;
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
