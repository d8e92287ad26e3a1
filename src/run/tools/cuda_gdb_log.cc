// Reads what cuda-gdb wrote when `culprit run --debug` drove it (watch/tool_run.cc gives it its commands, and
// these say "[culprit] ..." between their answers). A stop looks like
//
//   CUDA Exception: Warp Illegal Address
//   The exception was triggered at PC 0x55c08620 (a.cu:17)
//
//   Thread 1 "app" received signal CUDA_EXCEPTION_14, Warp Illegal Address.
//   [Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (3,0,0), device 0, sm 0, warp 0, lane 3]
//   0x0000000055c08fb0 in store<<<(1,1,1),(32,1,1)>>> (p=0x0) at a.cu:17
//
// https://docs.nvidia.com/cuda/cuda-gdb/ lists the exceptions. Older ones say "Program received signal" and
// have no line with the PC.
#include <algorithm>
#include <string>
#include <utility>

#include "base/lines.h"
#include "base/text.h"
#include "run/tools/kernel_errors.h"

namespace culprit::run {
namespace {

using report::RunKernelError;

constexpr size_t kLongestLine = 4000;

struct Frame {
  std::string function, file, library;
  uint64_t line = 0;
  bool kernel = false;
};

// "#0  0x00 in store<<<(1,1,1),(32,1,1)>>> (p=0x0) at a.cu:17", with or without its number and address.
Frame ReadFrame(std::string_view text) {
  Frame frame;
  if (text.starts_with('#')) text = base::Trim(text.substr(std::min(text.find(' '), text.size())));
  if (const size_t in = text.find(" in "); text.starts_with("0x") && in != std::string_view::npos)
    text = text.substr(in + 4);
  if (const size_t at = text.rfind(" at "); at != std::string_view::npos) {
    if (SplitFileLine(base::Trim(text.substr(at + 4)), frame.file, frame.line)) text = text.substr(0, at);
  } else if (const size_t from = text.rfind(" from "); from != std::string_view::npos) {
    frame.library = base::Trim(text.substr(from + 6));
    text = text.substr(0, from);
  }
  const size_t grid = text.find("<<<");
  frame.kernel = grid != std::string_view::npos;
  if (!frame.kernel) text = text.substr(0, text.find(" (", text.starts_with('(') ? text.find(')') : 0));
  frame.function = base::Trim(text.substr(0, grid));
  return frame;
}

class GdbReader {
 public:
  void Line(std::string_view line) {
    line = base::Trim(line.substr(0, kLongestLine));
    if (line.starts_with("[culprit] ")) return Section(line.substr(10));
    if (line.starts_with("CUDA Exception: ")) return Announce(line.substr(16));
    if (line == "Assertion failed.") return Announce("Assertion failed");
    if (line.starts_with("The exception was triggered at PC")) return TriggeredAt(line);
    if (const size_t signal = line.find("received signal "); signal != std::string_view::npos)
      return Stop(line.substr(signal + 16));
    if (line.starts_with("Program terminated with signal CUDA_") && found_.errors.empty())
      return Stop(line.substr(31));
    if (line.starts_with("[Switching focus to CUDA") || line.starts_with("[Current focus set to CUDA"))
      return Focus(line);
    for (const std::string_view sign :
         {"fatal:", "Error: ", "ptrace: ", "Could not trace", "During startup program"})
      if (line.starts_with(sign)) return Trouble(line);
    if (!stopped_) return;
    RunKernelError& error = found_.errors.back();
    if (section_ == "kernels") return Kernel(line, error);
    const bool frame = line.starts_with('#') ||
                       (line.starts_with("0x") && line.find(" in ") != std::string_view::npos) ||
                       line.find("<<<") != std::string_view::npos;
    if (section_ == "host" && line.starts_with("#0 ")) error.host_frames.clear();  // told a second time
    if (frame) OneFrame(ReadFrame(line), error);
  }

  // Where the process is gone before the debugger stops at it, what was announced is all there is.
  KernelFindings Finish() {
    if (!announced_.empty() && found_.errors.empty()) {
      const std::string kind = std::exchange(announced_, {});
      Stop(kind);
    }
    if (ended_) found_.total = found_.errors.size();
    return std::move(found_);
  }

