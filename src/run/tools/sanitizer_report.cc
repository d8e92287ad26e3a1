// Reads the report of compute-sanitizer. A line that begins with its prefix and one space opens a block; what
// is indented further belongs to it:
//
//   ========= Invalid __global__ write of size 4 bytes
//   =========     at store(int *)+0x70 in /src/a.cu:12          2022 and later
//   =========     at 0x70 in a.cu:12:store(int*)                2020 and 2021
//   =========     by thread (1,0,0) in block (0,0,0)
//   =========     Address 0x7f0010 is out of bounds
//   =========         Device Frame: caller(int *)+0x90 in /src/a.cu:30
//   =========     Saved host backtrace up to driver entry point at kernel launch time
//   =========         Host Frame: main [0x8ae3] in app          one line, or "in ..." in a line of its own
//
// https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/ describes the kinds of blocks; the order of the
// lines in one differs from version to version, so each is known by its first words.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/lines.h"
#include "base/text.h"
#include "run/tools/kernel_errors.h"

namespace culprit::run {
namespace {

using report::RunKernelError;

constexpr std::string_view kPrefix = "=========";
constexpr size_t kLongestReportLine = 1000;  // the rest of a longer one is template arguments
constexpr size_t kLongestDetail = 300;

bool Take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

uint64_t Number(std::string_view text) {  // "4,528" is 4528; anything else ends it
  uint64_t number = 0;
  for (const char c : text.substr(0, 24)) {
    if (c == ',') continue;
    if (!IsDigit(c) || number > UINT64_MAX / 10 - 1) break;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

// "at 0x7f10 and" -> "at 0x and": what two threads say alike.
std::string WithoutAddresses(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    plain += text[i];
    if (!plain.ends_with("0x")) continue;
    while (i + 1 < text.size() && IsHex(text[i + 1])) ++i;
  }
  return plain;
}

struct Place {
  std::string function, file;
  uint64_t line = 0;
};

// Without the offset in it: "store(int *)+0x70" -> "store(int *)".
std::string_view WithoutOffset(std::string_view function) {
  const size_t plus = function.rfind("+0x");
  if (plus == std::string_view::npos || !std::ranges::all_of(function.substr(plus + 3), IsHex))
    return function;
  return function.substr(0, plus);
}

// What stands behind "at", or behind "Device Frame:".
Place ReadPlace(std::string_view text) {
  Place place;
  text = base::Trim(text);
  if (const size_t hazards = text.rfind(" [");
      hazards != std::string_view::npos && text.ends_with("hazards]"))
    text = text.substr(0, hazards);
  // 2020: "a.cu:12:store(int*) (store(int*) : 0x8f0)"
  if (const size_t twice = text.rfind(" : 0x"); twice != std::string_view::npos)
    text = text.substr(0, std::min(text.find(") (") + 1, twice));
  std::string_view rest = text;
  if (Take(rest, "0x")) {
    while (!rest.empty() && IsHex(rest.front())) rest.remove_prefix(1);
    if (Take(rest, " in ")) text = rest;
  }
  // "a.cu:12:store(int*)"
  for (size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    size_t end = colon + 1;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (end == colon + 1 || end >= text.size() || text[end] != ':' || text.substr(end).starts_with("::"))
      continue;
    place.file = text.substr(0, colon);
    place.line = Number(text.substr(colon + 1, end - colon - 1));
    place.function = WithoutOffset(base::Trim(text.substr(end + 1)));
    return place;
  }
  if (const size_t in = text.rfind(" in ");
      in != std::string_view::npos && SplitFileLine(text.substr(in + 4), place.file, place.line))
    text = text.substr(0, in);
  place.function = WithoutOffset(base::Trim(text));
  return place;
}

struct Block {
  RunKernelError error;
  bool named = false;  // it has an "at"
  std::string kernel_frame;
  bool frame_open = false;  // a "Host Frame" whose file may stand in the next line
  uint64_t hazards = 0;
};

class SanitizerReader {
 public:
  KernelFindings Finish() {
    Close();
    if (more_ != 0)
      found_.not_checked.push_back(
          {"compute-sanitizer", std::to_string(more_) + " more different errors are not listed"});
    return std::move(found_);
  }

  void Line(std::string_view line) {
    if (!Take(line, kPrefix)) return;
    line = line.substr(0, kLongestReportLine);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    const std::string_view words = base::Trim(line);
    if (words.empty()) return Close();
    if (!line.starts_with("   ")) return Header(words);
    if (open_) Detail(words);
  }

 private:
  void Header(std::string_view words) {
    Close();
    if (words == "COMPUTE-SANITIZER" || words == "CUDA-MEMCHECK" || words.starts_with("LEAK SUMMARY") ||
        words.starts_with("Target application returned an error"))
      return;
    if (Summary(words)) return;
    const bool race = words.find("Race reported between") != std::string_view::npos ||
                      words.find(" hazard") != std::string_view::npos;
    const bool warning = words.starts_with("Warning") || words.starts_with("WARN");
    std::string_view rest = words;
    for (const std::string_view level : {"ERROR: ", "Error: ", "WARNING: ", "Warning: ", "WARN: ", "INFO: "})
      if (Take(rest, level)) break;
    if ((rest.size() != words.size() && !race) || words.starts_with("Internal Sanitizer") ||
        words.starts_with("Target application ") || words.starts_with("Unable to ") ||
        words.starts_with("Tracking kernels")) {
      Trouble(rest);
      return;
    }
    open_ = Block{};
    open_->error.tool = "compute-sanitizer";
    if (race)
      Race(rest, warning);
    else if (rest.starts_with("Leaked "))
      Leak(rest);
    else
      open_->error.kind = rest.ends_with('.') ? rest.substr(0, rest.size() - 1) : rest;
  }

  bool Summary(std::string_view words) {
    if (words.find("were not printed") != std::string_view::npos) return true;
    if (Take(words, "ERROR SUMMARY: ")) {
      found_.total = found_.total.value_or(0) + Number(words);
      return true;
    }
    if (!Take(words, "RACECHECK SUMMARY: ")) return false;
    const size_t open = words.find('(');
    const size_t comma = words.find(", ", open == std::string_view::npos ? 0 : open);
    uint64_t count = Number(words);
    if (open != std::string_view::npos && comma != std::string_view::npos)
      count = Number(words.substr(open + 1)) + Number(words.substr(comma + 2));
    found_.total = found_.total.value_or(0) + count;
    return true;
  }

  void Trouble(std::string_view words) {
    if (words.starts_with("couldn't find exit code") || found_.not_checked.size() >= 20) return;
    for (const auto& known : found_.not_checked)
      if (known.why == words) return;
    found_.not_checked.push_back({"compute-sanitizer", std::string(words)});
  }

  // "Race reported between Write access at PLACE", "Potential RAW hazard detected at __shared__ 0x0 in ..."
  void Race(std::string_view words, bool warning) {
    RunKernelError& error = open_->error;
    const size_t at = words.find(" at ");
    error.kind = words.substr(0, at);
    if (warning) error.kind += " (warning)";
    if (at == std::string_view::npos) return;
    if (words.find(" access at ") != std::string_view::npos)
      SetPlace(ReadPlace(words.substr(at + 4)));
    else
      error.where = words.substr(at + 1);
  }

  void Leak(std::string_view words) {
    open_->error.kind = "Leaked memory";
    open_->error.detail = words;
  }

  void SetPlace(Place place) {
    open_->named = true;
    open_->error.kernel = std::move(place.function);
    open_->error.file = std::move(place.file);
    open_->error.line = place.line;
  }

  void AddDetail(std::string_view words) {
    std::string& detail = open_->error.detail;
    if (detail.size() > kLongestDetail) return;
    if (!detail.empty()) detail += detail.ends_with(',') ? " " : ", ";
    detail += words.ends_with('.') ? words.substr(0, words.size() - 1) : words;
  }

  void Detail(std::string_view words) {
    RunKernelError& error = open_->error;
    const bool continues = std::exchange(open_->frame_open, false);
    if (words.starts_with("Saved host backtrace") || words.starts_with("Host backtrace")) return;
    if (std::string_view rest = words; Take(rest, "Host Frame:")) {
      if (error.host_frames.size() >= kHostFrames) return;
      error.host_frames.emplace_back(base::Trim(rest));
      open_->frame_open = true;
    } else if (continues && words.starts_with("in ")) {
      error.host_frames.back() += " " + std::string(words);
    } else if (rest = words; Take(rest, "Device Frame:")) {
      open_->kernel_frame = base::Trim(rest);
    } else if (rest = words; Take(rest, "at ") && !open_->named) {
      SetPlace(ReadPlace(rest));
    } else if (words.starts_with("by thread") || words.starts_with("Thread (")) {
      if (error.where.empty()) error.where = words;
    } else {
      Other(words);
    }
  }

  // "and Read access at PLACE [124 hazards]", "Write Thread (0,0,0) at PLACE", "Address 0x10 is misaligned"
  void Other(std::string_view words) {
    std::string& kind = open_->error.kind;
    if (words.starts_with("and ") && kind.starts_with("Race reported") &&
        kind.find(" and ") == std::string::npos)
      kind.insert(kind.ends_with(" (warning)") ? kind.size() - 10 : kind.size(),
                  " " + std::string(words.substr(0, words.find(" at "))));
    if (const size_t hazards = words.rfind(" [");
        hazards != std::string_view::npos && words.ends_with("hazards]"))
      open_->hazards += Number(words.substr(hazards + 2));
    const size_t thread = words.find("Thread (");
    const size_t at = words.find(" at ");
    if (thread != std::string_view::npos && at != std::string_view::npos && at > thread && !open_->named)
      SetPlace(ReadPlace(words.substr(at + 4)));
    AddDetail(words);
  }

  // The kernel is the outermost frame on the device; "at" may be a function that it calls.
  void Close() {
    if (!open_) return;
    Block block = std::move(*open_);
    open_.reset();
    RunKernelError& error = block.error;
    if (!block.kernel_frame.empty()) {
      const Place caller = ReadPlace(block.kernel_frame);
      if (caller.line != 0 && (caller.file != error.file || caller.line != error.line))
        error.detail += (error.detail.empty() ? "called at " : ", called at ") + caller.file + ":" +
                        std::to_string(caller.line);
      if (!error.kernel.empty() && error.kernel != caller.function && !caller.function.empty())
        error.detail += (error.detail.empty() ? "in " : ", in ") + error.kernel;
      if (!caller.function.empty()) error.kernel = caller.function;
      if (error.file.empty()) {
        error.file = caller.file;
        error.line = caller.line;
      }
    }
    error.count = std::max<uint64_t>(block.hazards, 1);
    std::string key = WithoutAddresses(error.kind) + '\n' + error.kernel + '\n' + error.file + ':' +
                      std::to_string(error.line);
    if (error.kernel.empty() && !error.host_frames.empty()) key += '\n' + error.host_frames.front();
    const auto [known, is_new] = known_.try_emplace(std::move(key), found_.errors.size());
    if (!is_new) {
      found_.errors[known->second].count += error.count;
    } else if (found_.errors.size() < kMostKernelErrors) {
      found_.errors.push_back(std::move(error));
    } else {
      known_.erase(known);
      ++more_;
    }
  }

  KernelFindings found_;
  std::optional<Block> open_;
  std::map<std::string, size_t> known_;
  uint64_t more_ = 0;
};

}  // namespace

KernelFindings ReadSanitizerReport(std::string_view text) {
  SanitizerReader reader;
  for (std::string_view line; base::NextLine(text, line);) reader.Line(line);
  return reader.Finish();
}

}  // namespace culprit::run