 private:
  void Section(std::string_view name) {
    section_ = name;
    if (name == "go on") stopped_ = false;
    if (name.starts_with("exit") || name.starts_with("signal") || name == "end") ended_ = true;
  }

  void Announce(std::string_view kind) {
    if (announced_.empty()) announced_ = kind;
  }

  // "... at PC 0x55c08620 (a.cu:17)", "... at PC 0x7f64977a1790  store(int*, int)  (a.cu:17)"
  void TriggeredAt(std::string_view line) {
    const size_t open = line.rfind('(');
    if (open == std::string_view::npos || !line.ends_with(')')) return;
    if (!SplitFileLine(line.substr(open + 1, line.size() - open - 2), file_, line_)) return;
    const size_t address = line.find("0x");
    if (address > open) return;
    const std::string_view function = base::Trim(line.substr(address, open - address));
    kernel_ = base::Trim(function.substr(std::min(function.find(' '), function.size())));
  }

  void Stop(std::string_view words) {  // "CUDA_EXCEPTION_14, Warp Illegal Address."
    if (words.ends_with('.')) words.remove_suffix(1);
    if (found_.errors.size() >= kMostKernelErrors) return;
    RunKernelError error;
    error.tool = "cuda-gdb";
    const size_t comma = words.find(", ");
    if (words.starts_with("CUDA_") && comma != std::string_view::npos)
      error.kind = std::string(words.substr(comma + 2)) + " (" + std::string(words.substr(0, comma)) + ")";
    else
      error.kind = words;
    error.file = std::exchange(file_, {});
    error.line = std::exchange(line_, 0);
    error.kernel = std::exchange(kernel_, {});
    found_.errors.push_back(std::move(error));
    stopped_ = true;
    section_.clear();
  }

  void Focus(std::string_view line) {
    if (!stopped_) return;
    RunKernelError& error = found_.errors.back();
    const size_t block = line.find("block (");
    const size_t thread = line.find("thread (");
    if (!error.where.empty() || block == std::string_view::npos || thread == std::string_view::npos) return;
    const auto triple = [&](size_t at) { return std::string(line.substr(at, line.find(')', at) + 1 - at)); };
    error.where = "by " + triple(thread) + " in " + triple(block);
  }

  void OneFrame(const Frame& frame, RunKernelError& error) {
    if (frame.kernel && error.kernel.empty()) {
      error.kernel = frame.function;
      if (error.line == 0 && frame.line != 0) {
        error.file = frame.file;
        error.line = frame.line;
      }
      return;
    }
    if (section_ != "host") return;
    if (error.host_frames.size() >= kHostFrames || frame.function.empty()) return;
    std::string text = frame.function;
    if (frame.line != 0) text += " in " + frame.file + ":" + std::to_string(frame.line);
    if (!frame.library.empty()) text += " in " + frame.library;
    error.host_frames.push_back(std::move(text));
  }

  // "*  0  -  0  1 Active 0x01 (1,1,1) (32,1,1) spin(p=0x0)": what runs on the GPU at that moment.
  void Kernel(std::string_view line, RunKernelError& error) {
    const size_t active = line.find(" Active ");
    if (active == std::string_view::npos || !error.kernel.empty()) return;
    std::string_view rest = line.substr(active + 8);
    for (int i = 0; i < 2; ++i) {  // behind "(1,1,1) (32,1,1)"
      const size_t close = rest.find(')');
      if (close == std::string_view::npos) return;
      rest.remove_prefix(close + 1);
    }
    rest = base::Trim(rest);
    error.kernel = base::Trim(rest.substr(0, rest.find('(', 1)));
    if (error.detail.empty()) error.detail = "this kernel was running";
  }

  void Trouble(std::string_view line) {
    if (found_.not_checked.size() < 20)
      found_.not_checked.push_back({"cuda-gdb", std::string(line.substr(0, 300))});
  }

  KernelFindings found_;
  std::string announced_, kernel_, file_, section_;
  uint64_t line_ = 0;
  bool stopped_ = false, ended_ = false;
};

}  // namespace

KernelFindings ReadCudaGdbLog(std::string_view text) {
  GdbReader reader;
  for (std::string_view line; base::NextLine(text, line);) reader.Line(line);
  return reader.Finish();
}

}  // namespace culprit::run
